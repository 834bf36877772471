package compare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tollgate-lab/tollgate/matrix/internal/targets"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// Options of a comparison.
type Options struct {
	Blocks   int           // at least MinBlocks
	Duration time.Duration // of one measured part, 100 ms to 10 min
	Conc     []int         // connections, each a row
	Workers  int           // worker processes of each proxy, 1 to 64

	// What is compared with nginx; empty: DefaultEngine, DefaultProfile, plain.
	Engine  string           // gateway engine
	Profile contract.Profile // of its features: bare, auth or governed
	Load    string           // name of one of Loads
}

// What is compared with nginx when nothing is said.
const (
	DefaultEngine  = "conn"
	DefaultProfile = contract.Governed
	DefaultLoad    = "plain"
)

// Load is what requests ask for.
type Load struct {
	Name     string
	Words    string
	Body     string
	Frames   int  // content frames of a streamed answer; 0: not streamed
	Coalesce bool // the mock sends them in one write
}

// Loads are the loads that a comparison can run.
func Loads() []Load {
	return []Load{
		{DefaultLoad, "body 90B, not streamed", "90B", 0, false},
		{"52KB", "body 52KB, not streamed", "52KB", 0, false},
		{"4-frames", "body 90B, streams of 4 content frames sent in one write", "90B", 4, true},
		{"74-frames", "body 90B, streams of 74 content frames sent in one write", "90B", 74, true},
		{"74-flushed", "body 90B, streams of 74 content frames, each its own write; nginx without buffering", "90B", 74, false},
	}
}

// load finds a load by its name.
func load(name string) (Load, bool) {
	for _, l := range Loads() {
		if l.Name == name {
			return l, true
		}
	}
	return Load{}, false
}

// WithDefaults fills in what is empty.
func (o Options) WithDefaults() Options {
	if o.Engine == "" {
		o.Engine = DefaultEngine
	}
	if o.Profile == "" {
		o.Profile = DefaultProfile
	}
	if o.Load == "" {
		o.Load = DefaultLoad
	}
	return o
}

// MinBlocks is the fewest blocks that a median with a spread is taken from.
const MinBlocks = 5

// Validate checks the ranges.
func (o *Options) Validate() error {
	var faults []error
	if o.Blocks < MinBlocks || o.Blocks > 1000 {
		faults = append(faults, fmt.Errorf("blocks %d: want %d to 1000", o.Blocks, MinBlocks))
	}
	if o.Duration < 100*time.Millisecond || o.Duration > 10*time.Minute {
		faults = append(faults, fmt.Errorf("duration %v: want 100ms to 10m", o.Duration))
	}
	if len(o.Conc) == 0 {
		faults = append(faults, errors.New("no concurrency"))
	}
	for _, c := range o.Conc {
		if c < 1 || c > 10_000 {
			faults = append(faults, fmt.Errorf("concurrency %d: want 1 to 10000", c))
		}
	}
	if o.Engine != "" && !slices.Contains([]string{"conn", "epoll", "nethttp"}, o.Engine) {
		faults = append(faults, fmt.Errorf("engine %q: want conn, epoll or nethttp", o.Engine))
	}
	if p := o.Profile; p != "" && p != contract.Bare && p != contract.Auth && p != contract.Governed {
		faults = append(faults, fmt.Errorf("profile %q: want bare, auth or governed", p))
	}
	if _, ok := load(o.Load); o.Load != "" && !ok {
		var names []string
		for _, l := range Loads() {
			names = append(names, l.Name)
		}
		faults = append(faults, fmt.Errorf("load %q: want one of %s", o.Load, strings.Join(names, ", ")))
	}
	if o.Workers < 1 || o.Workers > 64 {
		faults = append(faults, fmt.Errorf("workers %d: want 1 to 64", o.Workers))
	}
	return errors.Join(faults...)
}

// Sample is one side of one block.
type Sample struct {
	Block        int     `json:"block"` // from 0
	Conc         int     `json:"conc"`
	Side         string  `json:"side"`
	Requests     int64   `json:"requests"`
	Failures     int64   `json:"failures"`
	CPUUs        float64 `json:"cpu_us_per_request"`
	RequestsPerS float64 `json:"requests_per_s"`
	P50Ns        int64   `json:"p50_ns,omitempty"`
	P99Ns        int64   `json:"p99_ns,omitempty"`
	PeakRSSBytes int64   `json:"peak_rss_bytes,omitempty"`
	Processes    int     `json:"processes,omitempty"`
}

// Row is the verdict at one concurrency.
type Row struct {
	Conc   int            `json:"conc"`
	Ours   results.Spread `json:"ours_cpu_us"`
	Theirs results.Spread `json:"theirs_cpu_us"`
	Ratio  results.Spread `json:"ratio"` // ours ÷ theirs, within a block
	Target string         `json:"target,omitempty"`
	AtMost float64        `json:"at_most,omitempty"` // 0: no target
	// Further is the other targets of the same figure, narrower or wider ones.
	Further []Bounded `json:"further,omitempty"`
	Met     bool      `json:"met"` // every target is
}

// Bounded is a target and whether the row meets it.
type Bounded struct {
	Target string  `json:"target"`
	AtMost float64 `json:"at_most"`
	Met    bool    `json:"met"`
}

// Report is a whole comparison.
type Report struct {
	Name        string              `json:"name"`
	Started     time.Time           `json:"started"`
	Fingerprint results.Fingerprint `json:"fingerprint"`
	Ours        string              `json:"ours"`   // name of the side, then what it is
	Theirs      string              `json:"theirs"` //
	Conditions  []string            `json:"conditions"`
	Rows        []Row               `json:"rows"`
	Samples     []Sample            `json:"samples"`
	Slow        []Slow              `json:"slow,omitempty"` // SlowClients: a block each
}

// A side measures once, in fresh processes.
type side struct {
	name    string
	measure func(ctx context.Context, conc int) (Sample, error)
}

// blocks runs both sides in every block and concurrency.
func blocks(ctx context.Context, o *Options, ours, theirs side, say func(string, ...any)) ([]Sample, error) {
	var out []Sample
	for b := range o.Blocks {
		order := []side{ours, theirs}
		if b%2 == 1 {
			slices.Reverse(order)
		}
		for _, conc := range o.Conc {
			for _, s := range order {
				x, err := s.measure(ctx, conc)
				if err != nil {
					return out, fmt.Errorf("block %d, %s, %d connections: %w", b+1, s.name, conc, err)
				}
				x.Block, x.Conc, x.Side = b, conc, s.name
				out = append(out, x)
				say("block %d/%d  c=%d  %-8s %6.1f CPU-µs per request, %.0f requests per second", b+1, o.Blocks, conc, s.name, x.CPUUs, x.RequestsPerS)
			}
		}
	}
	return out, nil
}

// rows judges the samples. targetsFor finds the targets of a concurrency.
func rows(samples []Sample, conc []int, ours, theirs string, targetsFor func(conc int) []*targets.Target) []Row {
	var out []Row
	for _, c := range conc {
		byBlock := make(map[int]map[string]float64)
		var a, b, ratio []float64
		for _, s := range samples {
			if s.Conc != c {
				continue
			}
			if byBlock[s.Block] == nil {
				byBlock[s.Block] = make(map[string]float64)
			}
			byBlock[s.Block][s.Side] = s.CPUUs
			if s.Side == ours {
				a = append(a, s.CPUUs)
			} else {
				b = append(b, s.CPUUs)
			}
		}
		for _, sides := range byBlock {
			if x, y := sides[ours], sides[theirs]; x > 0 && y > 0 {
				ratio = append(ratio, x/y)
			}
		}
		r := Row{Conc: c, Ours: results.SpreadOf(a), Theirs: results.SpreadOf(b), Ratio: results.SpreadOf(ratio), Met: true}
		r.judge(targetsFor(c))
		out = append(out, r)
	}
	return out
}

// judge sets the row against its targets.
func (r *Row) judge(all []*targets.Target) {
	for _, t := range all {
		if t.Bound.Ratio == nil {
			continue
		}
		b := Bounded{Target: t.ID, AtMost: t.Bound.Ratio.AtMost}
		b.Met = r.Ratio.N > 0 && r.Ratio.Median <= b.AtMost
		r.Met = r.Met && b.Met
		if r.Target == "" {
			r.Target, r.AtMost = b.Target, b.AtMost
		} else {
			r.Further = append(r.Further, b)
		}
	}
}

// verdict is the row's targets and whether each is met, in words.
func (r *Row) verdict() (target, met string) {
	if r.Target == "" {
		return "none", ""
	}
	all := append([]Bounded{{r.Target, r.AtMost, r.Ratio.N > 0 && r.Ratio.Median <= r.AtMost}}, r.Further...)
	var names, words []string
	for _, b := range all {
		names = append(names, fmt.Sprintf("%s ≤ %g", b.Target, b.AtMost))
		word := "met"
		if !b.Met {
			word = "**missed**"
		}
		words = append(words, word)
	}
	return strings.Join(names, "; "), strings.Join(words, "; ")
}

// Met reports whether every target was met.
func (r *Report) Met() bool {
	return !slices.ContainsFunc(r.Rows, func(row Row) bool { return !row.Met })
}

// Markdown writes the verdict as a table with its conditions.
func (r *Report) Markdown(w io.Writer) error {
	var err error
	print := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(w, format, args...)
		}
	}
	print("%s against %s: CPU-µs per request\n\n", r.Ours, r.Theirs)
	for _, c := range r.Conditions {
		print("- %s\n", c)
	}
	print("\n| connections | ours | theirs | ratio (median, range) | target | |\n| --: | --: | --: | --: | --- | --- |\n")
	for _, row := range r.Rows {
		target, verdict := row.verdict()
		print("| %d | %.1f | %.1f | %.2f (%.2f to %.2f, %d blocks) | %s | %s |\n",
			row.Conc, row.Ours.Median, row.Theirs.Median, row.Ratio.Median, row.Ratio.Min, row.Ratio.Max, row.Ratio.N, target, verdict)
	}
	return err
}

// Save writes the report as JSON.
func (r *Report) Save(path string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("save comparison: %w", err)
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, append(b, '\n'), 0o644)); err != nil {
		return fmt.Errorf("save comparison: %w", err)
	}
	return nil
}
