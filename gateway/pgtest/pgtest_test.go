package pgtest

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if os.Getenv(makerEnv) != "" {
		os.Exit(makeAndHang())
	}
	os.Exit(Main(m))
}

func (c *Cluster) psql(t *testing.T, database, sql string) (string, error) {
	t.Helper()
	out, err := c.run(t.Context(), "psql", append(c.connArgs(), "-X", "-At", "-v", "ON_ERROR_STOP=1", "-d", database, "-c", sql)...)
	return strings.TrimSpace(out), err
}

func TestForTestGivesADatabaseOfItsOwn(t *testing.T) {
	a, b := ForTest(t), ForTest(t)
	if a.DSN() == b.DSN() || a.Cluster != b.Cluster {
		t.Fatalf("want two databases of one cluster, got %s and %s", a.Name, b.Name)
	}
	if _, err := a.psql(t, a.Name, "CREATE TABLE x (n int)"); err != nil {
		t.Fatal(err)
	}
	got, err := b.psql(t, b.Name, "SELECT to_regclass('x') IS NULL")
	if err != nil || got != "t" {
		t.Fatalf("a table made in one database is seen in the other: %q, %v", got, err)
	}
}

func TestServerIsDurableAndLocal(t *testing.T) {
	d := ForTest(t)
	for setting, want := range map[string]string{
		"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on", "listen_addresses": "127.0.0.1", "max_connections": "100",
	} {
		got, err := d.psql(t, d.Name, "SHOW "+setting)
		if err != nil || got != want {
			t.Errorf("%s is %q (%v), want %q", setting, got, err, want)
		}
	}
	got, err := d.psql(t, d.Name, "SHOW server_version")
	if err != nil || !strings.HasPrefix(got, d.Version()) {
		t.Errorf("server says version %q (%v), the cluster %q", got, err, d.Version())
	}
}

func TestPIDsAreTheServersProcesses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only procfs tells children")
	}
	d := ForTest(t)
	pids := d.PIDs()
	if len(pids) < 2 || pids[0] != d.PID() {
		t.Fatalf("want the postmaster %d and its workers, got %v", d.PID(), pids)
	}
	got, err := d.psql(t, d.Name, "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'checkpointer' AND pid IN ("+
		strings.Trim(strings.Join(strings.Fields(fmt.Sprint(pids)), ","), "[]")+")")
	if err != nil || got != "1" {
		t.Fatalf("the checkpointer is not among %v: %q, %v", pids, got, err)
	}
}

func TestStrangersNeedThePassword(t *testing.T) {
	d := ForTest(t)
	stranger := &Cluster{bin: d.bin, user: d.user, dir: d.dir, port: d.port, password: "wrong"}
	if _, err := stranger.psql(t, d.Name, "SELECT 1"); err == nil {
		t.Fatal("a wrong password was let in")
	}
}

func TestCrashKeepsCommittedRows(t *testing.T) {
	c := StartForTest(t, Options{Settings: map[string]string{"shared_buffers": "16MB"}})
	if got, err := c.psql(t, "tollgate", "SHOW shared_buffers"); err != nil || got != "16MB" {
		t.Fatalf("shared_buffers is %q (%v), want 16MB", got, err)
	}
	if _, err := c.psql(t, "tollgate", "CREATE TABLE x (n int); INSERT INTO x VALUES (7)"); err != nil {
		t.Fatal(err)
	}
	if err := c.Restart(t.Context()); err == nil {
		t.Fatal("a running server was restarted")
	}
	if err := c.Crash(); err != nil {
		t.Fatal(err)
	}
	if err := c.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := c.psql(t, "tollgate", "SELECT n FROM x"); err != nil || got != "7" {
		t.Fatalf("after a crash the row is %q, %v", got, err)
	}
}

func TestStopRemovesEverything(t *testing.T) {
	c, err := Start(t.Context(), Options{NoFsync: true, Database: "other", MaxConns: 20})
	if err != nil {
		Unavailable(t, err)
	}
	if !strings.HasSuffix(c.DSN(), "/other?sslmode=disable") {
		t.Errorf("the DSN %s does not name the database", strings.ReplaceAll(c.DSN(), c.password, "…"))
	}
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := c.Stop(); err != nil {
		t.Fatalf("a second Stop: %v", err)
	}
	if _, err := os.Stat(c.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", c.dir, err)
	}
	select {
	case <-c.Exited():
	default:
		t.Error("the server has not exited")
	}
}

func TestStartSaysWhatTheServerSaid(t *testing.T) {
	if _, err := Find(t.Context()); err != nil {
		Unavailable(t, err)
	}
	_, err := Start(t.Context(), Options{Settings: map[string]string{"no_such_setting": "1"}})
	if err == nil || !strings.Contains(err.Error(), `unrecognized configuration parameter "no_such_setting"`) {
		t.Fatalf("want the server's own complaint, got: %v", err)
	}
}

func TestFailedStartLeavesNothing(t *testing.T) {
	if _, err := Find(t.Context()); err != nil {
		Unavailable(t, err)
	}
	parent := t.TempDir()
	_, err := Start(t.Context(), Options{Dir: parent, StartTimeout: 20 * time.Millisecond})
	if err == nil {
		t.Fatal("a server started within 20 ms")
	}
	left, err := os.ReadDir(parent)
	if err != nil || len(left) != 0 {
		t.Fatalf("left behind: %v, %v", left, err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	if _, err := Start(t.Context(), Options{MaxConns: -1}); err == nil || !strings.Contains(err.Error(), "max conns") {
		t.Errorf("negative MaxConns: %v", err)
	}
	if _, err := Start(t.Context(), Options{BinDir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "lacks initdb") {
		t.Errorf("empty BinDir: %v", err)
	}
}

// fakeTB records what a test would do.
type fakeTB struct {
	*testing.T
	skipped, failed string
}

func (f *fakeTB) Skipf(format string, a ...any) { f.skipped = fmt.Sprintf(format, a...); panic(f) }
func (f *fakeTB) Fatalf(format string, a ...any) {
	f.failed = fmt.Sprintf(format, a...)
	panic(f)
}

func TestMissingServerSkipsUnlessRequired(t *testing.T) {
	for _, c := range []struct {
		story, require string
		err            error
		skip           bool
	}{
		{"not installed, not required: skipped", "", ErrNotInstalled, true},
		{"not installed, required: failed", "1", ErrNotInstalled, false},
		{"installed but broken: failed", "", errors.New("broken"), false},
	} {
		t.Run(c.story, func(t *testing.T) {
			t.Setenv(RequireEnv, c.require)
			f := &fakeTB{T: t}
			func() {
				defer func() { _ = recover() }()
				Unavailable(f, c.err)
			}()
			if (f.skipped != "") != c.skip || (f.failed != "") == c.skip {
				t.Errorf("skipped %q, failed %q", f.skipped, f.failed)
			}
			if errors.Is(c.err, ErrNotInstalled) && !strings.Contains(f.skipped+f.failed, "package postgresql") {
				t.Errorf("the message names no package: %q", f.skipped+f.failed)
			}
		})
	}
}

func TestFindLooksNowhereElse(t *testing.T) {
	dir, err := Find(t.Context())
	if err != nil {
		Unavailable(t, err)
	}
	if m := missingIn(dir); m != "" {
		t.Errorf("%s lacks %s", dir, m)
	}
}

func TestVersionIsRead(t *testing.T) {
	for in, want := range map[string]string{
		"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n": "15.18",
		"postgres (PostgreSQL) 18beta1\n":                        "18beta1",
		"postgres (PostgreSQL) ":                                 "",
		"mysqld 8":                                               "",
	} {
		got, err := parseVersion(in)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v", in, got, err)
		}
	}
}

func TestMajorIsReadFromThePath(t *testing.T) {
	for in, want := range map[string]int{
		"/usr/lib/postgresql/15/bin": 15, "/usr/pgsql-9/bin": 9, "/opt/homebrew/opt/postgresql@17/bin": 17, "/opt/postgresql/bin": 0,
	} {
		if got := majorIn(in); got != want {
			t.Errorf("%s: got %d, want %d", in, got, want)
		}
	}
}

func TestConfQuotes(t *testing.T) {
	got := conf(map[string]string{"b": "it's", "a": "1"})
	if want := "a = '1'\nb = 'it''s'\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSettingsCanBeOverridden(t *testing.T) {
	s := Options{MaxConns: 7, NoFsync: true, Settings: map[string]string{"fsync": "on", "jit": "off"}}.settings("/d", 1)
	if s["fsync"] != "on" || s["max_connections"] != "7" || s["jit"] != "off" || s["port"] != "1" {
		t.Errorf("got %v", s)
	}
}
