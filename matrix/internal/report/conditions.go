package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// conditions states under which conditions a section's figures hold: shape,
// engine, profile, log store, requests per cell, concurrency, stream share,
// and the command that repeats them.
func (v *view) conditions() []string {
	cells := cellsOf(v.load, v.without)
	var shapes []string
	for _, c := range cells {
		if s := string(c.Shape); !slices.Contains(shapes, s) {
			shapes = append(shapes, s)
		}
	}
	slices.Sort(shapes)
	said := []string{"shape " + enumerate(shapes)}
	put := func(word string, a axis) {
		if values := distinct(cells, a); len(values) > 0 && !slices.Equal(values, []string{none}) {
			said = append(said, word+" "+enumerate(without(values, none)))
		}
	}
	put("engine", axisEngine)
	put("profile", axisProfile)
	put("log store", axisLog)
	put("surface", axisSurface)
	if bodies := distinct(cells, axisBody); len(bodies) > 6 {
		said = append(said, fmt.Sprintf("%d bodies", len(bodies)))
	} else {
		put("body", axisBody)
	}
	put("in flight", axisConc)
	put("offered req/s", axisRate)
	put("workers", axisWorkers)
	if len(v.load) > 0 {
		put("streamed", axisStreams)
		put("frames per stream", axisFrames)
		put("client", axisClient)
	}

	out := []string{strings.Join(said, "; ")}
	if size := v.sizes(); size != "" {
		out = append(out, size)
	}
	out = append(out, "Source: "+v.at())
	if cmd := v.reproduce(); cmd != "" {
		cmd = "Repeat it: `" + cmd + "`"
		if slices.ContainsFunc(cells, fromData) {
			cmd += ", with `TOLLGATE_DATA` naming the folder that holds the bodies"
		}
		out = append(out, cmd)
	}
	return out
}

// fromData reports whether a cell's body is a file, not one of the embedded.
func fromData(c *contract.Cell) bool { return c.Body != "" && results.BodyBytes(c.Body) == 0 }

// sizes states requests and repetitions per cell.
func (v *view) sizes() string {
	var requests, warmup, reps, calls, starts, layered ranged
	for _, s := range v.load {
		if len(s.Reps) > 0 {
			requests.add(int64(s.Cell.Requests))
			warmup.add(int64(s.Cell.Warmup))
			reps.add(int64(len(s.Reps)))
		}
	}
	for _, s := range v.without {
		starts.add(int64(len(s.Records)))
		for _, r := range s.Records {
			if r.Direct != nil {
				calls.add(r.Direct.Calls)
			}
			if r.Waterfall != nil {
				layered.add(r.Waterfall.Calls)
			}
		}
	}
	var out []string
	if reps.seen {
		out = append(out, fmt.Sprintf("%s requests per cell and repetition%s after %s to warm up, %s", requests, requests.where(), warmup, reps.of("repetition")))
	}
	switch {
	case layered.seen:
		out = append(out, fmt.Sprintf("%s calls of each configuration in each block, half of them forth, half back", layered))
	case calls.seen:
		out = append(out, fmt.Sprintf("%s direct calls per cell and repetition, %s", calls, starts.of("repetition")))
	case starts.seen:
		out = append(out, starts.of("repetition")+" without load")
	}
	return strings.Join(out, "; ")
}

// ranged is the smallest and largest of some counts.
type ranged struct {
	lo, hi int64
	seen   bool
}

func (r *ranged) add(n int64) {
	if !r.seen {
		r.lo, r.hi, r.seen = n, n, true
	}
	r.lo, r.hi = min(r.lo, n), max(r.hi, n)
}

func (r ranged) String() string {
	if r.lo == r.hi {
		return integer(r.lo)
	}
	return integer(r.lo) + " to " + integer(r.hi)
}

// text prints n where the counts differ, else nothing: then the section says it once.
func (r ranged) text(n int64) string {
	if r.lo == r.hi {
		return none
	}
	return integer(n)
}

// where names the column that says which count is whose.
func (r ranged) where() string {
	if r.lo == r.hi {
		return ""
	}
	return " (column *requests*)"
}

// of prints the range with the word it counts.
func (r ranged) of(word string) string {
	if r.lo == 1 && r.hi == 1 {
		return "1 " + word
	}
	return r.String() + " " + word + "s"
}

func without(values []string, v string) []string {
	return slices.DeleteFunc(slices.Clone(values), func(s string) bool { return s == v })
}

// shapesOf divides series by shape: each gets tables of its own.
func shapesOf[S any](all []S, cell func(S) *contract.Cell) [][]S {
	var out [][]S
	at := make(map[contract.Shape]int)
	for _, s := range all {
		shape := cell(s).Shape
		i, ok := at[shape]
		if !ok {
			i = len(out)
			at[shape] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], s)
	}
	return out
}
