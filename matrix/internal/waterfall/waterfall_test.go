package waterfall

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/matrix/bodies"
	"github.com/tollgate-lab/tollgate/matrix/internal/proc"
	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

func TestOrder(t *testing.T) {
	for _, c := range []struct {
		story    string
		n, block int
		want     []int
	}{
		{"forth and back", 3, 0, []int{0, 1, 2, 2, 1, 0}},
		{"then back and forth", 3, 1, []int{2, 1, 0, 0, 1, 2}},
		{"two are ABBA", 2, 2, []int{0, 1, 1, 0}},
	} {
		if diff := cmp.Diff(c.want, order(c.n, c.block)); diff != "" {
			t.Errorf("%s: %s", c.story, diff)
		}
	}
}

// host is a made-up process: a clock of CPU time that its subjects turn.
type host struct {
	cpu      time.Duration
	objects  uint64
	drift    time.Duration // what each call costs more than the one before
	calls    int
	visited  []string
	cleaned  int
	refuseAt int
}

func (h *host) gauge() gauge {
	return gauge{
		cpu:   func() (time.Duration, error) { return h.cpu, nil },
		alloc: func() (objects, bytes uint64) { return h.objects, 10 * h.objects },
		clean: func() { h.cleaned++ },
	}
}

// fake costs so much a call, and so much more when it settles.
type fake struct {
	h             *host
	name          string
	cost, pending time.Duration
	objects       uint64
	owed          int
}

var errRefused = errors.New("refused")

func (f *fake) Call() error {
	f.h.calls++
	if f.h.refuseAt > 0 && f.h.calls >= f.h.refuseAt {
		return errRefused
	}
	f.h.cpu += f.cost + time.Duration(f.h.calls)*f.h.drift
	f.h.objects += f.objects
	f.owed++
	if n := len(f.h.visited); n == 0 || f.h.visited[n-1] != f.name {
		f.h.visited = append(f.h.visited, f.name)
	}
	return nil
}

func (f *fake) Settle(context.Context) error {
	f.h.cpu += time.Duration(f.owed) * f.pending
	f.owed = 0
	return nil
}

func fakes(h *host) []subject {
	return []subject{
		&fake{h: h, name: "proxy", cost: 1000},
		&fake{h: h, name: "auth", cost: 1200},
		&fake{h: h, name: "log", cost: 1500, pending: 500, objects: 2},
	}
}

// What a layer leaves to a goroutine is charged to it, the run-in to nobody,
// and a drift that is even over a block to all alike.
func TestMeasure(t *testing.T) {
	for _, block := range []int{0, 1} {
		for _, drift := range []time.Duration{0, 3} {
			h := &host{drift: drift}
			got, err := measure(t.Context(), fakes(h), 160, block, h.gauge())
			if err != nil {
				t.Fatal(err)
			}
			var step []int64
			for i := 1; i < len(got); i++ {
				step = append(step, (got[i].CPUNs-got[i-1].CPUNs)/160)
			}
			if diff := cmp.Diff([]int64{200, 800}, step); diff != "" {
				t.Errorf("block %d, drift %v: %s", block, drift, diff)
			}
			if diff := cmp.Diff(results.LayerBlock{CPUNs: got[2].CPUNs, Allocs: 320, Bytes: 3200}, got[2]); diff != "" {
				t.Error(diff)
			}
			want := "proxy auth log auth proxy"
			if block == 1 {
				want = "log auth proxy auth log"
			}
			if s := strings.Join(h.visited, " "); s != want || h.cleaned != 6 {
				t.Errorf("block %d visits %s, collects %d times", block, s, h.cleaned)
			}
		}
	}
}

func TestMeasureStops(t *testing.T) {
	h := &host{refuseAt: 30}
	if _, err := measure(t.Context(), fakes(h), 160, 0, h.gauge()); !errors.Is(err, errRefused) {
		t.Errorf("a call that fails: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errRefused)
	if _, err := measure(ctx, fakes(new(host)), 160, 0, h.gauge()); !errors.Is(err, errRefused) {
		t.Errorf("cancelled: %v", err)
	}
	g := h.gauge()
	g.cpu = func() (time.Duration, error) { return 0, proc.ErrUnsupported }
	if _, err := measure(t.Context(), fakes(new(host)), 160, 0, g); !errors.Is(err, proc.ErrUnsupported) {
		t.Errorf("a system that tells no CPU time: %v", err)
	}
}

// Each configuration has one stage more, from none to all that a governed
// gateway has; a layer either adds or says why not.
func TestLayers(t *testing.T) {
	var got []string
	configs := configurations(Layers())
	for i, l := range Layers() {
		if l.Name == "" || (l.Add == nil) == (l.Absent == "") || (configs[i] == nil) != (l.Add == nil) {
			t.Errorf("layer %+v", l)
		}
		if configs[i] != nil {
			got = append(got, fmt.Sprintf("%s %+v", l.Name, *configs[i]))
		} else {
			got = append(got, l.Name)
		}
	}
	want := []string{
		fmt.Sprintf("proxy %+v", exchange.Stages{}),
		fmt.Sprintf("auth %+v", exchange.Stages{Auth: true}),
		fmt.Sprintf("admission %+v", exchange.Stages{Auth: true, Admission: true}),
		"guard", "cache look-up",
		fmt.Sprintf("ledger %+v", exchange.Stages{Auth: true, Admission: true, Ledger: true}),
		fmt.Sprintf("log %+v", exchange.Stages{Auth: true, Admission: true, Ledger: true, Log: true}),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestRun measures the real layers, small: every configuration answers, the
// log stores its rows, and nothing below it allocates.
func TestRun(t *testing.T) {
	if _, err := proc.Self(); errors.Is(err, proc.ErrUnsupported) {
		t.Skip("this system does not tell a process's CPU time")
	}
	body, ok := bodies.Embedded("90B")
	if !ok {
		t.Fatal("no body")
	}
	for _, every := range []int{0, 1} {
		c := &contract.Cell{
			Section: "waterfall", Shape: contract.Direct, Target: "gateway", Profile: contract.Governed, Surface: "waterfall",
			Body: "90B", StreamEvery: every, Frames: 8 * every, Conc: 1, LogStore: "sqlite", Durability: "async",
			Requests: 401, Warmup: 50,
		}
		w, err := Run(t.Context(), &stack.Site{Dir: t.TempDir()}, c, body, 0, 2)
		if err != nil {
			t.Fatal(err)
		}
		if w.Calls != 400 || len(w.Layers) != len(Layers()) {
			t.Errorf("%+v", w)
		}
		for _, l := range w.Layers {
			if l.Absent != "" {
				continue
			}
			if len(l.Blocks) != 2 {
				t.Errorf("%s: %d blocks, want 2", l.Name, len(l.Blocks))
			}
			for _, b := range l.Blocks {
				// Other goroutines of the test's process allocate now and then.
				if b.CPUNs <= 0 || !raceDetector && l.Name != "log" && b.Allocs > w.Calls/2 {
					t.Errorf("%s: %+v", l.Name, b)
				}
			}
		}
	}
}
