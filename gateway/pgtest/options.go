package pgtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Options shapes a cluster. The zero value is a durable server with the
// settings below.
type Options struct {
	BinDir       string            // programs of the server; "": Find
	Dir          string            // where the cluster's own directory is made; "": the system's temporary directory
	Database     string            // made at start, the one that DSN names; "": "tollgate"
	MaxConns     int               // max_connections, 1 to 10,000; 0: 100
	NoFsync      bool              // fsync off: for tests that restart nothing
	Settings     map[string]string // further settings, or others than those below, as in postgresql.conf
	StartTimeout time.Duration     // from initdb to accepting connections; 0: 60 s
}

const (
	superuser    = "tollgate"
	defaultDB    = "tollgate"
	startTimeout = 60 * time.Second
	stopTimeout  = 30 * time.Second
)

// settings is postgresql.conf by name. What is not named has the server's own
// default.
func (o Options) settings(dir string, port int) map[string]string {
	s := map[string]string{
		"listen_addresses":        "127.0.0.1",
		"port":                    fmt.Sprint(port),
		"unix_socket_directories": dir,
		"max_connections":         "100",
		"shared_buffers":          "128MB",
		"max_wal_size":            "1GB",
		"checkpoint_timeout":      "15min", // a cell shorter than this meets no timed checkpoint
		"fsync":                   "on",
		"full_page_writes":        "on",
		"synchronous_commit":      "on",
		"logging_collector":       "off", // the log is standard error, kept in a file
		"log_line_prefix":         "%m [%p] ",
		"timezone":                "UTC",
	}
	if o.MaxConns > 0 {
		s["max_connections"] = fmt.Sprint(o.MaxConns)
	}
	if o.NoFsync {
		s["fsync"] = "off"
	}
	maps.Copy(s, o.Settings)
	return s
}

// conf renders settings as postgresql.conf takes them.
func conf(s map[string]string) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&b, "%s = '%s'\n", k, strings.ReplaceAll(s[k], "'", "''"))
	}
	return b.String()
}
