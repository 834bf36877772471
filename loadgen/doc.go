// Package loadgen puts load on an LLM gateway, or on anything that speaks its
// HTTP interface, and measures every request.
//
// [Run] takes a [Job] and returns a [Result]. Its steps:
//
//  1. [Job.Validate] names every wrong field at once.
//  2. The requests are rendered once, plain and streamed (render.go). Only the
//     request id is patched in afterwards.
//  3. In open loop the schedule is computed before the first request
//     (schedule.go): a pure function of rate, arrivals and seed.
//  4. A client sends. "lean" is a goroutine per connection on raw sockets
//     (lean.go), one write and one read for a request that is not streamed,
//     nothing allocated in steady state. "vegeta" drives net/http through the
//     vegeta library (vegeta.go): any target, TLS included, at four to six
//     times the cost.
//  5. Each answer is read by package http1 (framing), sse (events) and answer
//     (content), or by net/http in place of http1, and ends as exactly one
//     contract.Outcome (classify.go).
//  6. Stamps go into the HdrHistograms of a shard (shard.go), and the shards
//     are merged at the end. A value out of range fails the run.
//
// # Closed and open loop
//
// In closed loop Conc connections each have one request in flight all the
// time. The first Warmup requests are counted apart; the measured part starts
// with the first send after them, with no pause between, so requests of the
// warm-up may still be in flight then.
//
// In open loop each request has an intended time. It is sent then, or as soon
// as one of the Conc connections is free; the delay is its send lag, and its
// response time is counted from the intended time. A request that could not
// be sent within Timeout of its intended time is never sent, and counts as
// unsent: whoever wanted it has given up.
//
// # Outcomes
//
// Statuses 400, 401, 403, 413 and 429 are rejections. Any other status outside
// 2xx is a gateway error when the answer carries the header X-Tollgate-Error,
// which the gateway adds to errors of its own making, and otherwise an
// upstream error passed on. A gateway that does not mark its errors has them
// all counted as upstream errors. An error event inside a stream that began
// with 200 is an upstream error.
//
// A run that its context ends early aborts what is in flight (client_aborted)
// and still returns what was measured.
package loadgen
