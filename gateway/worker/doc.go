// Package worker runs N serving processes on one port, and one supervisor that
// watches them: 1 worker is 1 process, 2 workers are 3, N are N+1.
//
// The supervisor binds. It first takes the port alone, without SO_REUSEPORT, so
// that two gateways can never share one by accident; then it opens one
// SO_REUSEPORT socket per worker and hands each over. Because it keeps a copy,
// the connections that wait in a socket's queue survive a worker that dies: the
// next one in the slot takes them.
//
// A worker is the same program, started again with TOLLGATE_WORKER in its
// environment and four kinds of inherited files: the job (a pipe that tells it
// what to do and, by ending, that the supervisor is gone), the pipe on which it
// says that it is ready, its listening socket, and the shared memory.
//
// A worker that dies is started again: at once the first time, then after waits
// that double. One that dies again and again is given up, and the whole gateway
// with it, so that whoever watches the supervisor sees it. When the supervisor
// itself dies, its workers drain and end.
//
// Only Linux spreads connections over the sockets of one port. Elsewhere
// Supported is false and one process serves.
package worker
