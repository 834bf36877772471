// Package exchange is one request's way through the gateway as a state
// machine: no socket, goroutine, clock or lock. An engine feeds it events
// (Event) and does what it answers (Action); time is an argument.
//
//	head     route, authenticate; a refusal is answered before a body is read
//	reading  the body comes into request-owned memory
//	waiting  scanned, admitted, sent upstream with its edits
//	relaying the answer passes, and is read along for usage
//	storing  settled; the last bytes wait for the log row where that is promised
//	done
//
// # What is billed
//
// A whole answer: the upstream's usage; where none came, an estimate of four
// characters a token (marked Estimated in the row). A stream that the client
// left, or that the upstream cut: the usage if it came, else the prompt's
// estimate and the output characters of the frames that were wholly delivered.
// An answer that is no stream and was cut before its usage came: the prompt's
// estimate and no output, once the answer had begun. A client that leaves when
// all of the answer was accepted for it has a whole one. Nothing is billed when
// the upstream answered with an error, or failed before the answer had begun.
// A prompt that the provider reports is billed even if the answer is empty.
//
// # What is reserved
//
// The prompt's characters (openai.Request.PromptChars) divided by four, rounded
// up, and the request's own limit of output tokens, bounded by the model's,
// times the answers asked for.
//
// # What is logged and counted
//
// A request to chat completions or embeddings that was read whole counts as
// ReadWhole and gets exactly one row, however it ends. One that was refused or
// given up before (a bad key, a body too large, a client that left) gets no
// row. Both count once under how they ended: Answered, Rejected,
// UpstreamErrors, GatewayErrors or ClientLeft. Lists of models and what the
// gateway serves itself spend nothing and are neither counted nor logged.
//
// # What is refused as a body
//
// What is no JSON object, nests deeper than openai.MaxDepth, or holds a member
// that the gateway acts on twice (model, stream, stream_options, the limits, n):
// parsers differ in which of two they take, and what was admitted must be what
// is answered. Everything else, known or not, goes on byte for byte.
//
// # Fields of messages
//
// To the upstream go the client's fields except
//   - those of the connection: Connection and what it names, Keep-Alive,
//     Proxy-*, TE, Trailer, Transfer-Encoding, Upgrade, Expect, Content-Length,
//     Host;
//   - credentials and accounts: Authorization, Api-Key, X-Api-Key, Cookie,
//     OpenAI-Organization, OpenAI-Project;
//   - where the client came from: Forwarded, X-Forwarded-*, X-Real-IP, Via;
//   - Accept-Encoding: identity is asked for, so that the answer can be read
//     along;
//   - X-Request-Id, which is set: the client's when it is 1 to 64 printable
//     characters, else a fresh one.
//
// The provider's own authentication fields replace any of the same name.
//
// To the client go the upstream's fields except
//   - those of the connection, and Content-Length and Date, the engine's;
//   - Set-Cookie, Alt-Svc, Strict-Transport-Security: they speak of the
//     upstream's host;
//   - X-Request-Id, which is set, and X-Tollgate-Error, which marks the
//     gateway's own errors;
//   - x-ratelimit-* where the gateway has limits of its own to tell.
package exchange
