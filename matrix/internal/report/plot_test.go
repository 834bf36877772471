package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestPlots(t *testing.T) {
	in := Single(fullRun(t))
	for name := range in.Published.Sections {
		if _, ok := plotted[name]; !ok {
			delete(in.Published.Sections, name)
		}
	}
	plots, err := Plots(in)
	if err != nil {
		t.Fatal(err)
	}
	benchmarks, err := Render(nil, in)
	if err != nil {
		t.Fatal(err)
	}
	for name, svg := range plots {
		golden(t, name, svg)
		d := xml.NewDecoder(bytes.NewReader(svg))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if !strings.Contains(string(benchmarks), "("+PlotsDir+"/"+name+")") {
			t.Errorf("BENCHMARKS.md does not show %s", name)
		}
	}
	if got := strings.Count(string(benchmarks), "]("+PlotsDir+"/"); got != len(plots) {
		t.Errorf("BENCHMARKS.md shows %d plots, %d were drawn", got, len(plots))
	}
	for _, name := range []string{"concurrency-external.svg", "concurrency-external-cpu.svg", "concurrency-inprocess.svg", "workers.svg", "workers-cpu.svg"} {
		if plots[name] == nil {
			t.Errorf("no %s", name)
		}
	}
}

func TestNiceTop(t *testing.T) {
	for v, want := range map[float64]float64{0: 5, 4.9: 5, 5: 5, 5.1: 10, 73_440: 100_000, 0.3: 0.5, 11: 12.5} {
		if got := niceTop(v); got < want*0.999 || got > want*1.001 {
			t.Errorf("niceTop(%g) = %g, want %g", v, got, want)
		}
	}
}
