package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

// RequireEnv names the variable under which a missing PostgreSQL fails a test
// instead of skipping it, when it is "1".
const RequireEnv = "TOLLGATE_REQUIRE_POSTGRES"

// TB is what ForTest needs of a testing.TB, so that programs which run a
// cluster do not link the testing package.
type TB interface {
	Helper()
	Skipf(format string, args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
	Cleanup(func())
	Context() context.Context
}

// Database is one database of a cluster.
type Database struct {
	*Cluster
	Name string
}

// DSN is the connection URL of this database.
func (d *Database) DSN() string { return d.DSNFor(d.Name) }

var shared struct {
	once    sync.Once
	cluster *Cluster
	err     error
	next    atomic.Int64
}

// ForTest is a fresh database, dropped when the test ends, in a cluster that
// all tests of the process share. A test that stops or crashes the server
// calls Start instead. Without PostgreSQL the test is skipped, or fails under
// RequireEnv.
func ForTest(t TB) *Database {
	t.Helper()
	shared.once.Do(func() {
		shared.cluster, shared.err = Start(context.Background(), Options{})
	})
	if shared.err != nil {
		Unavailable(t, shared.err)
	}
	d := &Database{Cluster: shared.cluster, Name: fmt.Sprintf("test_%d", shared.next.Add(1))}
	if _, err := d.CreateDatabase(t.Context(), d.Name); err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() {
		if err := d.DropDatabase(context.Background(), d.Name); err != nil {
			t.Errorf("%v", err)
		}
	})
	return d
}

// StartForTest starts a cluster of the test's own, which is stopped when the
// test ends; it skips and fails as ForTest does.
func StartForTest(t TB, o Options) *Cluster {
	t.Helper()
	c, err := Start(t.Context(), o)
	if err != nil {
		Unavailable(t, err)
	}
	t.Cleanup(func() {
		if err := c.StopImmediate(); err != nil {
			t.Errorf("%v", err)
		}
	})
	return c
}

// Unavailable skips the test when err says that PostgreSQL is not installed
// and it is not required; else it fails it.
func Unavailable(t TB, err error) {
	t.Helper()
	if errors.Is(err, ErrNotInstalled) && os.Getenv(RequireEnv) != "1" {
		t.Skipf("%v", err)
	}
	t.Fatalf("%v", err)
}

// Main runs the tests of a package and then stops the shared cluster:
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
//
// Without it the server ends with the process all the same on Linux, and its
// directory stays until the next Start.
func Main(m interface{ Run() int }) int {
	code := m.Run()
	if shared.cluster != nil {
		if err := shared.cluster.StopImmediate(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return max(code, 1)
		}
	}
	return code
}
