// Package pgtest runs a private PostgreSQL server: for tests, and for the lab's
// own runs. It needs the server's programs on the machine and nothing else: no
// service, no account, no fixed port.
//
//  1. Find picks the newest server among the directories where one is kept.
//  2. Start makes a cluster in a directory of its own, as an unprivileged user
//     when the caller is root (PostgreSQL refuses to run as root), starts it on
//     a free loopback port and a socket, and returns once it accepts
//     connections.
//  3. Stop or StopImmediate ends it and removes the directory.
//
// Durability is real: fsync, full_page_writes and synchronous_commit are on
// unless Options say otherwise, so that what is measured is what is promised.
//
// A cluster does not outlive its maker. On Linux the kernel stops the server
// when the process that started it dies, however it dies; elsewhere a killed
// maker leaves a server behind. The directory that a killed maker leaves is
// removed by the next Start that finds it.
package pgtest
