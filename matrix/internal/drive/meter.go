package drive

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tollgate-lab/tollgate/matrix/internal/proc"
	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// meter reads what the pieces of a stack use while it is under load.
type meter struct {
	// roots is the process trees by piece; 0 is this process alone, which the
	// sampler leaves out.
	roots   map[string]int
	sampler *proc.Sampler
	before  map[string]*proc.Reading
}

// self is the name of this process, in shape inprocess.
const self = "process"

func startMeter(s *stack.Stack) *meter {
	m := &meter{roots: s.Roots(), before: make(map[string]*proc.Reading)}
	m.sampler = proc.StartSampler(maps.Clone(m.roots), proc.SampleEvery)
	if s.Cell.Shape == contract.InProcess {
		m.roots[self] = 0
	}
	for name, pid := range m.roots {
		if r, err := read(pid); err == nil {
			m.before[name] = r
		}
	}
	return m
}

// read reads a tree; pid 0 is this process without its children.
func read(pid int) (*proc.Reading, error) {
	if pid == 0 {
		return proc.ReadSelf()
	}
	return proc.Read(pid)
}

// used is what the pieces used.
type used struct {
	series   *proc.Series
	by       map[string]proc.Use // over warm-up and measured part: all but CPU time
	warnings []string
}

func (m *meter) stop() *used {
	u := &used{series: m.sampler.Stop(), by: make(map[string]proc.Use)}
	var missing []string
	for name, pid := range m.roots {
		after, err := read(pid)
		if err != nil || m.before[name] == nil {
			missing = append(missing, fmt.Sprintf("%s (%v)", name, err))
			continue
		}
		if use, err := proc.Between(m.before[name], after); err == nil {
			u.by[name] = use
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		u.warnings = append(u.warnings, "resources not read: "+strings.Join(missing, ", "))
	}
	return u
}

// resources puts the sampled CPU time of the measured part beside the rest.
func (u *used) resources(run *stack.Run, c *contract.Cell) results.Resources {
	of := func(name string) *results.Usage {
		use, ok := u.by[name]
		if !ok {
			return nil
		}
		cpu, ok := u.series.Between(name, run.Started, run.Finished)
		if name == self {
			// The generator's own reading of this process, at the exact moments.
			cpu, ok = run.CPUNs, run.CPUNs > 0
		}
		if !ok {
			u.warnings = append(u.warnings, "no CPU time of "+name+" over the measured part")
			return nil
		}
		return &results.Usage{
			CPUNs: cpu, PeakRSSBytes: use.PeakRSSBytes,
			VoluntarySwitches: use.Voluntary, InvoluntarySwitches: use.Involuntary, Processes: use.Processes,
		}
	}
	if c.Shape == contract.InProcess {
		return results.Resources{Process: of(self), Postgres: of("postgres")}
	}
	return results.Resources{Gateway: of("gateway"), Mock: of("mock"), Postgres: of("postgres"), Generator: run.Usage}
}

func coresBusy(r *results.Resources, ns int64) float64 {
	if ns <= 0 {
		return 0
	}
	var cpu int64
	for _, u := range []*results.Usage{r.Gateway, r.Generator, r.Mock, r.Postgres, r.Process} {
		if u != nil {
			cpu += u.CPUNs
		}
	}
	return float64(cpu) / float64(ns)
}
