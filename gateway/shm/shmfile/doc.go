// Package shmfile maps files as shm regions, MAP_SHARED: what one process
// stores, every other process that maps the file sees at once, and the kernel
// keeps it when the process dies, even by SIGKILL. A crash of the host loses
// what the kernel had not yet written back (see Mapping.Sync).
//
// It is apart from package shm so that the request path, which only uses the
// words, does not depend on the operating system.
//
// A file begins with one page of header: magic, version, layout, number of
// words. A file whose header is not the expected one is refused; what is in it
// is somebody's money, so it is never overwritten silently.
package shmfile
