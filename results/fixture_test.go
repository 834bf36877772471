package results

import (
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/results/contract"
)

var epoch = time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)

func header(name string) *Header {
	return &Header{
		Version: Version, Name: name, Started: epoch,
		Sitting:     Sitting{ID: "5171", BootHash: "b007", HarnessHash: "4a24", Started: epoch},
		Fingerprint: Fingerprint{CPUModel: "Example CPU", CPUs: 2, Kernel: "6.1.0", Go: "go1.26.0", GOMAXPROCS: 2},
		Spec:        Spec{Name: "quick", Hash: "5bec", Text: "name: quick\n"},
		Seed:        7, Reproduce: "go run ./matrix/cmd/matrix run --spec quick",
	}
}

func cell(section string, conc int) contract.Cell {
	return contract.Cell{Section: section, Shape: contract.External, Target: TargetGateway, Surface: "chat", Body: "90B", Conc: conc}
}

// encoded holds values, in ns.
func encoded(t testing.TB, values ...int64) Histogram {
	t.Helper()
	h := NewHistogram()
	for _, v := range values {
		if err := h.RecordValue(v); err != nil {
			t.Fatal(err)
		}
	}
	text, err := EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func repetition(t testing.TB, c contract.Cell, block int) *Repetition {
	t.Helper()
	return &Repetition{
		Cell: c, Block: block, Rep: block, Started: epoch, Finished: epoch.Add(time.Second), MeasuredNs: 1e9,
		Scheduled: 4, Outcomes: map[string]int64{"answered": 3, "reset": 1}, RequestsPerS: 3,
		Histograms: map[string]Histogram{ServiceTime: encoded(t, 1000, 2000, 3000)},
		Resources:  Resources{Gateway: &Usage{CPUNs: 40_000, PeakRSSBytes: 1 << 20, Processes: 1}},
		CoresBusy:  1.5,
		Audit:      &Audit{Checks: []Check{{Name: "scheduled = sum over outcomes", OK: true, Want: 4, Got: 4}}},
	}
}
