package export

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// A waterfall is a line for each layer and block: the configuration that ends
// with the layer, so that benchstat's own difference is what the layer adds.
func TestBenchOfAWaterfall(t *testing.T) {
	run := &results.Run{
		Header: results.Header{Version: results.Version, Name: "r", Started: time.Unix(0, 0), Fingerprint: results.Fingerprint{GOMAXPROCS: 2}},
		Sections: []results.Section{{
			Cell: contract.Cell{Section: "waterfall", Shape: contract.Direct, Target: "gateway", Surface: "waterfall", Body: "90B"},
			Waterfall: &results.Waterfall{Calls: 10, Layers: []results.Layer{
				{Name: "proxy", Blocks: []results.LayerBlock{{CPUNs: 9000}, {CPUNs: 9100}}},
				{Name: "cache look-up", Absent: "none here"},
				{Name: "log", Blocks: []results.LayerBlock{{CPUNs: 12_000, Allocs: 10, Bytes: 320}, {CPUNs: 12_100, Allocs: 10, Bytes: 320}}},
			}},
		}},
	}
	var b bytes.Buffer
	if err := Bench(&b, run); err != nil {
		t.Fatal(err)
	}
	const cell = "BenchmarkWaterfall/shape=direct/target=gateway/surface=waterfall/body=90B/stream_every=0"
	for _, want := range []string{
		"Unit CPU-ns/op better=lower\n",
		cell + "/upto=proxy-2 10 900 CPU-ns/op 0 B/op 0 allocs/op\n",
		cell + "/upto=log-2 10 1210 CPU-ns/op 32 B/op 1 allocs/op\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
	if n := strings.Count(b.String(), cell); n != 4 {
		t.Errorf("%d lines, want 4", n)
	}
}
