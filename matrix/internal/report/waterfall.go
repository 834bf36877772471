package report

import (
	"fmt"
	"strings"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// waterfallName is the section of what each layer costs; it has a plot of its
// own.
const waterfallName = "waterfall"

// layerConfidence is that of the intervals around each layer's cost.
const layerConfidence = 0.95

// belowResolution stands for a cost whose interval covers zero.
const belowResolution = "below resolution"

// fall is one cell of the waterfall: a column of its tables.
type fall struct {
	name   string // of its column
	short  string // of its bar
	layers []results.LayerCost
	all    results.LayerCost
}

func fallsOf(v *view) []fall {
	var out []fall
	for _, s := range v.without {
		layers, all := s.LayerCosts(layerConfidence)
		if layers == nil {
			continue
		}
		f := fall{name: s.Cell.Body, short: s.Cell.Body, layers: layers, all: all}
		if s.Cell.StreamEvery != 0 {
			f.name += fmt.Sprintf(", stream of %d frames", s.Cell.Frames)
			f.short += " stream"
		}
		out = append(out, f)
	}
	return out
}

// layerNames is every layer of the cells, in order.
func layerNames(falls []fall) []string {
	var out []string
	for _, f := range falls {
		for _, l := range f.layers {
			out = appendNew(out, l.Name)
		}
	}
	return out
}

func (f *fall) layer(name string) (results.LayerCost, bool) {
	for _, l := range f.layers {
		if l.Name == name {
			return l, true
		}
	}
	return results.LayerCost{}, false
}

// waterfallText is what each layer adds, a column per cell.
func waterfallText(v *view) (*text, error) {
	t := new(text)
	t.minorList(v.conditions())
	falls := fallsOf(v)
	if len(falls) == 0 {
		t.list(v.notes())
		return t, nil
	}
	for _, figure := range []struct {
		heading string
		of      func(*results.LayerCost) results.Interval
		show    func(results.Interval) string
	}{
		{"CPU-µs per request", func(l *results.LayerCost) results.Interval { return l.CPUUs }, timeInterval},
		{"Allocations per request", func(l *results.LayerCost) results.Interval { return l.Allocs }, countInterval},
		{"Bytes allocated per request", func(l *results.LayerCost) results.Interval { return l.Bytes }, countInterval},
	} {
		tb := &table{columns: []column{{title: "layer", words: true}}}
		for _, f := range falls {
			tb.columns = append(tb.columns, column{title: f.name})
		}
		for i, name := range layerNames(falls) {
			row := []string{"+ " + name}
			if i == 0 {
				row[0] = name
			}
			for _, f := range falls {
				row = append(row, f.text(name, figure.of, figure.show))
			}
			if err := tb.add(contract.Direct, row...); err != nil {
				return nil, err
			}
		}
		row := []string{"all together"}
		for _, f := range falls {
			row = append(row, figure.show(figure.of(&f.all)))
		}
		if err := tb.add(contract.Direct, row...); err != nil {
			return nil, err
		}
		t.show(figure.heading, tb)
	}
	t.list(append(waterfallReading(falls), v.notes()...))
	return t, nil
}

func (f *fall) text(layer string, of func(*results.LayerCost) results.Interval, show func(results.Interval) string) string {
	l, ok := f.layer(layer)
	switch {
	case !ok:
		return none
	case l.Absent != "":
		return "n/a"
	}
	return show(of(&l))
}

// timeInterval prints a layer's CPU time with its interval.
func timeInterval(i results.Interval) string {
	if i.Bounded() && i.Lo < i.Hi && i.CoversZero() {
		return belowResolution + " (" + significant(i.Lo) + " to " + significant(i.Hi) + ")"
	}
	return intervalText(i, significant)
}

// countInterval prints how much a layer allocates. Counts are exact but for
// what other goroutines of the process allocate now and then: an interval that
// covers zero is a layer that allocates nothing.
func countInterval(i results.Interval) string {
	if i.Bounded() && i.CoversZero() {
		return "0"
	}
	return intervalText(i, countText)
}

func intervalText(i results.Interval, show func(float64) string) string {
	lo, center, hi := show(i.Lo), show(i.Center), show(i.Hi)
	switch {
	case i.N == 0:
		return none
	case lo == hi: // or they differ in digits that are not shown
		return center
	case !i.Bounded():
		return fmt.Sprintf("n/a (%s)", plural(i.N, "block"))
	}
	return center + " (" + lo + " to " + hi + ")"
}

// waterfallReading is what has to be known to read the tables.
func waterfallReading(falls []fall) []string {
	var blocks ranged
	var absent []string
	for _, f := range falls {
		for _, l := range f.layers {
			if l.Absent != "" {
				absent = appendNew(absent, l.Name+": "+l.Absent)
				continue
			}
			blocks.add(int64(l.CPUUs.N))
		}
	}
	out := []string{
		fmt.Sprintf("Each row is what its layer adds to the configuration that ends with the row above: the median of the differences within a block (Hodges and Lehmann), with its interval of 95 %% (exact signed-rank test) over %s", blocks.of("block")),
		"*below resolution*: the interval covers zero, so the layer's cost cannot be told from none here. Of allocations it reads 0",
		"*proxy* holds the copies of body and answer that stand for reading and writing; *admission* holds reading the answer's usage, and asking a stream for it, since it is the first that settles by usage; *log* holds the store's own goroutine",
	}
	if len(absent) > 0 {
		out = append(out, "n/a: "+strings.Join(absent, "; "))
	}
	return out
}

// waterfallPlots draws each layer's share of a request's CPU time.
func waterfallPlots(v *view) []plot {
	falls := fallsOf(v)
	c := chart{
		title: "Share of a request's CPU time by layer; above each bar the CPU-µs of all together",
		under: "shape direct, profile governed, medians of the differences within a block",
		x:     "request body", y: "CPU %", over: make(map[string]string),
	}
	for _, name := range layerNames(falls) {
		l := line{name: name}
		for _, f := range falls {
			cost, ok := f.layer(name)
			sum := f.drawn()
			if !ok || cost.Absent != "" || sum == 0 {
				continue
			}
			l.points = append(l.points, point{f.short, results.Spread{N: 1, Median: 100 * max(cost.CPUUs.Center, 0) / sum}})
			c.over[f.short] = significant(f.all.CPUUs.Center)
		}
		if len(l.points) > 0 {
			c.lines = append(c.lines, l)
		}
	}
	if len(c.lines) == 0 {
		return nil
	}
	return []plot{{file: waterfallName + ".svg", title: c.name(), draw: c.stacked}}
}

// drawn is the sum of the layers as they are drawn: none costs less than
// nothing in a picture. It is a hair too large, so that the shares add up to no
// more than a whole.
func (f *fall) drawn() (sum float64) {
	for _, l := range f.layers {
		sum += max(l.CPUUs.Center, 0)
	}
	return sum * (1 + 1e-9)
}

// waterfallFindings says what each layer costs in the first cell, the smallest
// request.
func waterfallFindings(v *view) []string {
	falls := fallsOf(v)
	if len(falls) == 0 || !falls[0].all.CPUUs.Bounded() {
		return nil
	}
	f := &falls[0]
	var shown, below []string
	for _, l := range f.layers {
		switch {
		case l.Absent != "":
		case l.CPUUs.CoversZero():
			below = append(below, l.Name)
		default:
			shown = append(shown, l.Name+" "+intervalText(l.CPUUs, significant))
		}
	}
	text := fmt.Sprintf("**Layers** (shape direct, %s): of %s CPU-µs per request with no socket: %s", f.name, intervalText(f.all.CPUUs, significant), enumerate(shown))
	if len(below) > 0 {
		text += "; below resolution: " + enumerate(below)
	}
	return []string{text}
}
