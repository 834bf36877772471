package report

import (
	"fmt"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// Input is what a report is made from.
type Input struct {
	Published *results.Published
	Runs      map[string]*results.Run // by name; every run that Published names
}

// Single is the input in which run feeds every section that it holds.
func Single(run *results.Run) Input {
	p := &results.Published{Version: 1, Sections: make(map[string]string)}
	for _, s := range run.SectionNames() {
		p.Sections[s] = run.Header.Name
	}
	return Input{Published: p, Runs: map[string]*results.Run{run.Header.Name: run}}
}

// data is an input with the views made so far: making one decodes histograms.
type data struct {
	Input
	made map[string]*view
}

func newData(in Input) *data { return &data{Input: in, made: make(map[string]*view)} }

// view is one section's data.
type view struct {
	name    string
	run     *results.Run
	load    []*results.Series
	without []*results.SectionSeries // measured without load
}

// view reports false when no run feeds the section.
func (in *data) view(name string) (*view, bool) {
	if v := in.made[name]; v != nil {
		return v, true
	}
	runName, ok := in.Published.Sections[name]
	if !ok {
		return nil, false
	}
	run := in.Runs[runName]
	v := &view{
		name:    name,
		run:     run,
		load:    results.SeriesOf(run, name),
		without: results.SectionSeriesOf(run, name),
	}
	in.made[name] = v
	return v, true
}

// views is every section that is fed, in the report's order, then those that
// the report does not know, by name.
func (in *data) views() []*view {
	var out []*view
	known := make(map[string]bool)
	for _, s := range sections {
		known[s.name] = true
		if v, ok := in.view(s.name); ok {
			out = append(out, v)
		}
	}
	for _, name := range sortedKeys(in.Published.Sections) {
		if v, ok := in.view(name); ok && !known[name] {
			out = append(out, v)
		}
	}
	return out
}

func isFloor(c *contract.Cell) bool { return c.Target == results.TargetFloor }

// measured is the series that ran, of the floor or of what is measured.
func (v *view) measured(floor bool) []*results.Series {
	var out []*results.Series
	for _, s := range v.load {
		if len(s.Reps) > 0 && isFloor(&s.Cell) == floor {
			out = append(out, s)
		}
	}
	return out
}

// floorOf is the floor under s: the same load sent straight to the mock.
func (v *view) floorOf(s *results.Series) *results.Series {
	return v.find(func(c *contract.Cell) bool {
		return isFloor(c) && sameLoad(c, &s.Cell)
	})
}

// sameLoad reports whether two cells put the same requests at the same pace.
func sameLoad(a, b *contract.Cell) bool {
	return a.Shape == b.Shape && a.Surface == b.Surface && a.Body == b.Body && a.StreamEvery == b.StreamEvery &&
		a.Frames == b.Frames && a.Coalesce == b.Coalesce && a.Conc == b.Conc && a.RatePerS == b.RatePerS &&
		a.Arrivals == b.Arrivals && a.Client == b.Client
}

// twin is the series that wants says yes to and that equals s once clear has
// blanked, in copies of both cells, what the two may differ in.
func (v *view) twin(s *results.Series, clear func(*contract.Cell), wants func(*contract.Cell) bool) *results.Series {
	blank := func(c contract.Cell) string {
		clear(&c)
		return c.Key()
	}
	key := blank(s.Cell)
	return v.find(func(c *contract.Cell) bool { return wants(c) && blank(*c) == key })
}

func (v *view) find(match func(*contract.Cell) bool) *results.Series {
	for _, s := range v.load {
		if len(s.Reps) > 0 && match(&s.Cell) {
			return s
		}
	}
	return nil
}

// reproduce is the command that repeats the section.
func (v *view) reproduce() string {
	if cmd := v.run.Header.SectionReproduce[v.name]; cmd != "" {
		return cmd
	}
	return v.run.Header.Reproduce
}

// at says when and from which commit the section's figures are.
func (v *view) at() string {
	h := &v.run.Header
	return fmt.Sprintf("run `%s`, %s, commit %s", h.Name, day(h.Started), commitText(&h.Sources))
}

func commitText(s *results.Sources) string {
	c := s.GatewayCommit
	if len(c) > 12 {
		c = c[:12]
	}
	if c == "" {
		c = "unknown"
	}
	if s.GatewayDirty {
		c += " with changes"
	}
	return c
}
