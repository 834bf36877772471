package loadgen

import (
	"context"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// Every request of the schedule is sent, never before its time, and the
// stamps say by how much after it.
func TestOpenLoopFollowsItsSchedule(t *testing.T) {
	eachClient(t, func(t *testing.T, client string) {
		for _, arrivals := range []string{ArrivalsConstant, ArrivalsPoisson} {
			s := serve(t, good)
			job := jobFor(s.url, client)
			job.RatePerS, job.Arrivals, job.Seed = 2000, arrivals, 3
			job.Requests, job.Warmup, job.Conc, job.StreamEvery, job.KeepRecords = 150, 20, 8, 4, true
			res := mustRun(t, job)
			if res.Outcomes["answered"] != 150 || res.Scheduled != 150 || s.received() != 170 {
				t.Fatalf("%s: outcomes %v, %d received, errors %q", arrivals, res.Outcomes, s.received(), res.Errors)
			}
			sched, err := Arrival{arrivals, 2000, 3}.Schedule(170)
			if err != nil {
				t.Fatal(err)
			}
			base := res.Records[0].Intended - sched[20]
			for i, r := range res.Records {
				if r.Intended != base+sched[20+i] {
					t.Fatalf("%s: request %d was intended at %d, not %d", arrivals, i, r.Intended-base, sched[20+i])
				}
				if r.Sent < r.Intended {
					t.Errorf("%s: request %d was sent %d ns early", arrivals, i, r.Intended-r.Sent)
				}
			}
			for _, l := range []Latency{SendLag, ResponseTime} {
				if h, err := res.Histogram(l); err != nil || h.TotalCount() != 150 {
					t.Errorf("%s: %s: %v", arrivals, l, err)
				}
			}
		}
	})
}

// With one connection that never comes back, the rest of the schedule is
// unsent: counted, not forgotten.
func TestOpenLoopCountsWhatItCouldNotSend(t *testing.T) {
	eachClient(t, func(t *testing.T, client string) {
		s := serve(t, func(n int, req *http.Request, body []byte) reply {
			if n == 0 {
				return good(n, req, body)
			}
			return reply{then: hang}
		})
		job := jobFor(s.url, client)
		job.Conc, job.RatePerS, job.Requests, job.Timeout = 1, 1000, 40, 100*time.Millisecond
		res := mustRun(t, job)
		if res.Scheduled != 40 || res.Outcomes["answered"] != 1 || res.Outcomes["timeout"] == 0 || res.Outcomes["unsent"] == 0 {
			t.Errorf("outcomes %v", res.Outcomes)
		}
		if got := res.Outcomes["timeout"] + res.Outcomes["unsent"]; got != 39 {
			t.Errorf("%d timed out or unsent, want 39", got)
		}
		if h, err := res.Histogram(SendLag); err != nil || h.TotalCount() != 40-res.Outcomes["unsent"] {
			t.Errorf("send lag of %d requests, %v; outcomes %v", h.TotalCount(), err, res.Outcomes)
		}
		if !strings.Contains(strings.Join(res.Errors, " "), "was free within 100ms") {
			t.Errorf("errors %q", res.Errors)
		}
	})
}

// A stall of the target shows in the response time of every request that was
// due in it, though only one was in flight.
func TestOpenLoopDoesNotOmitAStall(t *testing.T) {
	eachClient(t, func(t *testing.T, client string) {
		stall := newWaiter()
		defer stall.close()
		s := serve(t, func(n int, req *http.Request, body []byte) reply {
			if n == 20 {
				stall.until(contract.Now() + int64(80*time.Millisecond)) // the schedule ends within
			}
			return good(n, req, body)
		})
		job := jobFor(s.url, client)
		job.Conc, job.RatePerS, job.Requests, job.KeepRecords = 1, 1000, 60, true
		res := mustRun(t, job)
		if res.Outcomes["answered"] != 60 {
			t.Fatalf("outcomes %v, errors %q", res.Outcomes, res.Errors)
		}
		released := res.Records[20].LastByte
		for i, r := range res.Records[21:] {
			if r.Intended >= released {
				t.Errorf("request %d was due after the stall", 21+i)
			}
			if r.Sent < released {
				t.Errorf("request %d was sent while the only connection was busy", 21+i)
			}
		}
		h, err := res.Histogram(ResponseTime)
		if err != nil {
			t.Fatal(err)
		}
		// 40 of 60 waited: for the stall, less their place in the schedule.
		if p50 := h.ValueAtPercentile(50); p50 < int64(30*time.Millisecond) {
			t.Errorf("the median response time is %v: the stall is not in it", time.Duration(p50))
		}
	})
}

// An interrupted schedule counts what was due and no more.
func TestInterruptedOpenLoop(t *testing.T) {
	eachClient(t, func(t *testing.T, client string) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := serve(t, func(n int, req *http.Request, body []byte) reply {
			if n == 5 {
				cancel()
			}
			return good(n, req, body)
		})
		job := jobFor(s.url, client)
		job.Conc, job.RatePerS, job.Requests = 2, 100, 1_000_000 // hours
		res, err := Run(ctx, job, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !res.Interrupted || res.Outcomes["answered"] < 5 || res.Scheduled > 100_000 {
			t.Errorf("interrupted %v, outcomes %v", res.Interrupted, res.Outcomes)
		}
		if res.Scheduled != sum(res.Outcomes) {
			t.Errorf("scheduled %d, outcomes %v", res.Scheduled, res.Outcomes)
		}
	})
}

func sum(m map[string]int64) (n int64) {
	for _, v := range m {
		n += v
	}
	return n
}

// A connection that the server closed while it was idle is replaced before a
// request is lost on it.
func TestIdleConnectionsAreLookedAt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("peerIdle cannot look on this system (peek_other.go)")
	}
	c := steadyConn(t, false)
	c.run.sched = []int64{0} // open loop
	long := func() int64 { return contract.Now() - 2*idleLong }
	if err := c.connected(long()); err != nil || c.run.connects.Load() != 1 {
		t.Fatalf("a sound connection was replaced: %d connects, %v", c.run.connects.Load(), err)
	}
	// The server's end arrives some time after the client's half is closed.
	if err := c.conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for peerIdle(c.conn) {
		if ctx.Err() != nil {
			t.Fatal("the server never closed")
		}
		runtime.Gosched()
	}
	if err := c.connected(contract.Now()); err != nil || c.run.connects.Load() != 1 {
		t.Errorf("a connection in use was looked at: %d connects, %v", c.run.connects.Load(), err)
	}
	if err := c.connected(long()); err != nil || c.run.connects.Load() != 2 {
		t.Errorf("%d connects, %v; want a second one", c.run.connects.Load(), err)
	}
	c.exchange(5, contract.Now())
	if n := c.run.shards[0].outcomes[contract.Answered]; n != 4 {
		t.Errorf("outcomes %v", c.run.shards[0].outcomes.Map())
	}
}
