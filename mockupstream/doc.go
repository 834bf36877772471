// Package mockupstream is an instant mock of a provider that speaks OpenAI's
// dialect. It is an instrument: it answers with bytes rendered beforehand, so
// that its own cost stays near that of a bare socket server, and it keeps an
// exact account of what it received and what the kernel accepted from it.
//
// How one request passes through:
//
//  1. parser reads the message, fed with whatever bytes arrived. It does no
//     I/O and gives the same result however its input is split.
//  2. bodyScan, fed by the parser, finds the few top-level fields that choose
//     an answer (stream, stream_options.include_usage, model, user). Nothing
//     else of the body is looked at, and the body is never held whole.
//  3. compiled, a script made ready, gives the rendered message, the waits and
//     the fault of this request.
//  4. conn writes the message, one write per SSE frame unless the script
//     coalesces them, and stamps each write just before it happens.
//  5. shard counts the outcome and keeps the stamp. Every connection owns one
//     shard while it lives, so its lock is contended only by a reader of the
//     ground truth.
//
// How the account closes, once no request is under way:
//
//   - A request that could not be read, or whose peer left before its end, is
//     malformed and nothing else. All others are received.
//   - Received = answered + those whose answer was not whole: cut by a fault,
//     or the peer left. A refusal (400, 404, 405) and a scripted error status
//     are answers; they tell no tokens. The latter is faulted as well.
//   - A stall that ends by the peer's leaving is both faulted and peer left. A
//     stream without its [DONE] is faulted and not answered; its frames are
//     aborted tokens. So frames sent = aborted tokens + the output tokens of
//     answered streams.
//   - by_route has the keys chat, embeddings, models and unknown; by_status
//     counts answers begun, those to malformed requests too.
//   - A peer's leaving is seen when a write fails, or during a stall. What
//     write(2) accepted counts as sent, whether or not it was read.
//
// What the mock does not do, on purpose: it ignores max_tokens and every other
// sampling parameter (the answer is fixed by the script), it answers an
// embeddings request with one vector of floats whatever its inputs, it sends
// no Date header, it sets no time limit on a slow peer, and it does not
// validate the body's JSON beyond the balance of its brackets. Field names
// spelled with JSON escapes are not recognised.
package mockupstream
