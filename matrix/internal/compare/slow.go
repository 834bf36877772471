package compare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/tollgate-lab/tollgate/matrix/internal/host"
	"github.com/tollgate-lab/tollgate/matrix/internal/proc"
	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
	"github.com/tollgate-lab/tollgate/matrix/internal/targets"
	"github.com/tollgate-lab/tollgate/mockupstream"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// The sides of SlowClients.
const (
	SideBeside = "beside"
	SideAlone  = "alone"
)

const (
	// slowHeadTimeout is limits.head_timeout of the gateway that is measured:
	// shorter than the default, so that a block sees the end of the heads.
	slowHeadTimeout = 5 * time.Second
	// slowLate is how much later than that a head may be closed: the gateway
	// looks at its clients ten times a second, and this host is busy.
	slowLate = 1500 * time.Millisecond
	// slowEarly is how much sooner: net/http counts from the accept, which is
	// before the first byte that is counted from here.
	slowEarly = 500 * time.Millisecond
	// slowClientBytes is the most resident memory that a slow reader may cost:
	// what waits for it in the gateway is bounded by one read of the upstream
	// (256 KiB) above the mark at which reading stops (64 KiB).
	slowClientBytes = 512 << 10
	// slowFrames × slowFrameBytes is a stream larger than the kernel keeps for
	// a connection, so that the gateway itself has to hold back.
	slowFrames     = 10_000
	slowFrameBytes = 1400
	slowFraming    = 150 // bytes of a frame around its text, at least
	// The measured part begins when the gateway has used less than stillShare of
	// one processor for stillFor.
	stillFor   = 500 * time.Millisecond
	stillShare = 0.1
	fillFor    = 60 * time.Second
)

// Slow is what one block saw beside the measured part.
type Slow struct {
	Block       int   `json:"block"`
	RSSBefore   int64 `json:"rss_before_bytes"` // up and idle
	RSSPeak     int64 `json:"rss_peak_bytes"`
	RSSAlone    int64 `json:"rss_alone_peak_bytes"`  // of the other side
	UpstreamOut int64 `json:"upstream_out_bytes"`    // what the readers' upstream could send
	Offered     int64 `json:"upstream_offers_bytes"` // what it would have sent to readers that read
	// ClosedNs is when heads were closed, from their first byte: least, median,
	// greatest.
	ClosedNs [3]int64 `json:"heads_closed_ns"`
	Faults   []string `json:"faults,omitempty"` // what must not be
}

// SlowClients measures normal traffic beside readers that take 1 KB/s of a
// stream and heads that never end, n of each, and the same traffic alone.
func SlowClients(ctx context.Context, site *stack.Site, o Options, n int, t *targets.File, say func(string, ...any)) (*Report, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.WithDefaults()
	ld, _ := load(o.Load)
	script := mockupstream.Script{Frames: slowFrames, Text: strings.Repeat("t", slowFrames*slowFrameBytes), Model: "bench"}
	big, err := mockupstream.New(mockupstream.Options{Listen: "127.0.0.1:0", Script: script})
	if err == nil {
		err = big.Start()
	}
	if err != nil {
		return nil, err
	}
	defer big.Close()
	edited := &stack.Site{Programs: site.Programs, Dir: site.Dir, EditConfig: func(text string) string {
		text = strings.Replace(text, "\nproviders:\n", fmt.Sprintf("\nlimits: { head_timeout: %v }\nproviders:\n  - name: slow\n    base_url: \"http://%s/v1\"\n", slowHeadTimeout, big.Addr()), 1)
		return strings.Replace(text, "\nmodels:\n  - name: \"*\"\n", "\nmodels:\n  - name: slow\n    provider: slow\n    price: { input_per_mtok: 1.00, output_per_mtok: 2.00 }\n  - name: \"*\"\n    provider: mock\n", 1)
	}}
	r := &Report{
		Name: "slow", Started: time.Now().UTC(), Fingerprint: host.Fingerprint(),
		Ours: fmt.Sprintf("gateway (engine %s, profile %s) beside %d slow readers and %d unfinished heads", o.Engine, o.Profile, n, n), Theirs: "the same traffic alone",
		Conditions: []string{
			fmt.Sprintf("same mock, same load (our generator, closed loop, %s), fresh processes for each measured part", ld.Words),
			fmt.Sprintf("%d blocks, sides in turn, order swapped from block to block; %v measured after %d requests a connection", o.Blocks, o.Duration, warmup),
			fmt.Sprintf("a reader takes %d bytes a second of a stream of %d MB, with a receive buffer of %d KB; a head gets a byte a second; the measured part begins when the gateway has been at rest for %v", sipBytes, slowFrames*(slowFrameBytes+slowFraming)/1_000_000, sipBuffer>>10, stillFor),
			"the readers leave after the measured part, in the middle of their streams; what was delivered to them is billed",
		},
	}
	start := func(ctx context.Context, conc int) (*stack.Stack, error) {
		return edited.Start(ctx, cellOf(&o, ld, "compare-slow", conc))
	}
	ours := side{SideBeside, func(ctx context.Context, conc int) (Sample, error) {
		s, err := start(ctx, conc)
		if err != nil {
			return Sample{}, err
		}
		x, slow, err := besideHerd(ctx, s, &o, conc, n, big)
		if err == nil {
			slow.Block = len(r.Slow)
			r.Slow = append(r.Slow, slow)
			for _, f := range slow.Faults {
				say("block %d: %s", slow.Block+1, f)
			}
		}
		return x, err
	}}
	theirs := side{SideAlone, func(ctx context.Context, conc int) (Sample, error) {
		s, err := start(ctx, conc)
		if err != nil {
			return Sample{}, err
		}
		return underLoad(ctx, s, &o, conc)
	}}
	r.Samples, err = blocks(ctx, &o, ours, theirs, say)
	r.Rows = rows(r.Samples, o.Conc, ours.name, theirs.name, func(int) []*targets.Target { return t.Family("slow-clients-cpu") })
	for _, x := range r.Samples {
		if x.Side == SideAlone && x.Block < len(r.Slow) {
			r.Slow[x.Block].RSSAlone = x.PeakRSSBytes
		}
	}
	return r, err
}

// besideHerd measures with a herd around, and takes the stack down.
func besideHerd(ctx context.Context, s *stack.Stack, o *Options, conc, n int, big *mockupstream.Server) (x Sample, slow Slow, err error) {
	keep := true
	defer func() {
		if keep {
			err = errors.Join(err, s.Close())
		}
	}()
	before, err := proc.Read(s.GatewayPID())
	if err != nil {
		return x, slow, err
	}
	for _, p := range before.Procs {
		slow.RSSBefore += p.RSSBytes
	}
	truth := big.Truth()
	h := newHerd(ctx, strings.TrimPrefix(s.Target(), "http://"))
	defer h.leave()
	body := `{"model":"slow","stream":true,"messages":[{"role":"user","content":"tell me all"}]}`
	h.readers(n, fmt.Appendf(nil, "POST /v1/chat/completions HTTP/1.1\r\nHost: slow\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", stack.Token, len(body), body))
	if err := awaitStill(ctx, h, int64(n), s.GatewayPID()); err != nil {
		return x, slow, err
	}
	slow.Offered = int64(n) * slowFrames * (slowFrameBytes + slowFraming)
	gone := h.heads(n)
	keep = false
	x, err = underLoadThen(ctx, s, o, conc, func() error {
		select {
		case <-gone:
		case <-time.After(slowHeadTimeout + slowLate):
			slow.Faults = append(slow.Faults, fmt.Sprintf("heads were open longer than %v", slowHeadTimeout+slowLate))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		after, err := proc.Read(s.GatewayPID())
		if err != nil {
			return err
		}
		use, err := proc.Between(after, after)
		slow.RSSPeak = use.PeakRSSBytes
		h.leave() // or the gateway's drain would wait for the readers
		if err != nil {
			return err
		}
		slow.UpstreamOut, err = heldBack(ctx, int64(n), truth, big)
		return err
	})
	if err != nil {
		return x, slow, err
	}
	h.mu.Lock()
	closed := slices.Sorted(slices.Values(h.closed))
	h.mu.Unlock()
	slow.judge(closed, n, h.lost.Load())
	return x, slow, h.err()
}

// awaitStill waits until every reader has begun and the gateway has nothing to
// do: all buffers between the readers' upstream and the readers are full then.
func awaitStill(ctx context.Context, h *herd, n int64, gateway int) error {
	limit := time.Now().Add(fillFor)
	tick := time.NewTicker(stillFor)
	defer tick.Stop()
	var last *proc.Reading
	for {
		now, err := proc.Read(gateway)
		if err = errors.Join(err, h.err()); err != nil {
			return err
		}
		if last != nil && h.begun.Load() == n {
			use, err := proc.Between(last, now)
			if err != nil {
				return err
			}
			if float64(use.CPUNs) < stillShare*float64(now.At.Sub(last.At)) {
				return nil
			}
		}
		if last = now; time.Now().After(limit) {
			return fmt.Errorf("%d of %d readers began, and the gateway is still busy after %v", h.begun.Load(), n, fillFor)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// heldBack reads what the readers' upstream could send of its streams. It has
// counted them once all of the readers have left.
func heldBack(ctx context.Context, n int64, before contract.GroundTruth, big *mockupstream.Server) (sent int64, err error) {
	limit := time.Now().Add(fillFor)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		g := big.Truth()
		ended := g.PeerLeft - before.PeerLeft + g.Answered - before.Answered
		if ended >= n {
			return g.BytesOut - before.BytesOut, nil
		}
		if time.Now().After(limit) {
			return 0, fmt.Errorf("the readers' upstream knows the end of %d of %d streams after %v: the gateway did not let go of it", ended, n, fillFor)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}

// judge fills in what must not be. closed is when heads were closed, rising.
func (s *Slow) judge(closed []time.Duration, n int, lost int64) {
	fault := func(format string, args ...any) { s.Faults = append(s.Faults, fmt.Sprintf(format, args...)) }
	if len(closed) > 0 {
		s.ClosedNs = [3]int64{int64(closed[0]), int64(closed[len(closed)/2]), int64(closed[len(closed)-1])}
		if closed[0] < slowHeadTimeout-slowEarly || closed[len(closed)-1] > slowHeadTimeout+slowLate {
			fault("heads were closed after %v to %v; the limit is %v", closed[0].Round(time.Millisecond), closed[len(closed)-1].Round(time.Millisecond), slowHeadTimeout)
		}
	}
	if len(closed) != n {
		fault("%d of %d heads were closed", len(closed), n)
	}
	if lost > 0 {
		fault("%d readers lost their stream", lost)
	}
	if bound := s.RSSBefore + int64(n)*slowClientBytes; s.RSSPeak > bound {
		fault("the gateway took %d MB, the bound is %d MB", s.RSSPeak>>20, bound>>20)
	}
	if s.UpstreamOut >= s.Offered {
		fault("the readers' upstream was never held back: it sent %d MB", s.UpstreamOut>>20)
	}
}

// p99Ratios is p99 beside ÷ p99 alone, of each block.
func (r *Report) p99Ratios() (out []float64) {
	for _, a := range r.Samples {
		for _, b := range r.Samples {
			if a.Side == SideBeside && b.Side == SideAlone && a.Block == b.Block && a.Conc == b.Conc && b.P99Ns > 0 {
				out = append(out, float64(a.P99Ns)/float64(b.P99Ns))
			}
		}
	}
	return out
}

// TellSlow writes what a comparison beside slow clients saw besides CPU time.
// It reports whether nothing was seen that must not be.
func (r *Report) TellSlow(w io.Writer, t *targets.File) (held bool, err error) {
	p := results.SpreadOf(r.p99Ratios())
	verdict := ""
	for _, x := range t.Family("slow-clients-p99") {
		if x.Bound.Ratio != nil {
			word := "met"
			if p.N == 0 || p.Median > x.Bound.Ratio.AtMost {
				word = "**missed**"
			}
			verdict = fmt.Sprintf("; target %s ≤ %g: %s", x.ID, x.Bound.Ratio.AtMost, word)
		}
	}
	if _, err := fmt.Fprintf(w, "p99 of the normal traffic, beside ÷ alone: %.2f (%.2f to %.2f, %d blocks)%s\n\n", p.Median, p.Min, p.Max, p.N, verdict); err != nil {
		return false, err
	}
	held = true
	fmt.Fprintln(w, "| block | RSS before | RSS at most | alone | upstream sent | of | heads closed after (least, median, most) | |\n| --: | --: | --: | --: | --: | --: | --- | --- |")
	for _, s := range r.Slow {
		word := "holds"
		if len(s.Faults) > 0 {
			word, held = "**"+strings.Join(s.Faults, "; ")+"**", false
		}
		ms := func(ns int64) time.Duration { return time.Duration(ns).Round(time.Millisecond) }
		if _, err = fmt.Fprintf(w, "| %d | %d MB | %d MB | %d MB | %d MB | %d MB | %v, %v, %v | %s |\n", s.Block+1, s.RSSBefore>>20, s.RSSPeak>>20, s.RSSAlone>>20,
			s.UpstreamOut>>20, s.Offered>>20, ms(s.ClosedNs[0]), ms(s.ClosedNs[1]), ms(s.ClosedNs[2]), word); err != nil {
			return false, err
		}
	}
	return held, nil
}

// DefaultHerd is the slow clients of each kind when nothing is said.
const DefaultHerd = 1000
