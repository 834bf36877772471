package conn

import (
	"errors"
	"os"
	"sync/atomic"
	"time"
)

// phase is what the goroutine of a connection is blocked in.
type phase uint64

const (
	phWork       phase = iota // nothing, or something that has no limit
	phIdle                    // the first byte of a request
	phHead                    // the rest of its head, or a TLS handshake
	phBody                    // its body
	phLinger                  // bytes that are thrown away before closing
	phWrite                   // writing to the client
	phSend                    // writing to the upstream
	phAnswerHead              // the upstream's response head
	phAnswerBody              // its body
	phTimer                   // nothing but the exchange's timer
)

// onUpstream reports whether the goroutine is blocked in the upstream connection.
func (p phase) onUpstream() bool { return p >= phSend && p <= phAnswerBody }

// whileClientWaits reports whether the client may leave unnoticed.
func (p phase) whileClientWaits() bool { return p >= phSend }

// reason is why the sweeper pushed a goroutine out of its system call.
type reason uint64

const (
	pushedNot     reason = iota // nobody did: the deadline is a left-over
	pushedOverdue               // the phase took too long
	pushedLeft                  // the client is gone
	pushedTimer                 // the exchange's timer
	pushedDrain                 // idle while the engine shuts down
	pushedKilled                // the engine closes
)

// watch is what a connection's goroutine shares with the sweeper.
//
// state packs, in one word, the phase (4 bits), a sequence number (20 bits)
// and the tick at which the phase is overdue (40 bits, 0: never), so that the
// sweeper always sees the three of one moment. Its verdict carries the state
// that it was made for: a goroutine that has moved on finds that a verdict is
// not meant for it, clears the deadline and goes on.
type watch struct {
	state   atomic.Uint64
	verdict atomic.Uint64
	timer   atomic.Int64 // EvTimer is due at this time, Unix ns; 0: not set
	seq     uint64       // goroutine's
	seen    uint64       // sweeper's: the state at its last visit
}

const (
	phaseBits = 4
	seqBits   = 20
	tickShift = phaseBits + seqBits
	tickNs    = int64(time.Millisecond)
)

// publish announces the phase that begins, and the tick at which it is overdue.
func (w *watch) publish(p phase, overdue uint64) {
	w.seq++
	w.state.Store(overdue<<tickShift | w.seq&(1<<seqBits-1)<<phaseBits | uint64(p))
}

// verdictFor is read by the goroutine whose call ran into a deadline.
func (w *watch) verdictFor() reason {
	v := w.verdict.Load()
	if v>>phaseBits != w.state.Load()>>phaseBits {
		return pushedNot
	}
	return reason(v & (1<<phaseBits - 1))
}

// judge is called by the sweeper with a state that it read.
func (w *watch) judge(state uint64, r reason) {
	w.verdict.Store(state>>phaseBits<<phaseBits | uint64(r))
}

func phaseOf(state uint64) phase { return phase(state & (1<<phaseBits - 1)) }

func overdueAt(state uint64) uint64 { return state >> tickShift }

// long ago: a deadline that fails every call at once.
var past = time.Unix(1, 0)

func isDeadline(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
