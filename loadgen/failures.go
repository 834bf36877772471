package loadgen

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// maxWords is how many failures a result tells in words.
const maxWords = 8

// failures keeps the first failures in words, the first rejection, and the
// first rig fault.
type failures struct {
	full     atomic.Bool // lines is full and there was a rejection
	mu       sync.Mutex
	lines    []string
	rejected string
	rig      string
	rigs     int64
}

func (f *failures) add(x *sample) {
	if f.full.Load() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch o := x.rec.Outcome; {
	case o.Failed() && len(f.lines) < maxWords:
		f.lines = append(f.lines, x.tell())
	case o == contract.Rejected && f.rejected == "":
		f.rejected = x.tell()
	}
	f.full.Store(len(f.lines) == maxWords && f.rejected != "")
}

// rigFault notes that this host, not the target, was short of something.
func (f *failures) rigFault(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rigs++
	if f.rig == "" {
		f.rig = err.Error()
	}
}

func (f *failures) warnings(rejected int64) (w []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rigs > 0 {
		w = append(w, fmt.Sprintf("rig fault: %d requests were not sent because this host is out of ports, descriptors or memory; the first: %s", f.rigs, f.rig))
	}
	if rejected > 0 {
		w = append(w, fmt.Sprintf("%d requests were rejected; the first: %s", rejected, f.rejected))
	}
	return w
}

// tell puts an ended request in words.
func (x *sample) tell() string {
	var id [contract.IDLen]byte
	contract.PutID(id[:], x.rec.ID)
	kind := "plain"
	if x.rec.Streamed {
		kind = "streamed"
	}
	status := ""
	if x.rec.Status > 0 {
		status = fmt.Sprintf(" status %d", x.rec.Status)
	}
	return fmt.Sprintf("request %d (%s, id %s):%s %s: %s", x.seq, kind, id[:], status, x.rec.Outcome, x.words)
}
