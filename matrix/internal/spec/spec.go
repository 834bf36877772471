package spec

import (
	"time"
)

// Spec is one file.
type Spec struct {
	Name  string `yaml:"name"`  // short, goes into file names and headers
	Title string `yaml:"title"` // one line for people
	// Repetitions is the number of blocks: fresh runs of every cell. ≥ 1.
	Repetitions int `yaml:"repetitions"`
	// Budget is the wall time that the run is meant to end in. Noisy cells are
	// rerun only inside it. 0: no limit.
	Budget time.Duration `yaml:"budget"`
	// Seed orders the cells of each block. 0 is a seed like any other.
	Seed uint64 `yaml:"seed"`
	// CanaryLimit marks a cell noisy when its canary is above this many times
	// the run's median. 0: the default of 1.5.
	CanaryLimit float64 `yaml:"canary_limit"`
	// Defaults are the axes of every section that does not set its own.
	Defaults Axes      `yaml:"defaults"`
	Sections []Section `yaml:"sections"`

	// Source is where the text came from: "embedded quick.yaml" or a path.
	Source string `yaml:"-"`
	// Text is the file as it was read; it is stored in the run's header.
	Text []byte `yaml:"-"`
}

// Section is one table of the report.
type Section struct {
	Name  string `yaml:"name"`
	Title string `yaml:"title"`
	// Why is one sentence on what the section answers.
	Why string `yaml:"why"`
	// Floor says whether the same load is also sent straight to the mock in
	// every block: "auto" (default) or "none".
	Floor string `yaml:"floor"`
	// Axes are the section's defaults for its cells.
	Axes `yaml:",inline"`
	// Cells are axis products; the section is their union. None: the product
	// of the section's own axes.
	Cells []Axes `yaml:"cells"`
}

// Axes are the values that cells take their product over. An axis that is not
// set is inherited: cells from section, section from defaults.
type Axes struct {
	Shape       List[string]  `yaml:"shape"`        // inprocess, direct, external
	Target      List[string]  `yaml:"target"`       // gateway (default), floor, nginx, haproxy
	Engine      List[string]  `yaml:"engine"`       // conn, epoll, nethttp
	Profile     List[string]  `yaml:"profile"`      // bare, auth, governed
	Surface     List[string]  `yaml:"surface"`      // chat, embeddings, boot, waterfall
	Body        List[string]  `yaml:"body"`         // 90B, 52KB, 200KB; data: every file of the data folder
	StreamEvery List[int]     `yaml:"stream_every"` // 0 never, 1 always, N every Nth
	Frames      List[int]     `yaml:"frames"`       // content frames of a streamed answer
	Coalesce    List[bool]    `yaml:"coalesce"`     // the mock sends a stream's frames in one write
	Conc        List[int]     `yaml:"conc"`         // connections
	RatePerS    List[float64] `yaml:"rate_per_s"`   // open loop: requests per second
	Arrivals    List[string]  `yaml:"arrivals"`     // open loop: constant, poisson
	Workers     List[int]     `yaml:"workers"`      // serving processes; shape direct: goroutines that call
	Log         List[string]  `yaml:"log"`          // off, memory, STORE/DURABILITY; unset: the profile's own
	Client      List[string]  `yaml:"client"`       // lean, vegeta
	Kill        List[string]  `yaml:"kill"`         // planned fault: worker

	// Requests is measured requests per repetition, Warmup those sent first
	// and not measured. boot: starts per repetition.
	Requests *int `yaml:"requests"`
	Warmup   *int `yaml:"warmup"`
}

// Over is the axes of a with what it does not set taken from base.
func (a Axes) Over(base Axes) Axes {
	pick(&a.Shape, base.Shape)
	pick(&a.Target, base.Target)
	pick(&a.Engine, base.Engine)
	pick(&a.Profile, base.Profile)
	pick(&a.Surface, base.Surface)
	pick(&a.Body, base.Body)
	pick(&a.StreamEvery, base.StreamEvery)
	pick(&a.Frames, base.Frames)
	pick(&a.Coalesce, base.Coalesce)
	pick(&a.Conc, base.Conc)
	pick(&a.RatePerS, base.RatePerS)
	pick(&a.Arrivals, base.Arrivals)
	pick(&a.Workers, base.Workers)
	pick(&a.Log, base.Log)
	pick(&a.Client, base.Client)
	pick(&a.Kill, base.Kill)
	if a.Requests == nil {
		a.Requests = base.Requests
	}
	if a.Warmup == nil {
		a.Warmup = base.Warmup
	}
	return a
}

func pick[T any](dst *List[T], base List[T]) {
	if *dst == nil {
		*dst = base
	}
}

// Products is the axes whose products make up the section, complete.
func (s *Spec) Products(sec *Section) []Axes {
	base := sec.Axes.Over(s.Defaults)
	if len(sec.Cells) == 0 {
		return []Axes{base}
	}
	out := make([]Axes, len(sec.Cells))
	for i, a := range sec.Cells {
		out[i] = a.Over(base)
	}
	return out
}
