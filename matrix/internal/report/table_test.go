package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

func TestTwoShapesNeverShareATable(t *testing.T) {
	run := newRun("r", epoch)
	for _, shape := range []contract.Shape{contract.External, contract.InProcess} {
		load(t, run, contract.Cell{Section: "bodies", Shape: shape, Target: results.TargetGateway, Conc: 50}, speed{30_000, 33_000, 400, 60_000}, 3, nil)
	}
	v, _ := newData(Single(run)).view("bodies")
	_, cost := costTable(v.load, nil)
	_, latency := latencyTable(v, v.load, nil)
	for _, err := range []error{cost, latency} {
		if !errors.Is(err, errShapes) {
			t.Errorf("rows of two shapes went into one table: %v", err)
		} else if !strings.Contains(err.Error(), "shape external got a row of shape inprocess") {
			t.Errorf("the refusal does not name both shapes: %v", err)
		}
	}
	text, err := loadText(v, axisBody)
	if err != nil {
		t.Fatalf("a section of two shapes gets a table for each: %v", err)
	}
	tables := 0
	for _, p := range text.parts {
		if p.table != nil {
			tables++
		}
	}
	if tables != 4 {
		t.Errorf("%d tables, want two for each of two shapes", tables)
	}
}

func TestMarkdownCellsStayCells(t *testing.T) {
	tb := &table{columns: []column{{title: "who", words: true}, {title: "n"}}}
	if err := tb.add(contract.External, "a|b\n<script>", "1"); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := tb.markdown(&b); err != nil {
		t.Fatal(err)
	}
	want := "| who              | n |\n|:-----------------|--:|\n| a\\|b &lt;script> | 1 |\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestNumbers(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{integer(0), "0"},
		{integer(999), "999"},
		{integer(28_864), "28,864"},
		{integer(-1_234_567), "−1,234,567"},
		{significant(0.0126), "0.013"},
		{significant(0.9996), "1.00"},
		{significant(1.234), "1.23"},
		{significant(9.996), "10.0"},
		{significant(99.96), "100"},
		{significant(28_864.4), "28,864"},
		{significant(-2.5), "−2.50"},
		{spreadText(results.SpreadOf(nil), asItIs), none},
		{spreadText(results.SpreadOf([]float64{28_864}), asItIs), "28,864"},
		{spreadText(results.SpreadOf([]float64{98, 100, 104}), asItIs), "100 ±4%"},
		{spreadText(results.SpreadOf([]float64{1e6, 1.002e6}), toMs), "1.00 ±0.1%"},
		{relativeDelta(results.Delta{From: results.SpreadOf([]float64{98, 100, 102}), To: results.SpreadOf([]float64{88, 90, 92})}), "−10%"},
		{relativeDelta(results.Delta{From: results.SpreadOf([]float64{98, 100, 102}), To: results.SpreadOf([]float64{88, 90, 98})}), withinNoise},
		{relativeDelta(results.Delta{From: results.SpreadOf([]float64{98, 100, 102})}), none},
		{relativeDelta(results.Delta{From: results.SpreadOf([]float64{98, 100}), To: results.SpreadOf([]float64{8, 9, 10})}), undecided},
		{medianShift(results.Delta{From: results.SpreadOf([]float64{1e6, 1e6, 1e6}), To: results.SpreadOf([]float64{3e6, 3e6, 4e6})}).text(toMs), "+2.00 (2.00 to 3.00)"},
		{medianShift(results.Delta{From: results.SpreadOf([]float64{1e6, 1e6, 1e6}), To: results.SpreadOf([]float64{5e6, 5e6, 5e6})}).by(2, toMs), "2.00 (2.00 to 2.00)"},
		{medianShift(results.Delta{From: results.SpreadOf([]float64{1, 2, 3}), To: results.SpreadOf([]float64{3, 4, 5})}).text(asItIs), withinNoise},
		{withUnit("+2.00", "ms"), "+2.00 ms"},
		{withUnit("n/a (9 samples)", "ms"), "n/a (9 samples)"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}
