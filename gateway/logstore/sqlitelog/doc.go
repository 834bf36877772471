// Package sqlitelog keeps the request log in SQLite: one file per writer
// slot, <dir>/requests-<slot>.db, so that no two processes ever wait for each
// other's write lock; a Reader answers from the union of the files.
//
// A file is in WAL mode with one writing connection. Committed rows survive a
// killed process under either synchronous setting; FULL also keeps them
// through a power cut, NORMAL may lose the commits since the last checkpoint
// then, which is within the promise of async.
//
// Tables: incarnations (one row each time a writer opened the file), labels
// (the sets of words that rows share) and blocks: the rows of one commit,
// packed, with the time that they span. Packed, a row costs a third of what a
// row of SQLite's own does, and less than half the disk. The schema's version
// is the file's user_version, and a file's application_id says that it is one
// of these.
//
// It is the only package that imports the SQLite driver.
package sqlitelog
