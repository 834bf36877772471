package loadgen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/loadgen/http1"
	"github.com/tollgate-lab/tollgate/results/contract"
)

func netError(op string, err error) error {
	return &net.OpError{Op: op, Net: "tcp", Err: os.NewSyscallError(op, err)}
}

func TestClassifyDial(t *testing.T) {
	for _, tt := range []struct {
		story string
		err   error
		left  bool
		want  contract.Outcome
		rig   bool
	}{
		{"refused", netError("connect", syscall.ECONNREFUSED), false, contract.Refused, false},
		{"unreachable", netError("connect", syscall.EHOSTUNREACH), false, contract.Refused, false},
		{"no answer", &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, false, contract.Timeout, false},
		{"out of ports", netError("connect", syscall.EADDRNOTAVAIL), false, contract.Unsent, true},
		{"out of descriptors", netError("socket", syscall.EMFILE), false, contract.Unsent, true},
		{"the run ended", context.Canceled, true, contract.ClientAborted, false},
	} {
		if got, rig := classifyDial(tt.err, tt.left); got != tt.want || rig != tt.rig {
			t.Errorf("%s: %v, rig %v; want %v, rig %v", tt.story, got, rig, tt.want, tt.rig)
		}
	}
}

func TestClassifyBroken(t *testing.T) {
	for _, tt := range []struct {
		story string
		err   error
		begun bool
		left  bool
		want  contract.Outcome
	}{
		{"closed at once", io.EOF, false, false, contract.Reset},
		{"reset at once", netError("read", syscall.ECONNRESET), false, false, contract.Reset},
		{"reset while writing", netError("write", syscall.EPIPE), false, false, contract.Reset},
		{"closed inside", io.ErrUnexpectedEOF, true, false, contract.ShortBody},
		{"reset inside", netError("read", syscall.ECONNRESET), true, false, contract.ShortBody},
		{"malformed", fmt.Errorf("%w: x", http1.ErrSyntax), true, false, contract.BadStream},
		{"malformed for net/http", errors.New("malformed chunked encoding"), true, false, contract.BadStream},
		{"late", os.ErrDeadlineExceeded, true, false, contract.Timeout},
		{"late for net/http", context.DeadlineExceeded, false, false, contract.Timeout},
		{"the run ended", os.ErrDeadlineExceeded, true, true, contract.ClientAborted},
	} {
		if got := classifyBroken(tt.err, tt.begun, tt.left); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.story, got, tt.want)
		}
	}
}

// The limit holds for an answer that came whole, too.
func TestEnforceTimeout(t *testing.T) {
	r := &run{job: Job{Timeout: time.Second}}
	for took, want := range map[time.Duration]contract.Outcome{
		time.Second: contract.Answered, time.Second + 1: contract.Timeout,
	} {
		x := sample{rec: contract.ClientRecord{Sent: 5, LastByte: 5 + int64(took)}}
		if r.enforceTimeout(&x); x.rec.Outcome != want {
			t.Errorf("after %v: %v, want %v", took, x.rec.Outcome, want)
		}
	}
}

// A host that runs out of something is told apart from a target that fails.
func TestRigFaultsAreWarnings(t *testing.T) {
	r := &run{shards: []*shard{new(shard)}, req: &rendered{}, ctx: t.Context()}
	for i := range int64(3) {
		x := sample{seq: i}
		r.refused(r.shards[0], &x, netError("socket", syscall.EMFILE))
	}
	res, err := r.result(false)
	if err != nil || res.Outcomes["unsent"] != 3 || len(res.Warnings) != 1 {
		t.Errorf("outcomes %v, warnings %q, %v", res.Outcomes, res.Warnings, err)
	}
}
