package stack

import (
	"strings"
	"sync"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/matrix/bodies"
	"github.com/tollgate-lab/tollgate/results/contract"
)

func directCell(profile contract.Profile, every int) *contract.Cell {
	c := &contract.Cell{
		Section: "direct", Shape: contract.Direct, Target: "gateway", Profile: profile, Surface: "chat", Body: "90B",
		StreamEvery: every, Frames: 4 * every, Conc: 1, LogStore: "off",
	}
	if profile == contract.Governed {
		c.LogStore, c.Durability = "sqlite", "async"
	}
	return c
}

func smallBody(t *testing.T) []byte {
	t.Helper()
	body, ok := bodies.Embedded("90B")
	if !ok {
		t.Fatal("no body")
	}
	return body
}

// Callers of one core call at once, and no row is lost.
func TestDirectCallersShareACore(t *testing.T) {
	site := &Site{Dir: t.TempDir()}
	d, err := site.StartDirect(t.Context(), directCell(contract.Governed, 0), smallBody(t))
	if err != nil {
		t.Fatal(err)
	}
	before := d.slot.Load(ledger.RowsAppended)
	const callers, calls = 8, 50
	var wg sync.WaitGroup
	for range callers {
		c := d.Caller()
		wg.Go(func() {
			for range calls {
				if err := c.Call(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if err := d.Settle(t.Context()); err != nil {
		t.Error(err)
	}
	appended, stored := d.slot.Load(ledger.RowsAppended), d.slot.Load(ledger.RowsStored)
	if appended-before != callers*calls || stored != appended {
		t.Errorf("%d rows appended, %d stored, want %d more than %d", appended, stored, callers*calls, before)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// A stream's usage is asked for by the configurations that need it, and the
// answer is the mock's to just that request.
func TestDirectAsksWhatTheCoreAsks(t *testing.T) {
	all := exchange.Stages{Auth: true, Admission: true, Ledger: true, Log: true}
	for _, c := range []struct {
		story   string
		profile contract.Profile
		stages  *exchange.Stages
		usage   bool
	}{
		{"bare", contract.Bare, nil, false},
		{"auth", contract.Auth, nil, false},
		{"governed", contract.Governed, nil, true},
		{"governed without its stages", contract.Governed, &exchange.Stages{}, false},
		{"governed with authentication alone", contract.Governed, &exchange.Stages{Auth: true}, false},
		{"governed with all its stages", contract.Governed, &all, true},
	} {
		site := &Site{Dir: t.TempDir()}
		d, err := site.StartStages(t.Context(), directCell(c.profile, 1), smallBody(t), c.stages)
		if err != nil {
			t.Errorf("%s: %v", c.story, err)
			continue
		}
		asked, err := d.first.asked()
		if err != nil || strings.Contains(string(asked), "include_usage") != c.usage || !strings.Contains(string(asked), `"stream":true`) {
			t.Errorf("%s: asks %s, %v", c.story, asked, err)
		}
		var answer strings.Builder
		for _, chunk := range d.answer.Chunks {
			answer.Write(chunk)
		}
		if strings.Contains(answer.String(), `"usage":{`) != c.usage {
			t.Errorf("%s: the canned answer is %s", c.story, answer.String())
		}
		if err := d.first.Call(); err != nil {
			t.Errorf("%s: %v", c.story, err)
		}
		if err := d.Close(); err != nil {
			t.Errorf("%s: %v", c.story, err)
		}
	}
}

// A configuration that wants what its cell does not have is refused.
func TestDirectStagesBeyondTheProfile(t *testing.T) {
	site := &Site{Dir: t.TempDir()}
	_, err := site.StartStages(t.Context(), directCell(contract.Bare, 0), smallBody(t), &exchange.Stages{Auth: true, Admission: true})
	if err == nil {
		t.Error("a bare cell answers with admission on and no key")
	}
}
