package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tollgate-lab/tollgate/matrix/internal/spec"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// DefaultFrames is the content frames of a streamed answer when a spec does
// not say.
const DefaultFrames = 16

// allBodies is the body value that stands for every file of the data folder.
const allBodies = "data"

// sectionItems is one section's cells in the spec's order, each once, followed
// by the floors that they need.
func sectionItems(s *spec.Spec, sec *spec.Section, facts Facts) ([]Item, error) {
	var items []Item
	seen := make(map[string]bool)
	add := func(c contract.Cell, skip *results.Skipped) {
		if !seen[c.Key()] {
			seen[c.Key()] = true
			items = append(items, Item{Cell: c, Skip: skip})
		}
	}
	for _, a := range s.Products(sec) {
		cells, err := product(sec.Name, &a, facts)
		if err != nil {
			return nil, err
		}
		for _, c := range cells {
			add(c, skip(&c, facts))
		}
	}
	if sec.Floor == "none" {
		return items, nil
	}
	for _, it := range items {
		if f, ok := Floor(&it.Cell); ok && it.Skip == nil {
			add(f, skip(&f, facts))
		}
	}
	return items, nil
}

// Floor is the cell that sends c's load straight to the mock. Shape direct has
// none: there is no socket to the mock.
func Floor(c *contract.Cell) (contract.Cell, bool) {
	if c.Shape == contract.Direct || c.Target == "floor" {
		return contract.Cell{}, false
	}
	f := *c
	f.Target = "floor"
	f.Engine, f.Profile, f.Workers, f.LogStore, f.Durability, f.Kill = "", "", 0, "", "", ""
	return f, true
}

// times multiplies cells by the values of one axis, or by its default when
// the axis is not set.
func times[T any](cells []contract.Cell, values []T, def T, set func(*contract.Cell, T)) []contract.Cell {
	if len(values) == 0 {
		values = []T{def}
	}
	out := make([]contract.Cell, 0, len(cells)*len(values))
	for _, c := range cells {
		for _, v := range values {
			set(&c, v)
			out = append(out, c)
		}
	}
	return out
}

// product is the cells of one set of axes, first axis outermost.
func product(section string, a *spec.Axes, facts Facts) ([]contract.Cell, error) {
	bodies := []string(a.Body)
	if slices.Equal(bodies, []string{allBodies}) && len(facts.Bodies) > 0 {
		bodies = facts.Bodies // else it stays in the plan as one skipped cell
	}
	base := contract.Cell{Section: section, Requests: *a.Requests}
	if a.Warmup != nil {
		base.Warmup = *a.Warmup
	}
	cells := []contract.Cell{base}
	cells = times(cells, a.Shape, "external", func(c *contract.Cell, v string) { c.Shape = contract.Shape(v) })
	cells = times(cells, a.Target, "gateway", func(c *contract.Cell, v string) { c.Target = v })
	cells = times(cells, a.Engine, "conn", func(c *contract.Cell, v string) { c.Engine = v })
	cells = times(cells, a.Profile, "governed", func(c *contract.Cell, v string) { c.Profile = contract.Profile(v) })
	cells = times(cells, a.Surface, "chat", func(c *contract.Cell, v string) { c.Surface = v })
	cells = times(cells, bodies, "90B", func(c *contract.Cell, v string) { c.Body = v })
	cells = times(cells, a.StreamEvery, 0, func(c *contract.Cell, v int) { c.StreamEvery = v })
	cells = times(cells, a.Frames, DefaultFrames, func(c *contract.Cell, v int) { c.Frames = v })
	cells = times(cells, a.Coalesce, false, func(c *contract.Cell, v bool) { c.Coalesce = v })
	cells = times(cells, a.Conc, 1, func(c *contract.Cell, v int) { c.Conc = v })
	cells = times(cells, a.RatePerS, 0, func(c *contract.Cell, v float64) { c.RatePerS = v })
	cells = times(cells, a.Arrivals, "", func(c *contract.Cell, v string) { c.Arrivals = v })
	cells = times(cells, a.Workers, 1, func(c *contract.Cell, v int) { c.Workers = v })
	cells = times(cells, a.Log, "", func(c *contract.Cell, v string) { c.LogStore, c.Durability, _ = strings.Cut(v, "/") })
	cells = times(cells, a.Client, "", func(c *contract.Cell, v string) { c.Client = v })
	cells = times(cells, a.Kill, "", func(c *contract.Cell, v string) { c.Kill = v })
	for i := range cells {
		if err := settle(&cells[i]); err != nil {
			return nil, err
		}
	}
	return cells, nil
}

// settle clears what has no meaning in a cell, so that equal loads have equal
// keys, and refuses what cannot be meant.
func settle(c *contract.Cell) error {
	if c.LogStore == "" {
		c.LogStore, c.Durability = profileLog(c.Profile)
	}
	if c.StreamEvery == 0 {
		c.Frames, c.Coalesce = 0, false
	}
	if c.RatePerS == 0 {
		c.Arrivals = ""
	} else if c.Arrivals == "" {
		c.Arrivals = "constant"
	}
	if c.Client == "lean" {
		c.Client = ""
	}
	if c.Target == "floor" {
		c.Engine, c.Profile, c.Workers, c.LogStore, c.Durability, c.Kill = "", "", 0, "", "", ""
	}
	if proxied(c) {
		// What a proxy keeps of a cell is its load and its number of workers.
		c.Engine, c.Profile, c.LogStore, c.Durability = "", "", "", ""
		if c.Shape != contract.External || c.Surface == "boot" || c.Kill != "" {
			return fmt.Errorf("target %s is measured under load in shape external: it is a process of its own", c.Target)
		}
	}
	switch {
	case c.Surface == "waterfall" && c.Shape != contract.Direct:
		return errors.New("waterfall is measured in shape direct: a socket costs more than most layers")
	case c.Surface == "boot":
		if c.Shape != contract.External {
			return errors.New("boot is measured in shape external: it starts a process")
		}
		c.Body, c.Conc, c.StreamEvery, c.Frames, c.Coalesce, c.Warmup = "", 0, 0, 0, false, 0
	case c.Shape == contract.Direct:
		if c.Target == "floor" || c.Kill != "" {
			return errors.New("shape direct has no socket: no floor and nothing to kill")
		}
		return settleDirect(c)
	case c.Shape == contract.InProcess && c.Workers > 1:
		return errors.New("workers are processes: more than one needs shape external")
	case c.Kill != "" && (c.Shape != contract.External || c.Workers < 2):
		return errors.New("kill: worker needs shape external and at least 2 workers")
	case c.Kill != "" && c.Durability != "sync" && c.Durability != "group":
		return errors.New("kill: worker needs a log that promises rows, sync or group")
	}
	return nil
}

// proxied reports whether a cell measures somebody else's proxy.
func proxied(c *contract.Cell) bool {
	return c.Target == results.TargetNginx || c.Target == results.TargetHaproxy
}

// profileLog is the log store that belongs to a profile's meaning
// (contract.Profile).
func profileLog(p contract.Profile) (store, durability string) {
	switch p {
	case contract.Governed, contract.Full:
		return "sqlite", "async"
	}
	return "off", ""
}

// skip says why a cell cannot run on this host.
func skip(c *contract.Cell, facts Facts) *results.Skipped {
	switch {
	case c.Engine == "epoll" && facts.NoEpoll != nil:
		return facts.NoEpoll
	case c.Surface == "waterfall" && facts.NoCPUTime != nil:
		return facts.NoCPUTime
	case facts.NoProxy[c.Target] != nil:
		return facts.NoProxy[c.Target]
	case c.Shape == contract.External && facts.NoExternal != nil:
		return facts.NoExternal
	case c.Workers > 1 && c.Shape != contract.Direct && facts.NoWorkers != nil:
		return facts.NoWorkers
	case c.LogStore == "postgres" && facts.NoPostgres != nil:
		return facts.NoPostgres
	case c.Body == allBodies:
		if facts.NoBodies != nil {
			return facts.NoBodies
		}
		return &results.Skipped{Reason: "the data folder holds no request bodies"}
	}
	return nil
}
