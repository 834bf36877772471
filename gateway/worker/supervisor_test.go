//go:build linux

package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if err := beWorker(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// beWorker is the worker process of these tests. Its payload says how it
// behaves; to whoever connects it tells its pid, then waits for the line "die".
func beWorker() error {
	j, ok, err := Inherit()
	if !ok || err != nil {
		return err
	}
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	switch string(j.Payload) {
	case "end at once":
		os.Exit(3)
	case "never ready":
		select {}
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
	}
	var open sync.WaitGroup
	go func() {
		for {
			conn, err := j.Listener.Accept()
			if err != nil {
				return
			}
			open.Go(func() { serveTest(j, conn) })
		}
	}()
	if err := j.Ready(); err != nil {
		return err
	}
	select {
	case <-terminated:
	case <-j.Gone:
	}
	j.Listener.Close()
	open.Wait()
	os.Exit(0)
	return nil
}

func serveTest(j *Job, conn net.Conn) {
	defer conn.Close()
	fmt.Fprintf(conn, "%d %d/%d %s\n", os.Getpid(), j.Slot, j.Count, fileText(j))
	line, _ := bufio.NewReader(conn).ReadString('\n')
	if line == "die\n" {
		os.Exit(4)
	}
	io.WriteString(conn, "bye\n")
}

func fileText(j *Job) string {
	if len(j.Files) == 0 {
		return ""
	}
	b := make([]byte, 100)
	n, _ := j.Files[0].ReadAt(b, 0)
	return string(b[:n])
}

type running struct {
	*Supervisor
	cancel context.CancelFunc
	end    chan error
}

func run(t *testing.T, opts Options) *running {
	t.Helper()
	if opts.Addr == "" {
		opts.Addr = "127.0.0.1:0"
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.DrainTimeout == 0 {
		opts.DrainTimeout = 10 * time.Second
	}
	s, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{Supervisor: s, cancel: cancel, end: make(chan error, 1)}
	done := make(chan struct{})
	go func() {
		r.end <- s.Run(ctx)
		close(done)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return r
}

func (r *running) waitReady(t *testing.T) {
	t.Helper()
	select {
	case <-r.Ready():
	case err := <-r.end:
		t.Fatalf("ended before it was ready: %v", err)
	case <-time.After(30 * time.Second):
		t.Fatal("not ready")
	}
}

// conn is a connection to some worker, and what it said first.
type conn struct {
	net.Conn
	*bufio.Reader
	pid   int
	hello string
}

func (r *running) dial(t *testing.T) *conn {
	t.Helper()
	c, err := net.Dial("tcp", r.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(30 * time.Second))
	b := bufio.NewReader(c)
	line, err := b.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, _, _ := strings.Cut(line, " ")
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatalf("worker said %q", line)
	}
	return &conn{c, b, n, strings.TrimSpace(line)}
}

// eventually polls a condition that only the outside can show.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatalf("never: %s", what)
		case <-tick.C:
		}
	}
}

func TestWorkersShareOnePort(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "shared")
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("shared words")
	large := strings.Repeat("x", 1<<20) // more than a pipe holds
	r := run(t, Options{Count: 3, Payload: []byte(large), Files: []*os.File{f}})
	r.waitReady(t)
	pids := make(map[int]bool)
	for _, s := range r.States() {
		if s.PID == 0 || !s.Ready || s.Restarts != 0 {
			t.Errorf("state %+v", s)
		}
		pids[s.PID] = true
	}
	if len(pids) != 3 {
		t.Fatalf("workers %v", pids)
	}
	served := make(map[int]bool)
	eventually(t, "every worker serves", func() bool {
		c := r.dial(t)
		if !pids[c.pid] || !strings.HasSuffix(c.hello, "/3 shared words") {
			t.Fatalf("worker said %q", c.hello)
		}
		served[c.pid] = true
		return len(served) == 3
	})
}

func TestTwoSupervisorsNeverShareAPort(t *testing.T) {
	r := run(t, Options{Count: 2})
	r.waitReady(t)
	if _, err := New(Options{Count: 2, Addr: r.Addr()}); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("error %v, want address in use", err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if _, err := New(Options{Count: 2, Addr: ln.Addr().String()}); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("error %v, want address in use", err)
	}
}

func TestAKilledWorkerComesBackAndTheOthersServeOn(t *testing.T) {
	var died atomic.Int64
	died.Store(-1)
	r := run(t, Options{Count: 4, Died: func(slot int) { died.Store(int64(slot)) }})
	r.waitReady(t)
	victim := r.States()[2]
	other := r.dial(t)
	for other.pid == victim.PID {
		other = r.dial(t)
	}
	if err := syscall.Kill(victim.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "slot 2 has another worker", func() bool {
		s := r.States()[2]
		return s.Ready && s.PID != victim.PID && s.Restarts == 1
	})
	if died.Load() != 2 {
		t.Errorf("the death of slot %d was told", died.Load())
	}
	// Every connection is answered, also those that the kernel queued for the
	// slot while nobody was in it.
	for range 40 {
		r.dial(t)
	}
	io.WriteString(other, "\n")
	if line, err := other.ReadString('\n'); line != "bye\n" {
		t.Errorf("the other worker's connection: %q, %v", line, err)
	}
	select {
	case <-r.end:
		t.Error("the supervisor ended")
	default:
	}
}

func TestDrainWaitsForOpenConnections(t *testing.T) {
	r := run(t, Options{Count: 2})
	r.waitReady(t)
	c := r.dial(t)
	r.cancel()
	eventually(t, "the port is closed", func() bool {
		c, err := net.Dial("tcp", r.Addr())
		if err == nil {
			c.Close()
		}
		return errors.Is(err, syscall.ECONNREFUSED)
	})
	if !r.Draining() {
		t.Error("not draining")
	}
	io.WriteString(c, "\n")
	if line, err := c.ReadString('\n'); line != "bye\n" {
		t.Errorf("a connection that was open: %q, %v", line, err)
	}
	if err := <-r.end; err != nil {
		t.Error(err)
	}
	r.end <- nil
	for _, s := range r.States() {
		if s.PID != 0 {
			t.Errorf("%+v is still there", s)
		}
	}
}

func TestAWorkerThatDiesAgainAndAgainEndsTheGateway(t *testing.T) {
	r := run(t, Options{Count: 2, Restart: Restart{First: time.Millisecond, Most: 4 * time.Millisecond, GiveUp: 3}})
	r.waitReady(t)
	for {
		c, err := net.Dial("tcp", r.Addr())
		if err == nil {
			io.WriteString(c, "die\n")
			io.Copy(io.Discard, c)
			c.Close()
		}
		select {
		case err := <-r.end:
			if err == nil || !strings.Contains(err.Error(), "ended 3 times in a row") || !strings.Contains(err.Error(), "exit status 4") {
				t.Errorf("error %v", err)
			}
			r.end <- nil
			return
		default:
		}
	}
}

func TestAWorkerThatNeverWasReadyEndsTheGateway(t *testing.T) {
	for payload, want := range map[string]string{"end at once": "worker %d ended before it was ready: exit status 3", "never ready": "worker %d ended before it was ready: it was not ready in 200ms"} {
		r := run(t, Options{Count: 2, Payload: []byte(payload), Restart: Restart{Ready: 200 * time.Millisecond}})
		err := <-r.end
		r.end <- nil
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf(want, 0)) && !strings.Contains(err.Error(), fmt.Sprintf(want, 1)) {
			t.Errorf("%s: error %v", payload, err)
		}
	}
}

func TestRestartDelays(t *testing.T) {
	r := Restart{}.complete()
	for unsound, want := range map[int]time.Duration{1: 0, 2: 100 * time.Millisecond, 3: 200 * time.Millisecond, 7: 3200 * time.Millisecond, 8: 5 * time.Second, 1000: 5 * time.Second} {
		if got := r.delay(unsound); got != want {
			t.Errorf("after %d: %v, want %v", unsound, got, want)
		}
	}
}

// supervising makes the test binary a supervisor that can be killed.
const supervising = "WORKER_TEST_SUPERVISE"

func TestWorkersEndWithTheirSupervisor(t *testing.T) {
	if os.Getenv(supervising) != "" {
		s, err := New(Options{Count: 2, Addr: "127.0.0.1:0", DrainTimeout: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		go s.Run(context.Background())
		<-s.Ready()
		for _, st := range s.States() {
			fmt.Println("pid", st.PID)
		}
		select {}
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestWorkersEndWithTheirSupervisor$")
	cmd.Env = append(os.Environ(), supervising+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	var pids []int
	for lines := bufio.NewScanner(out); len(pids) < 2 && lines.Scan(); {
		var pid int
		if n, _ := fmt.Sscanf(lines.Text(), "pid %d", &pid); n == 1 {
			pids = append(pids, pid)
		}
	}
	if len(pids) != 2 {
		t.Fatalf("workers %v", pids)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	for _, pid := range pids {
		eventually(t, fmt.Sprintf("worker %d has ended", pid), func() bool { return !alive(pid) })
	}
}

// alive reports whether pid runs; a zombie that nobody has waited for does not.
func alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(b), ") ")
	return !strings.HasPrefix(after, "Z")
}
