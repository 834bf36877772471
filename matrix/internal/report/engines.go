package report

import (
	"fmt"
	"strings"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// The section of engines sets the gateway's engines beside plain proxies, a
// table for each load. Its ratios are to this proxy.
const yardstick = results.TargetNginx

// engineLoad is one load of the section: every series under it.
type engineLoad struct {
	cell   contract.Cell // what they share
	series []*results.Series
}

// engineLoads divides the section's series by load, plain ones first, shorter
// streams before longer, frames together before frames one by one.
func engineLoads(v *view) []engineLoad {
	var out []engineLoad
	at := make(map[string]int)
	for _, s := range v.load {
		c := loadOf(&s.Cell)
		i, ok := at[c.Key()]
		if !ok {
			i = len(out)
			at[c.Key()] = i
			out = append(out, engineLoad{cell: c})
		}
		out[i].series = append(out[i].series, s)
	}
	sortLoads(out)
	return out
}

// loadOf blanks all of a cell but what is asked, how, and in which shape.
func loadOf(c *contract.Cell) contract.Cell {
	return contract.Cell{
		Section: c.Section, Shape: c.Shape, Surface: c.Surface, Body: c.Body, StreamEvery: c.StreamEvery, Frames: c.Frames,
		Coalesce: c.Coalesce, RatePerS: c.RatePerS, Arrivals: c.Arrivals, Client: c.Client,
	}
}

// words says the load; all is every load, to leave out what they share.
func (l *engineLoad) words(all []engineLoad) string {
	c := &l.cell
	out := "Not streamed"
	if c.StreamEvery != 0 {
		out = "Streams of " + plural(c.Frames, "frame")
		if c.StreamEvery > 1 {
			out = shareText(c.StreamEvery) + " a stream of " + plural(c.Frames, "frame")
		}
		if c.Coalesce {
			out += " sent in one write"
		} else {
			out += ", each its own write"
		}
	}
	for i := range all {
		if all[i].cell.Body != c.Body {
			return out + ", body " + c.Body
		}
	}
	return out
}

// file is the load's part of a file name.
func (l *engineLoad) file() string {
	c := &l.cell
	out := "plain"
	if c.StreamEvery != 0 {
		out = fmt.Sprintf("%d-flushed", c.Frames)
		if c.Coalesce {
			out = fmt.Sprintf("%d-together", c.Frames)
		}
		if c.StreamEvery > 1 {
			out += fmt.Sprintf("-1-in-%d", c.StreamEvery)
		}
	}
	if c.Body != "90B" {
		out += "-" + strings.ToLower(fileName.Replace(c.Body))
	}
	if c.Shape != contract.External {
		out += "-" + string(c.Shape)
	}
	return out
}

// fileName keeps a body's file name one word.
var fileName = strings.NewReplacer("/", "-", "\\", "-", " ", "-", "|", "-", ".", "-")

// sideNames names what a section compares: the engines of the gateway and the
// other targets, with the workers where those vary. Where profiles vary,
// governed goes without saying.
func sideNames(v *view) func(*contract.Cell) string {
	var gateways []*contract.Cell
	for _, s := range v.load {
		if s.Cell.Target == results.TargetGateway {
			gateways = append(gateways, &s.Cell)
		}
	}
	profiles := len(distinct(gateways, axisProfile)) > 1
	workers := len(distinct(cellsOf(v.load, nil), axisWorkers)) > 1
	return func(c *contract.Cell) string {
		out := targetText(c)
		if c.Target == results.TargetGateway {
			out = orNone(c.Engine)
			if profiles && c.Profile != contract.Governed {
				out += ", " + string(c.Profile)
			}
		}
		if workers && c.Workers > 0 {
			out += ", " + plural(c.Workers, "worker")
		}
		return out
	}
}

// enginesText is a table for each load.
func enginesText(v *view) (*text, error) {
	t := new(text)
	t.minorList(append(v.conditions(), v.proxyTerms()...))
	loads := engineLoads(v)
	name := sideNames(v)
	for i := range loads {
		l := &loads[i]
		// A load has one shape, so its table has too.
		tb, err := l.table(name)
		if err != nil {
			return nil, err
		}
		t.show(l.words(loads), tb)
	}
	t.list(v.notes())
	return t, nil
}

// proxyTerms says on which terms the proxies ran; empty where none did.
func (v *view) proxyTerms() []string {
	var said []string
	flushed, any := false, false
	for _, s := range v.measured(false) {
		if s.Cell.Target != results.TargetNginx && s.Cell.Target != results.TargetHaproxy {
			continue
		}
		any = true
		flushed = flushed || s.Cell.Flushed()
		version := v.run.Header.Proxies[s.Cell.Target]
		if version == "" {
			version = s.Cell.Target
		}
		said = appendNew(said, version)
	}
	if !any {
		return nil
	}
	terms := enumerate(said) + ": plain keep-alive reverse proxies without a log, as many workers as the gateway has (haproxy: threads); " +
		"request and answer buffered in memory, buffers larger than the body; requests carry the gateway's key to the gateway alone"
	if flushed {
		terms += "; where each frame is its own write, answers unbuffered (nginx `proxy_buffering off`, haproxy `http-no-delay`)"
	}
	return []string{terms, "*÷ " + yardstick + "*: the ratio within a block, so that the host's drift falls out of it; median over the blocks, range in parentheses"}
}

func (l *engineLoad) table(name func(*contract.Cell) string) (*table, error) {
	t := &table{columns: []column{
		{title: axisConc.title},
		{title: "what", words: true},
		{title: "CPU-µs/req"},
		{title: "CPU ÷ " + yardstick},
		{title: "req/s"},
		{title: "req/s ÷ " + yardstick},
		{title: "p50 ms"},
		{title: "p99 ms"},
		{title: "toll p50 µs", wide: true},
		{title: "toll p99 µs", wide: true},
		{title: "generator CPU-µs/req", wide: true},
		{title: "mock CPU-µs/req", wide: true},
		{title: togetherTitle, wide: true},
		{title: "peak RSS MiB", wide: true},
		{title: "processes", wide: true},
		{title: "requests", wide: true},
		{title: "failed", wide: true},
		{title: "audit", words: true},
		{title: "marks", words: true},
	}}
	for _, s := range l.series {
		row := []string{axisConc.of(&s.Cell), name(&s.Cell)}
		if len(s.Reps) == 0 {
			row = append(row, "skipped")
			for len(row) < len(t.columns) {
				row = append(row, none)
			}
		} else {
			figures, err := l.figures(s)
			if err != nil {
				return nil, err
			}
			row = append(row, figures...)
		}
		if err := t.add(s.Cell.Shape, row...); err != nil {
			return nil, err
		}
	}
	t.prune(3)
	return t, nil
}

// figures is a row of the table without its head.
func (l *engineLoad) figures(s *results.Series) ([]string, error) {
	service, err := quantileTexts(s, results.ServiceTime, toMs, 50, 99)
	if err != nil {
		return nil, err
	}
	toll, err := quantileTexts(s, results.Toll, toUs, 50, 99)
	if err != nil {
		return nil, err
	}
	cpu, perS := none, none
	switch y := l.yardstick(s); y {
	case nil:
	case s:
		cpu, perS = "1", "1"
	default:
		cpu, perS = ratioText(within(s, y, cpuPerRequest(gatewayUsage))), ratioText(within(s, y, comparable))
	}
	counts := s.Counts()
	return []string{
		spreadText(cpuOf(s), asItIs), cpu,
		spreadText(s.Spread(perSecond), asItIs), perS,
		service[0], service[1], toll[0], toll[1],
		spreadText(s.Spread(cpuPerRequest(generatorUsage)), asItIs),
		spreadText(s.Spread(cpuPerRequest(mockUsage)), asItIs),
		spreadText(s.Spread(framesTogether), toPercent),
		spreadText(s.Spread(peakRSS(gatewayUsage)), toMiB),
		processesText(s),
		integer(int64(s.Cell.Requests)),
		integer(counts.Failures()),
		auditText(s), marksText(s),
	}, nil
}

// yardstick is the proxy that s is set against: at the same concurrency, with
// as many workers. The floor is set against none.
func (l *engineLoad) yardstick(s *results.Series) *results.Series {
	for _, y := range l.series {
		if y.Cell.Target == yardstick && len(y.Reps) > 0 && y.Cell.Conc == s.Cell.Conc &&
			(y.Cell.Workers == s.Cell.Workers || isFloor(&s.Cell)) {
			return y
		}
	}
	return nil
}
