package logstore_test

import (
	"os"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/logstore"
	"github.com/tollgate-lab/tollgate/gateway/logstore/logstoretest"
	"github.com/tollgate-lab/tollgate/gateway/pgtest"
)

func TestMain(m *testing.M) {
	if logstoretest.IsChild() {
		os.Exit(logstoretest.Child())
	}
	os.Exit(pgtest.Main(m))
}

func memoryConfig(*testing.T) logstore.Config { return logstore.Config{Store: logstore.Memory} }

func sqliteConfig(t *testing.T) logstore.Config {
	return logstore.Config{Store: logstore.SQLite, Path: t.TempDir()}
}

func postgresConfig(t *testing.T) logstore.Config {
	return logstore.Config{Store: logstore.Postgres, DSN: pgtest.ForTest(t).DSN()}
}

func TestMemory(t *testing.T)   { logstoretest.Run(t, memoryConfig) }
func TestSQLite(t *testing.T)   { logstoretest.Run(t, sqliteConfig) }
func TestPostgres(t *testing.T) { logstoretest.Run(t, postgresConfig) }
