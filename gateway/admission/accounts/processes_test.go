//go:build unix

package accounts

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/admission"
	"github.com/tollgate-lab/tollgate/gateway/shm/shmfile"
)

const (
	childSlot = "ACCOUNTS_TEST_SLOT"
	budget    = 100_000
	cost      = 10
)

var layout = shmfile.LayoutOf(LayoutName)

func TestMain(m *testing.M) {
	if slot, err := strconv.Atoi(os.Getenv(childSlot)); err == nil {
		if err := spend(slot); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func budgeted() Key {
	k := named("k")
	k.BudgetNano = budget
	return k
}

// spend is a worker process: it spends until the budget is gone, says how many
// requests it was admitted, and keeps one reservation when told "hold".
func spend(slot int) error {
	m, err := shmfile.Attach(os.NewFile(3, "region"), layout)
	if err != nil {
		return err
	}
	b, err := NewBook(m.Region, []Key{budgeted()}, slot)
	if err != nil {
		return err
	}
	in := bufio.NewReader(os.Stdin)
	order, err := in.ReadString('\n')
	if err != nil {
		return err
	}
	if order == "hold\n" {
		var r admission.Reservation
		if v := b.Reserve(noon, 0, costing(cost, 1), &r); v.Reason != admission.ReasonNone {
			return fmt.Errorf("hold: %q", v.Reason)
		}
		fmt.Println("held")
		_, err := in.ReadString('\n') // until killed
		return err
	}
	var admitted int
	for {
		var r admission.Reservation
		v := b.Reserve(noon, 0, costing(cost, 1), &r)
		switch {
		case v.Reason == admission.ReasonNone:
			b.Settle(noon, &r, admission.Usage{PromptTok: 1}, cost)
			admitted++
		case v.RetryAfterNs == int64(RetryTotal):
			fmt.Println(admitted)
			return nil
		}
	}
}

type process struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(t *testing.T, m *shmfile.Mapping, slot int) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childSlot+"="+strconv.Itoa(slot))
	cmd.ExtraFiles = []*os.File{m.File()}
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return &process{cmd, in, bufio.NewReader(out)}
}

func (p *process) order(t *testing.T, what string) {
	t.Helper()
	if _, err := io.WriteString(p.in, what+"\n"); err != nil {
		t.Fatal(err)
	}
}

func (p *process) answer(t *testing.T) string {
	t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		t.Fatalf("worker process: %v", err)
	}
	return strings.TrimSpace(line)
}

// TestProcessesSpendOneBudgetExactly has three processes race for one budget
// while a fourth holds a reservation and is killed: what it held stays charged,
// so the others together get exactly the rest.
func TestProcessesSpendOneBudgetExactly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "accounts.shm")
	m, err := shmfile.Open(path, Words(1), layout)
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, m.Region, 0, budgeted())

	victim := start(t, m, 9)
	victim.order(t, "hold")
	if s := victim.answer(t); s != "held" {
		t.Fatal(s)
	}
	var workers []*process
	for slot := 1; slot <= 3; slot++ {
		workers = append(workers, start(t, m, slot))
	}
	for _, w := range workers {
		w.order(t, "spend")
	}
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	victim.Wait()
	if f := Reconcile(m.Region, 9); f.Reservations != 1 || f.Nano != cost {
		t.Errorf("forfeit %+v", f)
	}
	total := 0
	for _, w := range workers {
		n, err := strconv.Atoi(w.answer(t))
		if err != nil {
			t.Fatal(err)
		}
		total += n
		if err := w.Wait(); err != nil {
			t.Error(err)
		}
	}
	if want := budget/cost - 1; total != want {
		t.Errorf("the others were admitted %d times, want %d", total, want)
	}
	wantSums(t, b, noon, budget, budget, 0)

	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	m, err = shmfile.Open(path, Words(1), layout)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	wantSums(t, open(t, m.Region, 0, budgeted()), noon, budget, budget, 0)
}
