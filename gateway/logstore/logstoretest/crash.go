package logstoretest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/logstore"
)

// childEnv carries the child's config. The test binary that finds it set is
// the child.
const childEnv = "LOGSTORETEST_CHILD"

// IsChild reports whether this process is to run Child: TestMain asks it
// first.
func IsChild() bool { return os.Getenv(childEnv) != "" }

// childAppenders is the number of rows in flight in the child.
const childAppenders = 16

// Child appends rows until it is killed. It prints a line with a row's id when
// the store says that the row is durable; under async, when Append returns.
func Child() int {
	var cfg logstore.Config
	if err := json.Unmarshal([]byte(os.Getenv(childEnv)), &cfg); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	s, err := logstore.Open(context.Background(), cfg, 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	var all sync.WaitGroup
	for a := range childAppenders {
		all.Go(func() {
			g := NewRows(fmt.Sprintf("child-%02d", a), uint64(a))
			told := make(chanCompletion, 1)
			for {
				row := g.Next()
				if s.Append(&row, told) {
					if err := <-told; err != nil {
						fmt.Fprintln(os.Stderr, err)
						return
					}
				}
				if _, err := os.Stdout.WriteString(string(row.ID()) + "\n"); err != nil {
					return
				}
			}
		})
	}
	all.Wait()
	return 1
}

type chanCompletion chan error

func (c chanCompletion) Stored(err error) { c <- err }

// KillChild runs a child on cfg, kills it with SIGKILL once it has printed
// atLeast ids, and returns all the ids it printed.
func KillChild(t *testing.T, cfg logstore.Config, atLeast int) []string {
	t.Helper()
	env, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childEnv+"="+string(env))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// What was printed before the kill is in the pipe and read to its end.
	var ids []string
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			break // a line cut by the kill was not printed whole
		}
		ids = append(ids, strings.TrimSuffix(line, "\n"))
		if len(ids) == atLeast {
			if err := cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	err = cmd.Wait()
	if len(ids) < atLeast {
		t.Fatalf("the child ended by itself after %d rows: %v\n%s", len(ids), err, stderr.String())
	}
	return ids
}

// Crash kills a writing process and checks what its store promises: under
// sync and group every acknowledged row is there, once; under async what is
// there is a prefix of what was accepted. A second process then goes on.
func Crash(t *testing.T, fresh func(t *testing.T) logstore.Config) {
	for _, d := range []logstore.Durability{logstore.Sync, logstore.Group, logstore.Async} {
		t.Run("durability="+string(d), func(t *testing.T) {
			cfg := fresh(t)
			cfg.Durability = d
			cfg.BatchRows = 100
			acked := KillChild(t, cfg, 400)
			acked = append(acked, prefixed("again:", KillChild(t, cfg, 100))...)

			r := reader(t, cfg, open(t, cfg, 1)) // a healthy neighbour
			lost := check(t, r, acked, d != logstore.Async)
			t.Logf("%d rows acknowledged, %d of them lost", len(acked), lost)

			s := open(t, cfg, 0)
			before, err := r.Count(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			appendAll(t, s, makeRows("after", 10))
			closeStore(t, s)
			if n, err := r.Count(t.Context()); err != nil || n != before+10 {
				t.Errorf("%d rows (%v) after 10 more than %d", n, err, before)
			}
		})
	}
}

// prefixed tells the second child's ids from the first one's, which are the
// same.
func prefixed(p string, ids []string) []string {
	for i := range ids {
		ids[i] = p + ids[i]
	}
	return ids
}

// check compares acknowledged ids with the rows of writer 0 and returns how
// many are not there.
func check(t *testing.T, r logstore.Reader, acked []string, durable bool) (lost int) {
	t.Helper()
	there := make(map[string]int)
	epochs := make(map[int64]string)
	next := make(map[int64]int64)
	for _, row := range All(t, r) {
		if _, ok := epochs[row.Epoch]; !ok {
			epochs[row.Epoch] = strings.Repeat("again:", len(epochs))
		}
		there[epochs[row.Epoch]+string(row.ID())]++
		if next[row.Epoch]++; row.Seq != next[row.Epoch] {
			t.Fatalf("epoch %d: sequence %d where %d was due: rows before it are missing", row.Epoch, row.Seq, next[row.Epoch])
		}
	}
	for _, id := range acked {
		switch n := there[id]; {
		case n == 0:
			lost++
			if durable {
				t.Errorf("row %s was acknowledged and is not there", id)
			}
		case n > 1:
			t.Errorf("row %s is there %d times", id, n)
		}
	}
	return lost
}
