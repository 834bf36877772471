package audit

import (
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// workerBack: the supervisor put a new process in the dead one's place.
func workerBack(f *Facts) (results.Check, bool) {
	if f.Kill == nil {
		return absent()
	}
	c, _ := equal("processes after the kill", int64(f.Kill.WantProcesses), int64(f.Kill.ProcessesAfter), "")
	if !f.Kill.ReplacementSeen {
		c.OK = false
		c.Detail = "no new process was seen"
	}
	return c, true
}

// serviceWentOn: requests sent after the kill were answered.
func serviceWentOn(f *Facts) (results.Check, bool) {
	if f.Kill == nil {
		return absent()
	}
	var n int64
	for i := range f.Records {
		if r := &f.Records[i]; r.Outcome == contract.Answered && r.Sent > f.Kill.At {
			n++
		}
	}
	return results.Check{Name: "answered requests that were sent after the kill ≥ 1", OK: n >= 1, Want: 1, Got: n}, true
}
