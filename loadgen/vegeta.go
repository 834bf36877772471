package loadgen

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/tollgate-lab/tollgate/loadgen/answer"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// The vegeta client: net/http under the vegeta library's attack loop. Vegeta
// decides which worker sends next; when and what is sent, and every stamp,
// are ours, since vegeta stamps when a worker starts a hit (not when the
// schedule wanted it), reads a body whole before it looks at it, and ends
// every request after 30 s.
//
// A closed loop is Conc workers with no pause between hits.

// vegeta runs the job with one Attacker, which serves one attack.
func (r *run) vegeta() error {
	dialer := net.Dialer{Timeout: r.job.Timeout, KeepAlive: -1}
	transport := &http.Transport{
		// No proxy: what the environment names would be measured in secret.
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, addr)
			if err == nil {
				r.connects.Add(1)
			}
			return conn, err
		},
		MaxConnsPerHost:     r.job.Conc,
		MaxIdleConns:        r.job.Conc,
		MaxIdleConnsPerHost: r.job.Conc,
		DisableCompression:  true,
		// HTTP/1.1 only, as the lean client.
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{},
	}
	defer transport.CloseIdleConnections()
	unhook := context.AfterFunc(r.ctx, func() {
		r.stopped.Store(true)
		if r.wait != nil {
			r.wait.stop()
		}
	})
	defer unhook()

	trip := &roundTripper{run: r, next: transport}
	trip.checkers.New = func() any { return r.newChecker() }
	conc := uint64(r.job.Conc)
	attacker := vegeta.NewAttacker(
		// Without a time-out of its own: each request has one in its context.
		vegeta.Client(&http.Client{Transport: trip}),
		vegeta.Redirects(vegeta.NoFollow),
		vegeta.Workers(conc), vegeta.MaxWorkers(conc),
		vegeta.MaxBody(0), // the body is measured as it streams by, and not kept
	)
	target := func(t *vegeta.Target) error {
		t.Method, t.URL = r.job.Method, r.req.url
		return nil
	}
	r.base = contract.Now() + int64(openLoopLead)
	for range attacker.Attack(target, pacer{r}, 0, "") {
		// Each hit was recorded where its body ended.
	}
	return nil
}

// pacer draws requests for vegeta's loop: hit n of the attack, whichever
// worker makes it, is request n of the run. It waits in Pace, since vegeta
// would sleep on the runtime's timers, and could not be woken.
type pacer struct{ run *run }

func (p pacer) Pace(time.Duration, uint64) (wait time.Duration, stop bool) {
	var ok bool
	if p.run.openLoop() {
		_, _, ok = p.run.drawDue()
	} else {
		_, ok = p.run.draw(contract.Now())
	}
	return 0, !ok
}

func (p pacer) Rate(time.Duration) float64 { return p.run.job.RatePerS }

// roundTripper sends what the attack loop asks for.
type roundTripper struct {
	run      *run
	next     http.RoundTripper
	checkers sync.Pool // of *answer.Checker
}

func (t *roundTripper) checker() *answer.Checker { return t.checkers.Get().(*answer.Checker) }
