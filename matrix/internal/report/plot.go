package report

import (
	"strings"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// PlotsDir is where the plots stand, seen from BENCHMARKS.md.
const PlotsDir = "results/plots"

// along is the axis of a plot.
type along struct {
	axis
	at    func(*contract.Cell) int
	clear func(*contract.Cell)
}

var (
	alongConc    = along{axisConc, concOf, clearConc}
	alongWorkers = along{axisWorkers, workersOf, clearWorkers}
)

// plotted is the sections that have plots, and along which axis.
var plotted = map[string]along{
	"concurrency-external":  alongConc,
	"concurrency-inprocess": alongConc,
	"workers":               alongWorkers,
}

// Plots draws the headline sections: SVG files by name, for PlotsDir.
func Plots(in Input) (map[string][]byte, error) {
	if err := in.Published.Validate(in.Runs); err != nil {
		return nil, err
	}
	out := make(map[string][]byte)
	d := newData(in)
	names := append(sortedKeys(plotted), enginesName, waterfallName)
	for _, name := range names {
		v, ok := d.view(name)
		if !ok {
			continue
		}
		for _, p := range v.plots() {
			out[p.file] = p.draw()
		}
	}
	return out, nil
}

// plot is one picture of a section.
type plot struct {
	file  string
	title string
	draw  func() []byte
}

// plots is empty for a section that has none, or nothing to draw.
func (v *view) plots() []plot {
	switch v.name {
	case enginesName:
		return enginePlots(v)
	case waterfallName:
		return waterfallPlots(v)
	}
	along, ok := plotted[v.name]
	if !ok {
		return nil
	}
	var out []plot
	series := alongAxis(v.measured(false), along.at, along.clear)
	under := underText(series)
	c := chart{title: "Requests per second: " + titleOf(v.name), under: under, x: along.title, y: "req/s"}
	for _, floor := range []bool{false, true} {
		var l line
		for _, s := range alongAxis(v.measured(floor), along.at, along.clear) {
			if at := along.of(&s.Cell); at != none {
				l.points = append(l.points, point{at, s.Spread(perSecond)})
			}
		}
		if len(l.points) > 1 {
			l.name = "gateway"
			if floor {
				l.name = "floor"
			}
			c.lines = append(c.lines, l)
		}
	}
	if len(c.lines) > 0 {
		out = append(out, plot{file: v.name + ".svg", title: c.name(), draw: c.svg})
	}
	b := chart{title: "CPU-µs per request: " + titleOf(v.name) + " (whiskers: range of the sum over repetitions)", under: under, x: along.title, y: "CPU-µs"}
	for _, piece := range []struct {
		name string
		of   usageOf
	}{
		{"gateway", gatewayUsage}, {"generator", generatorUsage}, {"mock", mockUsage}, {"PostgreSQL", postgresUsage},
	} {
		l := line{name: piece.name}
		for _, s := range series {
			if at := along.of(&s.Cell); at != none {
				l.points = append(l.points, point{at, s.Spread(cpuPerRequest(piece.of))})
			}
		}
		if results.SpreadOf(medians(l.points)).Max > 0 {
			b.lines = append(b.lines, l)
		}
	}
	for _, s := range series {
		if at := along.of(&s.Cell); at != none {
			b.total = append(b.total, point{at, s.Spread(cpuOfPieces)})
		}
	}
	if len(b.lines) > 0 {
		out = append(out, plot{file: v.name + "-cpu.svg", title: b.name(), draw: b.stacked})
	}
	return out
}

// cpuOfPieces is the CPU-µs per request of all pieces that have processes of
// their own.
func cpuOfPieces(r *results.Repetition) (sum float64, ok bool) {
	for _, u := range []usageOf{gatewayUsage, generatorUsage, mockUsage, postgresUsage} {
		if us, has := cpuPerRequest(u)(r); has {
			sum, ok = sum+us, true
		}
	}
	return sum, ok
}

// underText is the conditions under which every point of a plot was measured.
func underText(series []*results.Series) string {
	var out []string
	cells := cellsOf(series, nil)
	if len(cells) == 0 {
		return ""
	}
	out = append(out, "shape "+string(cells[0].Shape))
	for _, a := range []axis{axisEngine, axisProfile, axisLog, axisStreams} {
		if values := distinct(cells, a); len(values) == 1 && values[0] != none {
			out = append(out, a.title+" "+values[0])
		}
	}
	return strings.Join(out, ", ")
}

func titleOf(section string) string {
	for _, s := range sections {
		if s.name == section {
			return s.title
		}
	}
	return section
}

func medians(points []point) []float64 {
	var out []float64
	for _, p := range points {
		out = append(out, p.y.Median)
	}
	return out
}

// plots adds the section's pictures to its text.
func (t *text) plots(v *view) {
	for _, p := range v.plots() {
		t.parts = append(t.parts, part{paragraph: p.title, image: PlotsDir + "/" + p.file})
	}
}

func shapeOf(v *view) string {
	for _, c := range cellsOf(v.load, v.without) {
		if c.Shape != contract.Direct {
			return "shape " + string(c.Shape)
		}
	}
	return "shape " + string(contract.Direct)
}
