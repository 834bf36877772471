// Package openai reads and edits the OpenAI dialect: chat completions,
// embeddings, errors and the list of models.
//
// What it reads, it reads in place:
//
//  1. Request.Scan goes once over a request body, checks its syntax whole, and
//     leaves the spans and numbers that the path needs.
//  2. Request.Splices are the edits that the upstream's body needs (a model's
//     other name, usage asked for), so that every other byte passes as it came.
//  3. Stream.Scan finds the frames of an SSE answer in bytes split anywhere;
//     Answer, fed with a frame's or a whole answer's JSON, keeps usage, finish
//     reason and the number of output characters.
//
// Nothing here allocates per request or frame, does I/O or reads a clock.
package openai
