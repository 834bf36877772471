// Package epoll is the engine of event loops: Linux, plaintext on both sides.
// One loop serves a listener; client and upstream sockets are in the same
// loop, edge-triggered, and events come in batches.
//
// Everything of a loop happens on its goroutine, in order:
//
//  1. a socket becomes readable, its bytes are read into a buffer that all
//     sockets of the loop share;
//  2. they are decoded where they lie and handed to the exchange;
//  3. what the exchange wants written is gathered, and leaves in one system
//     call for each read;
//  4. only what a socket did not take, or a message that has not arrived
//     whole, is copied into memory of its own.
//
// So an idle connection costs its descriptor and a small struct. Whatever may
// block (name look-up, the log store) happens elsewhere and comes back as a
// message. A client that reads slowly stops the reading of its upstream.
package epoll
