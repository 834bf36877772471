package plan

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate-lab/tollgate/matrix/internal/spec"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func sizes(name string) int {
	return map[string]int{"90B": 90, "52KB": 52 << 10, "200KB": 200 << 10}[name]
}

var (
	everything = Facts{Bodies: []string{"a.json", "b.json"}}
	nothing    = Facts{
		NoBodies:   &results.Skipped{Reason: "no data folder"},
		NoPostgres: &results.Skipped{Reason: "no PostgreSQL", Install: "postgresql"},
		NoWorkers:  &results.Skipped{Reason: "no shared port"},
		NoProxy: map[string]*results.Skipped{
			"nginx":   {Reason: "no nginx", Install: "package nginx-light"},
			"haproxy": {Reason: "no haproxy", Install: "package haproxy"},
		},
	}
)

func load(t *testing.T, name string) *spec.Spec {
	t.Helper()
	s, err := spec.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestGoldens(t *testing.T) {
	for _, c := range []struct {
		file, spec string
		facts      Facts
		opt        Options
	}{
		{"quick", "quick", everything, Options{Seed: 1}},
		{"quick-bare-host", "quick", nothing, Options{Seed: 1}},
		{"default", "default", everything, Options{Seed: 1}},
		{"full", "full", everything, Options{Seed: 1, Blocks: 1}},
		{"engines", "engines", everything, Options{Seed: 1}},
	} {
		t.Run(c.file, func(t *testing.T) {
			p, err := Expand(load(t, c.spec), c.facts, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := p.Print(&b, sizes, false); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", c.file+".txt")
			if *update {
				if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), b.String()); d != "" {
				t.Errorf("the plan changed (-update rewrites it):\n%s", d)
			}
		})
	}
}

func TestEveryBlockHoldsTheSameCellsInAnotherOrder(t *testing.T) {
	p, err := Expand(load(t, "default"), everything, Options{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	keys := func(items []Item) (out []string) {
		for i := range items {
			out = append(out, items[i].Cell.Key())
		}
		return out
	}
	first := keys(p.Blocks[0])
	for b := 1; b < len(p.Blocks); b++ {
		other := keys(p.Blocks[b])
		if slices.Equal(first, other) {
			t.Errorf("block %d has the order of block 0", b)
		}
		if !slices.Equal(slices.Sorted(slices.Values(first)), slices.Sorted(slices.Values(other))) {
			t.Errorf("block %d has other cells", b)
		}
		for i := range p.Blocks[b] {
			if it := &p.Blocks[b][i]; it.Block != b || it.Order != i {
				t.Errorf("item %d of block %d says block %d, order %d", i, b, it.Block, it.Order)
			}
		}
	}
}

func TestTheSeedDecidesTheOrder(t *testing.T) {
	expand := func(opt Options) []Item {
		p, err := Expand(load(t, "quick"), everything, opt)
		if err != nil {
			t.Fatal(err)
		}
		return p.Blocks[0]
	}
	if d := cmp.Diff(expand(Options{Seed: 3}), expand(Options{Seed: 3})); d != "" {
		t.Error("the same seed gives another plan")
	}
	if cmp.Equal(expand(Options{Seed: 3}), expand(Options{Seed: 4})) {
		t.Error("another seed gives the same plan")
	}
	// Leaving sections out does not reorder the others.
	whole := expand(Options{Seed: 3})
	only := expand(Options{Seed: 3, Sections: []string{"streaming"}})
	var part []contract.Cell
	for _, it := range whole {
		if it.Cell.Section == "streaming" {
			part = append(part, it.Cell)
		}
	}
	if len(part) != len(only) {
		t.Fatalf("%d cells, want %d", len(only), len(part))
	}
	for i := range only {
		if only[i].Cell != part[i] {
			t.Errorf("cell %d is %s, want %s", i, only[i].Cell.Key(), part[i].Key())
		}
	}
}

// TestEachLoadHasItsFloor: a gateway cell with a socket has the same load
// straight to the mock in its section's block.
func TestEachLoadHasItsFloor(t *testing.T) {
	for _, name := range spec.Embedded() {
		s := load(t, name)
		p, err := Expand(s, everything, Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		for b, items := range p.Blocks {
			have := make(map[string]int)
			for i := range items {
				have[items[i].Cell.Key()]++
			}
			for key, n := range have {
				if n > 1 {
					t.Errorf("%s block %d holds %s %d times", name, b, key, n)
				}
			}
			for i := range items {
				c := &items[i].Cell
				if c.Surface == "boot" || c.Kill != "" {
					continue
				}
				if f, ok := Floor(c); ok && have[f.Key()] == 0 {
					t.Errorf("%s block %d: no floor for %s", name, b, c.Key())
				}
			}
		}
	}
}

func TestBudgets(t *testing.T) {
	for _, name := range spec.Embedded() {
		s := load(t, name)
		p, err := Expand(s, Facts{Bodies: make21()}, Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if d := p.Estimate(func(n string) int { return max(sizes(n), 33<<10*boolInt(strings.HasSuffix(n, ".json"))) }); d > s.Budget {
			t.Errorf("%s: estimate %v, budget %v", name, d.Round(time.Second), s.Budget)
		}
	}
}

// make21 is as many bodies as the shared data folder holds.
func make21() (names []string) {
	for c := 'a'; c < 'a'+21; c++ {
		names = append(names, string(c)+".json")
	}
	return names
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestHeadlinePercentiles: over all repetitions of default, a load cell with
// more than one request in flight has the 10,000 requests that a p99 needs.
func TestHeadlinePercentiles(t *testing.T) {
	s := load(t, "default")
	p, err := Expand(s, everything, Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Blocks[0] {
		c := &p.Blocks[0][i].Cell
		if c.Surface == "boot" {
			continue
		}
		if n := c.Requests * s.Repetitions; n < 10_000 {
			t.Errorf("%s: %d requests in all", c.Key(), n)
		}
	}
}

func TestImpossibleCells(t *testing.T) {
	const head = "name: x\nrepetitions: 1\ndefaults: { body: 90B, requests: 1 }\nsections:\n  - name: s\n    "
	for _, c := range []struct{ story, section, want string }{
		{"boot in one process", "{ shape: inprocess, surface: boot }", "shape external"},
		{"a waterfall with sockets", "{ shape: external, surface: waterfall }", "waterfall is measured in shape direct"},
		{"a waterfall that stops early", "{ shape: direct, surface: waterfall, profile: auth }", "want profile governed"},
		{"a waterfall without its last layer", `{ shape: direct, surface: waterfall, log: "off" }`, "want a store"},
		{"a waterfall of one call", "{ shape: direct, surface: waterfall }", "requests of at least 2"},
		{"now and then a stream without sockets", "{ shape: direct, stream_every: 5 }", "always or never"},
		{"embeddings without sockets", "{ shape: direct, surface: embeddings }", "chat alone"},
		{"workers in one process", "{ shape: inprocess, workers: 2 }", "shape external"},
		{"a floor without sockets", "{ shape: direct, target: floor }", "no floor"},
		{"killing the only worker", "{ shape: external, workers: 1, kill: worker }", "at least 2 workers"},
		{"a kill whose log promises nothing", "{ shape: external, workers: 2, kill: worker }", "sync or group"},
	} {
		t.Run(c.story, func(t *testing.T) {
			text := head + strings.TrimSuffix(strings.TrimPrefix(c.section, "{ "), " }")
			text = strings.ReplaceAll(text, ", ", "\n    ")
			text = strings.Replace(text, "{ body: 90B\n    requests: 1 }", "{ body: 90B, requests: 1 }", 1)
			s, err := spec.Parse("x.yaml", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if _, err = Expand(s, everything, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestUnknownSection(t *testing.T) {
	_, err := Expand(load(t, "quick"), everything, Options{Sections: []string{"stremaing"}})
	if err == nil || !strings.Contains(err.Error(), "it has concurrency-inprocess, ") {
		t.Errorf("error %v", err)
	}
}
