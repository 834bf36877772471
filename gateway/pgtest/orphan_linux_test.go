package pgtest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// makerEnv makes the test binary start a cluster in the named directory and
// wait to be killed.
const makerEnv = "PGTEST_MAKER_DIR"

func makeAndHang() int {
	c, err := Start(context.Background(), Options{Dir: os.Getenv(makerEnv)})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(c.PID(), c.dir)
	<-c.Exited()
	return 0
}

func TestServerDiesWithAKilledMakerAndIsSweptUp(t *testing.T) {
	if _, err := Find(t.Context()); err != nil {
		Unavailable(t, err)
	}
	parent, err := os.MkdirTemp("/tmp", "pgtest-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(parent) })
	if err := os.Chmod(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), makerEnv+"="+parent)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err != nil {
		t.Fatal(err)
	}
	pidText, dir, ok := strings.Cut(strings.TrimSpace(line), " ")
	if !ok {
		t.Fatalf("the maker printed %q", line)
	}
	pid, err := strconv.Atoi(pidText)
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the server ends after its maker", func() bool { return gone(pid) })

	lock := filepath.Join(dir, lockName)
	until(t, "the directory's lock is free", func() bool {
		f, err := lockExisting(lock)
		if err != nil {
			return false
		}
		return f.Close() == nil
	})
	sweep(parent)
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("a directory younger than %v was swept: %v", sweepAge, err)
	}
	old := time.Now().Add(-2 * sweepAge)
	if err := os.Chtimes(dir, old, old); err != nil {
		t.Fatal(err)
	}
	held, err := lockExisting(lock)
	if err != nil {
		t.Fatal(err)
	}
	sweep(parent)
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("a directory whose lock is held was swept: %v", err)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	sweep(parent)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Fatalf("an abandoned directory was not swept: %v", err)
	}
}

// gone reports whether pid runs no more: absent, or dead and not yet reaped.
func gone(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return strings.HasPrefix(rest, "Z") || strings.HasPrefix(rest, "X")
}

// until polls an observable condition with a deadline.
func until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-ctx.Done():
			t.Fatalf("not within 30 s: %s", what)
		case <-tick.C:
		}
	}
}
