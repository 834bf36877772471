package sqlitelog

import (
	"fmt"
	"path/filepath"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// applicationID marks a file as a request log: "tlog" in ASCII.
const applicationID = 0x746c6f67

// migrations leads from each version of the schema to the next: migration i
// makes version i+1. A published one is never changed.
var migrations = []string{
	`CREATE TABLE incarnations (
		id       INTEGER PRIMARY KEY,
		writer   INTEGER NOT NULL, -- slot, from 0
		epoch_ns INTEGER NOT NULL, -- start, Unix ns
		UNIQUE (writer, epoch_ns)
	);
	CREATE TABLE labels (
		id       INTEGER PRIMARY KEY,
		surface  TEXT NOT NULL,
		key      TEXT NOT NULL,
		model    TEXT NOT NULL,
		provider TEXT NOT NULL,
		reason   TEXT NOT NULL,
		UNIQUE (surface, key, model, provider, reason)
	);
	CREATE TABLE request_rows (
		id          INTEGER PRIMARY KEY,
		incarnation INTEGER NOT NULL,
		seq         INTEGER NOT NULL,
		started_ns  INTEGER NOT NULL,
		ttfb_ns     INTEGER NOT NULL,
		total_ns    INTEGER NOT NULL,
		request_id  TEXT NOT NULL,
		label       INTEGER NOT NULL,
		status      INTEGER NOT NULL,
		outcome     INTEGER NOT NULL,
		stream      INTEGER NOT NULL,
		estimated   INTEGER NOT NULL,
		prompt_tok  INTEGER NOT NULL,
		output_tok  INTEGER NOT NULL,
		cost_nano   INTEGER NOT NULL, -- 1e-9 dollars
		bytes_in    INTEGER NOT NULL,
		bytes_out   INTEGER NOT NULL
	);
	CREATE VIEW requests AS
		SELECT i.writer, i.epoch_ns, r.seq, r.started_ns, r.ttfb_ns, r.total_ns, r.request_id,
			l.surface, l.key, l.model, l.provider, r.status,
			CASE r.outcome WHEN 1 THEN 'answered' WHEN 2 THEN 'rejected' WHEN 3 THEN 'upstream_error'
				WHEN 4 THEN 'gateway_error' WHEN 5 THEN 'client_left' ELSE 'unknown' END AS outcome,
			l.reason, r.stream, r.estimated, r.prompt_tok, r.output_tok, r.cost_nano, r.bytes_in, r.bytes_out
		FROM request_rows r JOIN incarnations i ON i.id = r.incarnation JOIN labels l ON l.id = r.label;`,
	// Rows since are packed (see block.go). Those of version 1 stay where they
	// are; a view of them alone would be taken for the whole log.
	`DROP VIEW requests;
	CREATE TABLE blocks (
		id          INTEGER PRIMARY KEY,
		incarnation INTEGER NOT NULL,
		rows        INTEGER NOT NULL,
		first_ns    INTEGER NOT NULL, -- least started_ns in it
		last_ns     INTEGER NOT NULL, -- greatest
		packed      BLOB NOT NULL
	);`,
}

// fileOf is the log file of a writer slot.
func fileOf(dir string, writer int32) string {
	return filepath.Join(dir, fmt.Sprintf("requests-%d.db", writer))
}

// migrate brings the open file to the newest schema, in one transaction: a
// killed migration leaves the version before it.
func migrate(c *sqlite.Conn, path string) (err error) {
	end, err := sqlitex.ImmediateTransaction(c)
	if err != nil {
		return fmt.Errorf("lock for the schema: %w", err)
	}
	defer end(&err)
	if err := checkFile(c, path); err != nil {
		return err
	}
	version, err := pragmaInt(c, "user_version")
	if err != nil || version == int64(len(migrations)) {
		return err
	}
	for ; version < int64(len(migrations)); version++ {
		if err := sqlitex.ExecuteScript(c, migrations[version], nil); err != nil {
			return fmt.Errorf("make schema version %d: %w", version+1, err)
		}
	}
	for name, value := range map[string]int{"application_id": applicationID, "user_version": len(migrations)} {
		if err := sqlitex.ExecuteTransient(c, fmt.Sprintf("PRAGMA %s = %d", name, value), nil); err != nil {
			return fmt.Errorf("set %s: %w", name, err)
		}
	}
	return nil
}

// checkFile refuses a file that is no request log, or one of a newer version.
func checkFile(c *sqlite.Conn, path string) error {
	version, err := pragmaInt(c, "user_version")
	if err != nil {
		return err
	}
	app, err := pragmaInt(c, "application_id")
	if err != nil {
		return err
	}
	if app != applicationID && (app != 0 || version != 0) {
		return fmt.Errorf("%s is a SQLite file of another application (application_id %#x, user_version %d)", path, app, version)
	}
	if version > int64(len(migrations)) {
		return fmt.Errorf("%s has schema version %d, newer than this program's %d: use the program that made it, or another directory",
			path, version, len(migrations))
	}
	return nil
}

func pragmaInt(c *sqlite.Conn, name string) (int64, error) {
	var v int64
	err := sqlitex.ExecuteTransient(c, "PRAGMA "+name, &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error {
			v = s.ColumnInt64(0)
			return nil
		},
	})
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", name, err)
	}
	return v, nil
}
