//go:build linux

package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/admission/accounts"
	"github.com/tollgate-lab/tollgate/gateway/logstore"
	"github.com/tollgate-lab/tollgate/gateway/worker"
)

// asProgram makes the test binary the gateway program.
const asProgram = "GATEWAY_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// program is the gateway as a process.
type program struct {
	*exec.Cmd
	addr, control string
	said          *lines
}

// lines collects what the program writes.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func programCommand(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	for name, value := range environment {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// start runs the program over a config and waits until every worker is ready.
func start(t *testing.T, text string) *program {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gateway.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &program{Cmd: programCommand("--config", path), said: new(lines)}
	p.Stdout, p.Stderr = p.said, p.said
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Process.Kill()
		p.Wait()
		if strings.Contains(p.said.String(), "sk-") {
			t.Errorf("a token is in what the gateway wrote: %s", p.said)
		}
	})
	eventually(t, "the gateway says where it serves", func() bool {
		for line := range strings.Lines(p.said.String()) {
			var serving struct{ Msg, Addr, Control string }
			if json.Unmarshal([]byte(line), &serving) == nil && serving.Msg == "serving" {
				p.addr, p.control = serving.Addr, serving.Control
				return true
			}
		}
		if p.gone() {
			t.Fatalf("it ended: %s", p.said)
		}
		return false
	})
	return p
}

// gone reports whether the process has ended, waited for or not.
func (p *program) gone() bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Process.Pid))
	return err != nil || strings.Contains(string(b), ") Z ")
}

// tree is a process and its descendants.
func tree(pid int) (pids []int) {
	pids = []int{pid}
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range threads {
		b, _ := os.ReadFile(file)
		for _, f := range strings.Fields(string(b)) {
			var child int
			fmt.Sscan(f, &child)
			pids = append(pids, tree(child)...)
		}
	}
	return pids
}

func (p *program) ledger(t *testing.T) (sums map[string]int64) {
	t.Helper()
	p.read(t, "/ledger", &sums)
	return sums
}

func (p *program) workers(t *testing.T) (states []worker.State) {
	t.Helper()
	p.read(t, "/workers", &states)
	return states
}

func (p *program) accounts(t *testing.T) (sums []accounts.Sums) {
	t.Helper()
	p.read(t, "/ledger/keys", &sums)
	return sums
}

func (p *program) read(t *testing.T, path string, into any) {
	t.Helper()
	got := ask(t, "GET", "http://"+p.control+path, "", "")
	if err := json.Unmarshal([]byte(got.body), into); err != nil {
		t.Fatalf("%s: %v in %s", path, err, got.body)
	}
}

func outer(workers int, dir string) string {
	return fmt.Sprintf("listen: 127.0.0.1:0\nworkers: %d\ncontrol: {listen: \"127.0.0.1:0\"}\nstate: {dir: %s}\nlog: {store: sqlite, durability: group, path: %s/log}\n", workers, dir, dir)
}

func TestProcessCounts(t *testing.T) {
	up := newUpstream(t)
	for workers, want := range map[int]int{1: 1, 2: 3, 4: 5, 8: 9} {
		p := start(t, configText(up.URL, outer(workers, stateDir(t))))
		if got := tree(p.Process.Pid); len(got) != want {
			t.Errorf("%d workers are %d processes, want %d", workers, len(got), want)
		}
		if got := p.workers(t); len(got) != workers || !got[workers-1].Ready {
			t.Errorf("%d workers: %+v", workers, got)
		}
		p.end(t, 0)
	}
}

// end asks the program to end and checks its exit status and that nothing of it
// is left.
func (p *program) end(t *testing.T, want int) {
	t.Helper()
	pids := tree(p.Process.Pid)
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.Wait()
	if got := p.ProcessState.ExitCode(); got != want {
		t.Errorf("exit status %d, want %d: %s", got, want, p.said)
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d is left: %v", pid, err)
		}
	}
}

func TestSIGTERMDrains(t *testing.T) {
	for _, workers := range []int{1, 3} {
		up := newUpstream(t)
		dir := stateDir(t)
		p := start(t, configText(up.URL, outer(workers, dir)))
		const inFlight = 6
		replies := make(chan reply, inFlight)
		var asking sync.WaitGroup
		for i := range inFlight {
			asking.Go(func() { replies <- chat(t, p.addr, token, chatBody("wait", i%2 == 0)) })
		}
		for range inFlight {
			<-up.started
		}
		if err := p.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		eventually(t, "no new connection is taken", func() bool {
			c, err := net.Dial("tcp", p.addr)
			if err == nil {
				c.Close()
			}
			return errors.Is(err, syscall.ECONNREFUSED)
		})
		close(up.more)
		asking.Wait()
		for range inFlight {
			got := <-replies
			text, done := contentOf(t, got.body)
			if got.status != 200 || got.body != answer && (text != "hello" || !done) {
				t.Errorf("%d workers: %d %s", workers, got.status, got.body)
			}
		}
		p.Wait()
		if got := p.ProcessState.ExitCode(); got != 0 {
			t.Errorf("%d workers: exit status %d: %s", workers, got, p.said)
		}
		wantStored(t, dir, inFlight)
	}
}

func wantStored(t *testing.T, dir string, want int64) {
	t.Helper()
	r, err := logstore.OpenReader(t.Context(), logstore.Config{Store: logstore.SQLite, Path: dir + "/log"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, err := r.Count(t.Context()); err != nil || got != want {
		t.Errorf("%d rows are stored, %v; want %d", got, err, want)
	}
}

// TestAKilledWorker kills a worker with a request in flight: the others serve on,
// it comes back, the request's reservation stays charged, and every answered
// request has its row.
func TestAKilledWorker(t *testing.T) {
	up := newUpstream(t)
	dir := stateDir(t)
	p := start(t, configText(up.URL, outer(4, dir)))
	lost := make(chan error, 1)
	go func() {
		req, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+p.addr+"/v1/chat/completions", strings.NewReader(chatBody("wait", false)))
		if err == nil {
			req.Header.Set("Authorization", "Bearer "+token)
			var res *http.Response
			if res, err = client.Do(req); err == nil {
				_, err = io.ReadAll(res.Body)
				res.Body.Close()
			}
		}
		lost <- err
	}()
	<-up.started
	var slots []map[string]int64
	p.read(t, "/ledger/slots", &slots)
	slot := -1
	for i, s := range slots {
		if s["in_flight"] == 1 {
			slot = i
		}
	}
	if slot < 0 {
		t.Fatalf("nothing in flight: %v", slots)
	}
	victim := p.workers(t)[slot].PID
	if err := syscall.Kill(victim, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-lost; err == nil {
		t.Error("the client of the killed worker got a whole answer")
	}
	answered := int64(0)
	for range 50 { // while the slot is empty and after
		if got := chat(t, p.addr, token, chatBody("hi", false)); got.status != 200 {
			t.Fatalf("%d %s", got.status, got.body)
		}
		answered++
	}
	eventually(t, "the worker is back", func() bool {
		s := p.workers(t)[slot]
		return s.Ready && s.PID != victim && s.Restarts == 1
	})
	eventually(t, "all is settled", func() bool { return p.ledger(t)["in_flight"] == 0 })
	sums := p.ledger(t)
	for name, want := range map[string]int64{"answered": answered, "rows_stored": answered, "lost": 1, "forfeited": 1, "open_reservations": 0} {
		if sums[name] != want {
			t.Errorf("%s is %d, want %d", name, sums[name], want)
		}
	}
	a := p.accounts(t)[0]
	if a.Open != 0 || a.ForfeitedNano == 0 || a.SpentNano != 16_000*answered+a.ForfeitedNano || a.CommittedNano != a.SpentNano {
		t.Errorf("account %+v", a)
	}
	p.end(t, 0)
	wantStored(t, dir, answered)

	// Killed altogether, with the budget kept.
	p = start(t, configText(up.URL, outer(1, dir)))
	if got := p.accounts(t)[0]; got.SpentNano != a.SpentNano || got.CommittedNano != a.CommittedNano {
		t.Errorf("after a restart with fewer workers: %+v, before: %+v", got, a)
	}
	p.Process.Kill()
	p.Wait()
	p = start(t, configText(up.URL, outer(2, dir)))
	if got := p.accounts(t)[0]; got.SpentNano != a.SpentNano || got.Open != 0 {
		t.Errorf("after a kill: %+v, before: %+v", got, a)
	}
	p.end(t, 0)
}

// TestOneBudgetOverFourWorkers: the budget has room for exactly 50 answers once
// settled; whichever workers take the requests, it is never passed.
func TestOneBudgetOverFourWorkers(t *testing.T) {
	up := newUpstream(t)
	text := strings.Replace(configText(up.URL, outer(4, stateDir(t))), "budget: {dollars: 1, tokens: 100000}", "budget: {dollars: 0.0008}", 1)
	p := start(t, text)
	var asking sync.WaitGroup
	for range 8 {
		asking.Go(func() {
			for range 30 {
				got := chat(t, p.addr, token, chatBody("hi", false))
				if got.status != 200 && got.header.Get("X-Tollgate-Error") != "insufficient_quota" {
					t.Errorf("%d %s", got.status, got.body)
				}
			}
		})
	}
	asking.Wait()
	eventually(t, "all is settled", func() bool { return p.ledger(t)["in_flight"] == 0 })
	a := p.accounts(t)[0]
	if a.SpentNano > 800_000 || a.SpentNano != 16_000*p.ledger(t)["answered"] || a.CommittedNano != a.SpentNano || a.Open != 0 {
		t.Errorf("account %+v", a)
	}
	if a.SpentNano < 500_000 {
		t.Errorf("only %d of 800000 could be spent", a.SpentNano)
	}
	p.end(t, 0)
}

func TestWorkersWhoseStoreCannotBeOpenedEndTheGateway(t *testing.T) {
	up := newUpstream(t)
	dir := stateDir(t)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/log", []byte("not a folder"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "gateway.yaml")
	if err := os.WriteFile(path, []byte(configText(up.URL, outer(2, dir))), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := programCommand("--config", path)
	done := make(chan struct{})
	context.AfterFunc(ctx, func() {
		select {
		case <-done:
		default:
			cmd.Process.Kill()
		}
	})
	out, _ := cmd.CombinedOutput()
	close(done)
	if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "ended before it was ready") || !strings.Contains(string(out), "open log store sqlite") {
		t.Errorf("exit status %d: %s", cmd.ProcessState.ExitCode(), out)
	}
}
