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

func TestNiceAxis(t *testing.T) {
	for v, want := range map[float64]float64{0: 1, 4.9: 5, 5: 5, 5.1: 6, 73_440: 80_000, 0.3: 0.3, 11: 12, 20.1: 25, 32_299: 35_000} {
		step, n := niceAxis(v)
		if got := step * float64(n); got < want*0.999 || got > want*1.001 || v > 0 && got > 1.25*v {
			t.Errorf("the axis of %g ends at %g (%d steps), want %g", v, got, n, want)
		}
	}
}
