package audit

import (
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// Run makes every check that applies to the cell.
func Run(f *Facts) *results.Audit {
	a := new(results.Audit)
	for _, check := range checks {
		if c, applies := check(f); applies {
			a.Checks = append(a.Checks, c)
		}
	}
	return a
}

// A check returns false when it does not apply.
type check func(*Facts) (results.Check, bool)

var checks = []check{
	scheduled, failures, received, answered, identified,
	billedPrompt, billedOutput, billedPerRequest, billedAborted,
	logRows, logDrops, logComplete, logOnce, logForeign, logCost,
	reservations, inFlight, spend,
	workerBack, serviceWentOn,
}

func equal(name string, want, got int64, detail string) (results.Check, bool) {
	return results.Check{Name: name, OK: want == got, Want: want, Got: got, Detail: detail}, true
}

func atMost(name string, limit, got int64, detail string) (results.Check, bool) {
	return results.Check{Name: name, OK: got <= limit, Want: limit, Got: got, Detail: detail}, true
}

// within allows got to differ from want by slack either way.
func within(name string, want, got, slack int64, detail string) (results.Check, bool) {
	d := got - want
	return results.Check{Name: name, OK: -slack <= d && d <= slack, Want: want, Got: got, Detail: detail}, true
}

func absent() (results.Check, bool) { return results.Check{}, false }

func scheduled(f *Facts) (results.Check, bool) {
	return equal("scheduled = sum over outcomes", f.Scheduled, f.Measured.Total(), "")
}

// failures is no loss by itself, but a cell whose load failed measured
// something else than its name says.
func failures(f *Facts) (results.Check, bool) {
	c := f.all()
	if f.Kill != nil {
		return atMost("failed requests ≤ those in flight at the kill", f.slack(), c.Failures(), "in flight: "+idList(f.unanswered()))
	}
	return equal("failed requests", 0, c.Failures(), "")
}

func received(f *Facts) (results.Check, bool) {
	if f.Ledger == nil || f.floor() {
		c := f.all()
		// A request that failed may or may not have reached the mock.
		lost := c.Failures() - c[contract.Unsent] - c[contract.Refused] + c[contract.Rejected] + c[contract.ClientAborted]
		return within("mock received = requests sent", f.sent(), f.Truth.Received, lost, "")
	}
	detail := ""
	if f.Kill != nil {
		detail = "an attempt cut by the kill may not have been received whole"
	}
	return within("mock received = upstream attempts", f.Ledger["upstream_attempts"], f.Truth.Received, f.slack(), detail)
}

func answered(f *Facts) (results.Check, bool) {
	c := f.all()
	if f.Ledger == nil {
		return atMost("answered ≤ answers that the mock sent whole", f.Truth.Answered, c[contract.Answered], "")
	}
	detail := ""
	if f.Kill != nil {
		detail = "a worker killed between the last byte and its count differs by what it had in flight"
	}
	return within("answered = answered from upstream", f.Ledger["answered"], c[contract.Answered], f.slack(), detail)
}

// identified holds the join up: without it a toll is a toll of some requests.
func identified(f *Facts) (results.Check, bool) {
	if f.Join == contract.JoinNone || f.Records == nil {
		return absent()
	}
	stamped := make(map[uint64]bool, len(f.Stamps))
	for i := range f.Stamps {
		stamped[f.Stamps[i].ID] = true
	}
	var want, got int64
	var missing []uint64
	for i := range f.Records {
		r := &f.Records[i]
		if r.Outcome != contract.Answered {
			continue
		}
		want++
		if stamped[r.ID] {
			got++
		} else {
			missing = append(missing, r.ID)
		}
	}
	detail := ""
	if len(missing) > 0 {
		detail = "no stamp for " + idList(missing)
	}
	return equal("answered requests stamped by the mock", want, got, detail)
}

func reservations(f *Facts) (results.Check, bool) {
	return gauge(f, "open reservations", "open_reservations")
}

func inFlight(f *Facts) (results.Check, bool) { return gauge(f, "requests in flight", "in_flight") }

func gauge(f *Facts, name, counter string) (results.Check, bool) {
	n, ok := f.Gauges[counter]
	if !ok {
		return absent()
	}
	return equal(name+" after the drain", 0, n, "")
}

func spend(f *Facts) (results.Check, bool) {
	if f.Ledger == nil || f.BudgetNano == 0 {
		return absent()
	}
	return atMost("spend ≤ budget, in 1e-9 dollars", f.BudgetNano, f.Ledger["spend_nano"], "")
}
