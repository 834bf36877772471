package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// A stage is one step of the staged profile, measured under load of one
// request in flight or by direct calls.
type stage struct {
	cell *contract.Cell
	p50  results.Quantile
	p99  results.Quantile
	cpu  results.Spread // CPU-µs per request: the gateway's, or the caller's when direct

	together     results.Spread // share of content frames
	size         int64          // requests, or direct calls, in a repetition
	failed       int64
	audit, marks string
}

// stagesOf is every stage of a section that was measured, in order: the
// floor, then profiles from few features to many, then bodies from small to
// large, then streams.
func stagesOf(v *view) ([]stage, error) {
	var out []stage
	for _, s := range v.load {
		if len(s.Reps) == 0 {
			continue
		}
		qs, err := s.Quantiles(results.ServiceTime, 50, 99)
		if err != nil {
			return nil, err
		}
		if qs == nil {
			continue
		}
		out = append(out, stage{
			cell: &s.Cell, p50: qs[0], p99: qs[1],
			cpu:      s.Spread(cpuPerRequest(gatewayUsage)),
			together: s.Spread(framesTogether), size: int64(s.Cell.Requests),
			failed: failures(s), audit: auditText(s), marks: marksText(s),
		})
	}
	for _, s := range v.without {
		qs, err := s.CallQuantiles(50, 99)
		if err != nil {
			return nil, err
		}
		if qs == nil {
			continue
		}
		st := stage{cell: &s.Cell, p50: qs[0], p99: qs[1], size: most(s), cpu: s.Spread(directCPU), audit: none, marks: none}
		for _, r := range s.Records {
			if r.Direct != nil {
				st.failed += r.Direct.Failures
			}
		}
		out = append(out, st)
	}
	sortStages(out)
	return out, nil
}

// most is the number of direct calls in a repetition.
func most(s *results.SectionSeries) int64 {
	var n ranged
	for _, r := range s.Records {
		if r.Direct != nil {
			n.add(r.Direct.Calls)
		}
	}
	return n.hi
}

func directCPU(s *results.Section) (float64, bool) {
	if s.Direct == nil || s.Direct.Calls == 0 {
		return 0, false
	}
	return float64(s.Direct.CPUNs) / 1e3 / float64(s.Direct.Calls), true
}

// step is a difference between two stages that the section is about.
type step struct {
	name     string
	from, to func(*contract.Cell) bool
}

func is(target string, profile contract.Profile, bytes int, streamed bool) func(*contract.Cell) bool {
	return func(c *contract.Cell) bool {
		return (c.Target == results.TargetFloor) == (target == results.TargetFloor) &&
			(target == results.TargetFloor || c.Profile == profile) &&
			results.BodyBytes(c.Body) == bytes && (c.StreamEvery != 0) == streamed
	}
}

// Sizes of the embedded bodies in bytes, by name.
const (
	smallBody  = 90
	middleBody = 52_000
	largeBody  = 200_000
)

var (
	floorStage    = is(results.TargetFloor, "", smallBody, false)
	bareStage     = is(results.TargetGateway, contract.Bare, smallBody, false)
	governedStage = is(results.TargetGateway, contract.Governed, smallBody, false)
	middleStage   = is(results.TargetGateway, contract.Governed, middleBody, false)
	largeStage    = is(results.TargetGateway, contract.Governed, largeBody, false)
	streamedStage = is(results.TargetGateway, contract.Governed, smallBody, true)
)

var steps = []step{
	{"the gateway itself: ungoverned − direct mock", floorStage, bareStage},
	{"governance: governed − ungoverned", bareStage, governedStage},
	{"52 KB: governed, 52 KB − 90 B", governedStage, middleStage},
	{"200 KB: governed, 200 KB − 90 B", governedStage, largeStage},
	{"streaming: governed, streamed − not", governedStage, streamedStage},
}

func stageName(c *contract.Cell) string {
	name := "gateway, " + string(c.Profile)
	switch {
	case isFloor(c):
		name = "direct mock (no gateway)"
	case c.Profile == contract.Bare:
		name = "gateway, ungoverned (bare)"
	}
	name += ", " + c.Body
	if c.StreamEvery != 0 {
		name += ", streamed"
	}
	return name
}

// difference is step over stages of one shape, both sides of one engine: the
// first in the order of names. It reports false when either side is missing.
func (s step) difference(stages []stage) (shift, bool) {
	for _, to := range stages {
		if !s.to(to.cell) {
			continue
		}
		for _, from := range stages {
			if s.from(from.cell) && (from.cell.Engine == to.cell.Engine || isFloor(from.cell)) {
				return shiftOf(from.p50, to.p50), from.p50.Samples > 0 && to.p50.Samples > 0
			}
		}
	}
	return shift{}, false
}

// stagedText is the staged profile: for each shape the stages, then the
// differences, which never leave a shape.
func stagedText(v *view) (*text, error) {
	t := new(text)
	t.minorList(v.conditions())
	stages, err := stagesOf(v)
	if err != nil {
		return nil, err
	}
	for _, group := range shapesOf(stages, func(s stage) *contract.Cell { return s.cell }) {
		heading := "End to end, shape " + string(group[0].cell.Shape)
		if group[0].cell.Shape == contract.Direct {
			heading = "Shape direct: the exchange called with no socket"
		}
		tb := &table{columns: []column{
			{title: "stage", words: true},
			{title: "requests"},
			{title: "p50 µs"},
			{title: "p99 µs"},
			{title: togetherTitle},
			{title: "CPU-µs/req"},
			{title: "failed"},
			{title: "audit", words: true},
			{title: "marks", words: true},
		}}
		var cells []*contract.Cell
		var sizes ranged
		for _, s := range group {
			cells = append(cells, s.cell)
			sizes.add(s.size)
		}
		engines := len(distinct(cells, axisEngine)) > 1
		for _, s := range group {
			name := stageName(s.cell)
			if engines && !isFloor(s.cell) {
				name += ", engine " + s.cell.Engine
			}
			if err := tb.add(s.cell.Shape, name, sizes.text(s.size),
				quantileText(s.p50, toUs), quantileText(s.p99, toUs), spreadText(s.together, toPercent), spreadText(s.cpu, asItIs),
				integer(s.failed), s.audit, s.marks); err != nil {
				return nil, err
			}
		}
		tb.prune(1)
		t.show(heading, tb)
		diff := &table{columns: []column{{title: "difference of p50", words: true}, {title: "µs"}, {title: "share"}}}
		for _, s := range steps {
			if d, ok := s.difference(group); ok {
				if err := diff.add(group[0].cell.Shape, s.name, d.text(toUs), d.share()); err != nil {
					return nil, err
				}
			}
		}
		t.show("Differences within that shape", diff)
	}
	t.list(v.notes())
	return t, nil
}

func sortStages(stages []stage) {
	slices.SortStableFunc(stages, func(a, b stage) int {
		return cmp.Or(
			// End to end comes before direct.
			cmp.Compare(boolInt(a.cell.Shape == contract.Direct), boolInt(b.cell.Shape == contract.Direct)),
			strings.Compare(string(a.cell.Shape), string(b.cell.Shape)),
			cmp.Compare(boolInt(!isFloor(a.cell)), boolInt(!isFloor(b.cell))),
			cmp.Compare(boolInt(a.cell.Profile != contract.Bare), boolInt(b.cell.Profile != contract.Bare)),
			cmp.Compare(boolInt(a.cell.StreamEvery != 0), boolInt(b.cell.StreamEvery != 0)),
			cmp.Compare(results.BodyBytes(a.cell.Body), results.BodyBytes(b.cell.Body)),
		)
	})
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
