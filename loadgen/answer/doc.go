// Package answer judges the body of one answer: is it what was asked for,
// and when did its content arrive?
//
// A Checker is told of each read and fed the body bytes that it brought. A
// streamed answer is read as Server-Sent Events of OpenAI chat-completion
// chunks, ended by [DONE]; any other as one JSON object. Nothing is allocated
// in steady state: content is compared with the expected text as it comes,
// and never gathered.
package answer
