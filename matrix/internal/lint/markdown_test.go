package lint

import (
	"strings"
	"testing"
)

const sample = "intro of\ntwo lines\n\n# One ##\n\n- item a\n- item b, with `code | bar`\n\n```\n| not | a table |\n|---|---|\n```\n\n<!-- nor\n| this | one |\n|---|---|\n-->\n\n**The caption**\n\n" +
	"| **target** | [p50](x.md) ms | a \\| b |\n|:--|--:|---|\n| `gw` | ~1.2 | `x|y` |\n| short |\n| too | 1 | many | cells |\n\n## Two\n\nno | table\n"

func TestParse(t *testing.T) {
	d := Parse("x.md", sample)
	if len(d.Sections) != 3 || d.Sections[1].Heading != "One" || d.Sections[2].Parent != d.Sections[1] {
		t.Fatalf("sections: %+v", d.Sections)
	}
	if p := d.Sections[0].Prose; len(p) != 1 || p[0].Line != 1 || p[0].Text != "intro of\ntwo lines" {
		t.Errorf("prose before any heading: %+v", p)
	}
	if p := d.Sections[1].Prose; len(p) != 3 || p[1].Line != 7 || p[1].Text != "- item b, with code | bar" {
		t.Errorf("items: %+v", p)
	}
	if len(d.Sections[1].Tables) != 1 || len(d.Sections[2].Tables) != 0 {
		t.Fatal("want one table, in section One")
	}
	table := d.Sections[1].Tables[0]
	if table.Title != "The caption" || table.Line != 21 || len(table.Rows) != 3 {
		t.Fatalf("table: %q line %d, %d rows", table.Title, table.Line, len(table.Rows))
	}
	var names []string
	for _, c := range table.Columns {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, ";"); got != "target;p50 ms;a | b" {
		t.Errorf("heads: %s", got)
	}
	first := table.Rows[0]
	if first.Cells[0].Text != "gw" || first.Cells[2].Text != "x|y" || first.Cells[1].Line != 23 {
		t.Errorf("first row: %+v", first.Cells)
	}
	if q, ok := first.of(1, Time); !ok || q.Value != 1.2e-3 {
		t.Errorf("p50: %v %+v", ok, q)
	}
	if len(table.Rows[1].Cells) != 3 || len(table.Rows[2].Cells) != 3 {
		t.Error("rows that are too short or too long must have as many cells as the head")
	}
}

func TestSentences(t *testing.T) {
	s := &Section{Prose: []Paragraph{{Text: "One is 1.5 ms. Two\nfollows; three.", Line: 7}}}
	got := s.sentences()
	want := []sentence{{"One is 1.5 ms.", 7}, {"Two follows;", 7}, {"three.", 8}}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
}

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		heading string
		kind    Kind
		stat    Stat
		p       float64
	}{
		{"req/s", Rate, Figure, 0},
		{"Requests/sec", Rate, Figure, 0},
		{"Throughput (req/s)", Rate, Figure, 0},
		{"RPS", Rate, Figure, 0},
		{"offered req/s", Offered, Figure, 0},
		{"p50 ms", Latency, Percentile, 50},
		{"p99.9 (µs)", Latency, Percentile, 99.9},
		{"p999 ms", Latency, Percentile, 99.9},
		{"99th percentile (ms)", Latency, Percentile, 99},
		{"median", Latency, Percentile, 50},
		{"mean (ms)", Latency, Mean, 0},
		{"Avg latency", Latency, Mean, 0},
		{"max ms", Latency, Max, 0},
		{"toll p99 µs", Toll, Percentile, 99},
		{"overhead (ms)", Toll, Figure, 0},
		{"CPU-µs/req", CPU, Figure, 0},
		{"gateway CPU-µs/req", CPU, Figure, 0},
		{"in flight", Concurrency, Figure, 0},
		{"Concurrency", Concurrency, Figure, 0},
		{"c", Concurrency, Figure, 0},
		{"requests", Samples, Figure, 0},
		{"body bytes", Size, Figure, 0},
		{"MB/s", Bandwidth, Figure, 0},
		{"req/s × mean", Product, Figure, 0},
		{"streamed", Mix, Figure, 0},
		{"frames together %", Together, Figure, 0},
		{"change", Unknown, Figure, 0},
		{"change %", Change, Figure, 0},
		{"success %", Share, Figure, 0},
		{"peak RSS MiB", Unknown, Figure, 0},
		{"output tokens", Unknown, Figure, 0},
		{"tokens per request", TokensEach, Figure, 0},
		{"workers", Unknown, Figure, 0},
		{"floor's", Unknown, Figure, 0},
		{"cores busy", Unknown, Figure, 0},
		{"marks", Unknown, Figure, 0},
	} {
		if got := classify(c.heading, grid{}, 0); got.Kind != c.kind || got.Stat != c.stat || got.P != c.p {
			t.Errorf("%q: kind %d stat %d p%g, want %d %d p%g", c.heading, got.Kind, got.Stat, got.P, c.kind, c.stat, c.p)
		}
	}
}

// FuzzCheck: whatever the file, nothing panics, and every finding names a rule
// and a line of the file.
func FuzzCheck(f *testing.F) {
	f.Add(sample)
	f.Add("| c | req/s | mean ms |\n|---|---|---|\n| 1 | 2 | 3 |\n")
	f.Add("90x faster than 1 µs, ±5 % run to run\n\n| a | p50 | p99 | run 1 rps | run 2 rps |\n|-|-|-|-|-|\n| floor | 0 | 1 | 9 | 8 |\n| x | 3 ms | 1 ms | 10 | 20 |\n")
	f.Add("| |\n|-|\n||\n|\\|\n")
	known := map[string]bool{}
	for _, r := range Rules() {
		known[r.Name] = true
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n") + 1
		for _, found := range Check(Parse("x.md", text)) {
			if !known[found.Rule] || found.Line < 1 || found.Line > lines || found.Read == "" || found.Why == "" || found.Fits == "" {
				t.Fatalf("%+v", found)
			}
		}
	})
}
