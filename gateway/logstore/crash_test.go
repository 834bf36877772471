package logstore_test

import (
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/logstore/logstoretest"
)

func TestSQLiteWriterKilled(t *testing.T)   { logstoretest.Crash(t, sqliteConfig) }
func TestPostgresWriterKilled(t *testing.T) { logstoretest.Crash(t, postgresConfig) }
