// Package pglog keeps the request log in PostgreSQL, shared by the workers of
// a fleet.
//
// A batch is one simple query: it moves the writer's mark from the sequence
// it had to the batch's last, and copies the rows in binary. Both are in the
// query's one implicit transaction and cost one round trip. The mark makes a
// batch arrive exactly once: when a connection dies in the middle of a commit
// nobody knows whether it took place, so the batch is sent again, and
//
//   - while the old transaction is still ending, the mark's row lock makes the
//     new one wait for it;
//   - if the old one committed, the mark is no longer where the new one expects
//     it: it would become NULL, which its column refuses, and the whole query
//     with it. The mark then says that the batch is there.
//
// Nothing stays behind in a session (no prepared statement, no SET, no
// session lock), so a pooler in transaction mode may stand between.
//
// Tables, in the schema that the connection's search_path names first:
// tollgate_log_writers (an incarnation and its mark), tollgate_log_labels (the
// sets of words that rows share), tollgate_log_rows, which has no index, and
// tollgate_log_meta (the schema's version); the view tollgate_log shows whole
// rows.
//
// It is the only package that imports the PostgreSQL driver.
package pglog
