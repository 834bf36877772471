package report

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// axis is one way in which cells differ.
type axis struct {
	title string // of its column
	words bool
	of    func(*contract.Cell) string
}

var (
	axisConc    = axis{"in flight", false, func(c *contract.Cell) string { return number(c.Conc) }}
	axisRate    = axis{"offered req/s", false, rateText}
	axisStreams = axis{"streamed", true, func(c *contract.Cell) string { return shareText(c.StreamEvery) }}
	axisWorkers = axis{"workers", false, workersText}
	axisLog     = axis{"log store", true, logText}
	axisEngine  = axis{"engine", true, func(c *contract.Cell) string { return orNone(c.Engine) }}
	axisProfile = axis{"profile", true, func(c *contract.Cell) string { return orNone(string(c.Profile)) }}
	axisSurface = axis{"surface", true, func(c *contract.Cell) string { return orNone(c.Surface) }}
	axisBody    = axis{"body", true, func(c *contract.Cell) string { return orNone(c.Body) }}
	axisFrames  = axis{"frames", false, framesText}
	axisClient  = axis{"client", true, clientText}
	axisKill    = axis{"killed", true, func(c *contract.Cell) string { return orNone(c.Kill) }}
)

// axes is every axis in the order of columns. The shape is none: it divides
// tables.
var axes = []axis{
	axisSurface, axisBody, axisConc, axisRate, axisStreams, axisFrames, axisWorkers, axisLog,
	axisProfile, axisEngine, axisClient, axisKill,
}

func number(n int) string {
	if n == 0 {
		return none
	}
	return strconv.Itoa(n)
}

// workersText is the serving processes, or in shape direct the callers, of
// which there is at least one.
func workersText(c *contract.Cell) string {
	switch {
	case c.Surface == waterfallName:
		return none
	case c.Shape == contract.Direct:
		return number(callers(c))
	}
	return number(c.Workers)
}

func orNone(s string) string {
	if s == "" {
		return none
	}
	return s
}

func rateText(c *contract.Cell) string {
	if c.RatePerS == 0 {
		return none
	}
	return fmt.Sprintf("%g %s", c.RatePerS, c.Arrivals)
}

func logText(c *contract.Cell) string {
	switch {
	case c.LogStore == "" || c.Durability == "" || c.LogStore == "off":
		return orNone(c.LogStore)
	}
	return c.LogStore + " (" + c.Durability + ")"
}

func clientText(c *contract.Cell) string {
	if c.Client == "" {
		return "lean"
	}
	return c.Client
}

func framesText(c *contract.Cell) string {
	switch {
	case c.Frames == 0:
		return none
	case c.Coalesce:
		return strconv.Itoa(c.Frames) + " together"
	}
	return strconv.Itoa(c.Frames)
}

func targetText(c *contract.Cell) string {
	if isFloor(c) {
		return "floor"
	}
	return c.Target
}

func shareText(every int) string {
	switch every {
	case 0:
		return "never"
	case 1:
		return "always"
	}
	return fmt.Sprintf("1 in %d", every)
}

// distinct is the values of an axis over cells, in order of appearance. The
// floor and the proxies have no gateway, so their cells say nothing where theirs
// is empty.
func distinct(cells []*contract.Cell, a axis) []string {
	var out []string
	for _, c := range cells {
		v := a.of(c)
		if v == none && c.Target != results.TargetGateway || slices.Contains(out, v) {
			continue
		}
		out = append(out, v)
	}
	return out
}

// varying is the axes of which cells hold more than one value, those of first
// always.
func varying(cells []*contract.Cell, first ...axis) []axis {
	out := slices.Clone(first)
	for _, a := range axes {
		if slices.ContainsFunc(out, func(b axis) bool { return a.title == b.title }) {
			continue
		}
		if len(distinct(cells, a)) > 1 {
			out = append(out, a)
		}
	}
	return out
}

func cellsOf(load []*results.Series, without []*results.SectionSeries) []*contract.Cell {
	var out []*contract.Cell
	for _, s := range load {
		out = append(out, &s.Cell)
	}
	for _, s := range without {
		out = append(out, &s.Cell)
	}
	return out
}

// cellName names a cell within its section by the axes that vary there.
func cellName(c *contract.Cell, by []axis) string {
	name := targetText(c)
	for _, a := range by {
		if v := a.of(c); v != none {
			name += ", " + a.title + " " + v
		}
	}
	return name
}
