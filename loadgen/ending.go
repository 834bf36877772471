package loadgen

import (
	"fmt"
	"time"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// What both clients do alike when a request ends.

// refused records a request for which no connection could be had.
func (r *run) refused(s *shard, x *sample, err error) {
	x.end = contract.Now()
	if x.rec.Intended == 0 {
		x.rec.Intended = x.end
	}
	var rig bool
	x.rec.Outcome, rig = classifyDial(err, r.leaving())
	x.words = err.Error()
	if rig && x.seq >= 0 {
		r.errs.rigFault(err)
	}
	r.record(s, x)
}

// enforceTimeout makes a whole answer that came after the limit a time-out:
// whether the sweeper saw it in time must not matter.
func (r *run) enforceTimeout(x *sample) {
	if took := x.rec.LastByte - x.rec.Sent; took > int64(r.job.Timeout) {
		x.rec.Outcome = contract.Timeout
		x.words = fmt.Sprintf("ended after %v, the limit is %v", time.Duration(took), r.job.Timeout)
	}
}

// tellStatus puts an answer with an error status in words.
func tellStatus(body []byte, gatewayMade bool, reason string) string {
	if gatewayMade {
		return fmt.Sprintf("made by the gateway (%s): %q", reason, body)
	}
	return fmt.Sprintf("%q", body)
}
