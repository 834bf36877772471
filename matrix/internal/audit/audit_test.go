package audit

import (
	"slices"
	"testing"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// healthy is a governed cell of one warm-up request and three measured ones,
// each with one token in and two out, in which every sum closes.
func healthy() *Facts {
	f := &Facts{
		Cell:      contract.Cell{Target: "gateway", Conc: 2},
		Scheduled: 3,
		Join:      contract.JoinHeader,
		Truth:     contract.GroundTruth{Received: 4, Answered: 4, PromptTok: 4, OutputTok: 8},
		Ledger: results.LedgerSums{
			"read_whole": 4, "upstream_attempts": 4, "answered": 4,
			"billed_prompt_tok": 4, "billed_output_tok": 8, "spend_nano": 40,
		},
		Gauges:     results.LedgerSums{"in_flight": 0, "open_reservations": 0},
		Log:        &Log{Rows: 4, CostNano: 40, ByID: map[uint64][]Row{}},
		BudgetNano: 1000,
	}
	f.Warmup[contract.Answered] = 1
	f.Measured[contract.Answered] = 3
	for id := uint64(1); id <= 4; id++ {
		f.Stamps = append(f.Stamps, contract.MockStamp{ID: id, Tokens: 2, Flags: contract.StampAnswered})
		f.Log.ByID[id] = []Row{{Answered: true, PromptTok: 1, OutputTok: 2}}
		if id > 1 {
			f.Records = append(f.Records, contract.ClientRecord{ID: id, Sent: int64(id) * 10, Outcome: contract.Answered})
		}
	}
	return f
}

// aborted is healthy plus a stream of ten frames that the client left after
// three.
func aborted() *Facts {
	f := healthy()
	f.Scheduled = 4
	f.Measured[contract.ClientAborted] = 1
	f.Records = append(f.Records, contract.ClientRecord{ID: 9, Frames: 3, Outcome: contract.ClientAborted})
	f.Stamps = append(f.Stamps, contract.MockStamp{ID: 9, Tokens: 10, Flags: contract.StampPeerLeft | contract.StampStreamed})
	f.Log.ByID[9] = []Row{{PromptTok: 1, OutputTok: 5, Estimated: true}}
	f.Log.Rows, f.Log.CostNano = 5, 50
	f.Truth.Received, f.Truth.AbortedTok = 5, 10
	l := f.Ledger
	l["read_whole"], l["upstream_attempts"], l["client_left"] = 5, 5, 1
	l["billed_output_tok"], l["billed_aborted_output_tok"], l["billed_prompt_tok"], l["spend_nano"] = 13, 5, 5, 50
	return f
}

// killed is healthy plus one request that a killed worker took with it, and
// one answered after.
func killed() *Facts {
	f := healthy()
	f.Cell.Kill = "worker"
	f.Scheduled = 4
	f.Measured[contract.Reset] = 1
	f.Records = append(f.Records, contract.ClientRecord{ID: 9, Sent: 25, Outcome: contract.Reset})
	f.Ledger["read_whole"], f.Ledger["upstream_attempts"] = 5, 5
	f.Kill = &Kill{At: 30, WantProcesses: 5, ProcessesAfter: 5, ReplacementSeen: true}
	return f
}

// floor is the load sent straight to the mock.
func floor() *Facts {
	f := healthy()
	f.Cell.Target = "floor"
	f.Ledger, f.Gauges, f.Log, f.BudgetNano = nil, nil, nil, 0
	return f
}

func TestFixturesOnWhichNothingFires(t *testing.T) {
	passes := make(map[string]bool)
	for name, f := range map[string]*Facts{"healthy": healthy(), "aborted": aborted(), "killed": killed(), "floor": floor()} {
		a := Run(f)
		if !a.OK() {
			t.Errorf("%s: %+v", name, a.Failed())
		}
		for _, c := range a.Checks {
			passes[c.Name] = true
		}
	}
	for _, row := range faults {
		for _, name := range row.fires {
			if !passes[name] {
				t.Errorf("check %q passes on no fixture", name)
			}
		}
	}
}

var faults = []struct {
	story string
	from  func() *Facts
	spoil func(*Facts)
	fires []string
}{
	{"the generator forgot a request", healthy, func(f *Facts) { f.Scheduled++ }, []string{"scheduled = sum over outcomes"}},
	{"a request failed", healthy, func(f *Facts) {
		f.Measured[contract.Answered]--
		f.Measured[contract.BadStream]++
		f.Records[2].Outcome = contract.BadStream
	}, []string{"failed requests", "answered = answered from upstream"}},
	{"more failed than the kill explains", killed, func(f *Facts) { f.Measured[contract.Reset] += 5; f.Scheduled += 5 }, []string{"failed requests ≤ those in flight at the kill"}},
	{"the gateway sent an attempt that never arrived", healthy, func(f *Facts) { f.Ledger["upstream_attempts"]++ }, []string{"mock received = upstream attempts"}},
	{"the gateway sent a request twice and counted it once", healthy, func(f *Facts) { f.Truth.Received++ }, []string{"mock received = upstream attempts"}},
	{"a request of the floor got lost", floor, func(f *Facts) { f.Truth.Received-- }, []string{"mock received = requests sent"}},
	{"the client saw more answers than the mock gave", floor, func(f *Facts) { f.Truth.Answered-- }, []string{"answered ≤ answers that the mock sent whole"}},
	{"the ledger counts an answer that nobody got", healthy, func(f *Facts) { f.Ledger["answered"]++ }, []string{"answered = answered from upstream"}},
	{"an answer carries an id that the mock never saw", healthy, func(f *Facts) { f.Stamps[1].ID = 77 }, []string{"answered requests stamped by the mock"}},
	{"prompt tokens billed twice", healthy, func(f *Facts) { f.Ledger["billed_prompt_tok"]++ }, []string{"billed prompt tokens = told by the mock"}},
	{"output tokens not billed", healthy, func(f *Facts) { f.Ledger["billed_output_tok"]-- }, []string{"billed output tokens = told by the mock"}},
	{"two wrong bills that add up", healthy, func(f *Facts) { f.Log.ByID[2][0].OutputTok++; f.Log.ByID[3][0].OutputTok-- }, []string{"rows billed as the mock told for their request"}},
	{"an aborted stream billed below what was received", aborted, func(f *Facts) { f.Log.ByID[9][0].OutputTok = 2 }, []string{"aborted streams with received ≤ billed ≤ sent"}},
	{"an aborted stream billed above what was sent", aborted, func(f *Facts) { f.Log.ByID[9][0].OutputTok = 11 }, []string{"aborted streams with received ≤ billed ≤ sent"}},
	{"a row is missing", healthy, func(f *Facts) { f.Log.Rows-- }, []string{"log rows + drops = requests read whole"}},
	{"a row was dropped, and counted", healthy, func(f *Facts) {
		f.Log.Rows--
		delete(f.Log.ByID, 1)
		f.Ledger["rows_dropped"] = 1
	}, []string{"rows dropped or failed"}},
	{"an answered request is not in the log", healthy, func(f *Facts) { f.Log.ByID[99] = f.Log.ByID[2]; delete(f.Log.ByID, 2) }, []string{"answered requests in the log"}},
	{"an answered request was lost to the kill", killed, func(f *Facts) { delete(f.Log.ByID, 2); f.Log.Rows-- }, []string{"rows lost to the kill ≤ requests in flight then", "answered requests in the log"}},
	{"more rows than requests after a kill", killed, func(f *Facts) { f.Log.Rows += 2 }, []string{"rows lost to the kill ≤ requests in flight then"}},
	{"a row was written twice", healthy, func(f *Facts) { f.Log.ByID[2] = append(f.Log.ByID[2], f.Log.ByID[2][0]) }, []string{"requests with more than one row"}},
	{"a row carries an id that nobody sent", healthy, func(f *Facts) { f.Log.Foreign = 1 }, []string{"log rows without an id of the load"}},
	{"the log's money differs from the ledger's", healthy, func(f *Facts) { f.Log.CostNano++ }, []string{"cost in the log = spend, in 1e-9 dollars"}},
	{"a reservation leaked", healthy, func(f *Facts) { f.Gauges["open_reservations"] = 1 }, []string{"open reservations after the drain"}},
	{"a request never ended", healthy, func(f *Facts) { f.Gauges["in_flight"] = 1 }, []string{"requests in flight after the drain"}},
	{"a budget was passed", healthy, func(f *Facts) { f.BudgetNano = 39 }, []string{"spend ≤ budget, in 1e-9 dollars"}},
	{"the worker stayed dead", killed, func(f *Facts) { f.Kill.ProcessesAfter = 4 }, []string{"processes after the kill"}},
	{"the count is right but no new process was seen", killed, func(f *Facts) { f.Kill.ReplacementSeen = false }, []string{"processes after the kill"}},
	{"nothing was answered after the kill", killed, func(f *Facts) { f.Kill.At = 1000 }, []string{"answered requests that were sent after the kill ≥ 1"}},
}

func TestEachCheckFires(t *testing.T) {
	fired := make(map[string]bool)
	for _, row := range faults {
		t.Run(row.story, func(t *testing.T) {
			f := row.from()
			row.spoil(f)
			var got []string
			for _, c := range Run(f).Failed() {
				got = append(got, c.Name)
				fired[c.Name] = true
			}
			if !slices.Equal(got, row.fires) {
				t.Errorf("fired %q, want %q", got, row.fires)
			}
		})
	}
	for _, f := range []*Facts{healthy(), aborted(), killed(), floor()} {
		for _, c := range Run(f).Checks {
			if !fired[c.Name] {
				t.Errorf("no fixture on which %q fires", c.Name)
			}
		}
	}
}

func TestTheKillNamesWhatWasInFlight(t *testing.T) {
	f := killed()
	for _, c := range Run(f).Checks {
		if c.Name == "failed requests ≤ those in flight at the kill" {
			if want := "in flight: 0000000000000009"; c.Detail != want {
				t.Errorf("detail %q, want %q", c.Detail, want)
			}
			return
		}
	}
	t.Error("no check names the requests in flight")
}

func TestAnEmptyAuditProvesNothing(t *testing.T) {
	if new(results.Audit).OK() {
		t.Error("an audit without checks passes")
	}
}
