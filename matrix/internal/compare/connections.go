package compare

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/tollgate-lab/tollgate/matrix/bodies"
	"github.com/tollgate-lab/tollgate/matrix/internal/host"
	"github.com/tollgate-lab/tollgate/matrix/internal/proc"
	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
	"github.com/tollgate-lab/tollgate/matrix/internal/targets"
	"github.com/tollgate-lab/tollgate/mockupstream"
	"github.com/tollgate-lab/tollgate/results"
)

// Kinds of connections whose memory is asked for.
const (
	KindIdle   = "idle"   // each made one request, and waits
	KindStream = "stream" // each has one frame of a stream, and waits for the next
)

// Held is the memory of a gateway that holds connections.
type Held struct {
	Engine      string  `json:"engine"`
	Kind        string  `json:"kind"`
	Connections int     `json:"connections"`
	Block       int     `json:"block"`
	RSSBytes    int64   `json:"rss_bytes"` // of the process tree, at rest
	Descriptors int     `json:"descriptors"`
	PerConn     float64 `json:"bytes_per_connection,omitempty"` // above the same gateway before, for each
}

// Holdings is a whole measurement.
type Holdings struct {
	Started     time.Time           `json:"started"`
	Fingerprint results.Fingerprint `json:"fingerprint"`
	Samples     []Held              `json:"samples"`
}

// restGap is the wait between two frames of a stream that is only held.
const restGapUs = 300e6

// Connections measures, for each engine, a gateway that holds 0 and then each
// of idle connections, and one that holds streams of them open; fresh processes
// for each, blocks times.
func Connections(ctx context.Context, site *stack.Site, engines []string, idle []int, streams, blocks int, say func(string, ...any)) (*Holdings, error) {
	h := &Holdings{Started: time.Now().UTC(), Fingerprint: host.Fingerprint()}
	for b := range blocks {
		for _, engine := range engines {
			for i, n := range append(append([]int{0}, idle...), streams) {
				kind := KindIdle
				if i > len(idle) {
					kind = KindStream
				}
				if n == 0 && i > 0 {
					continue
				}
				x, err := hold(ctx, site, engine, kind, n)
				if err != nil {
					return h, fmt.Errorf("block %d, engine %s, %d %s connections: %w", b+1, engine, n, kind, err)
				}
				x.Block = b
				h.Samples = append(h.Samples, x)
				say("block %d/%d  %-7s %6d %-6s %6.1f MB, %d descriptors", b+1, blocks, engine, n, kind, float64(x.RSSBytes)/1e6, x.Descriptors)
			}
		}
	}
	return h, nil
}

// hold starts a gateway, lets n clients connect and make one request each, and
// reads its memory once it is at rest.
func hold(ctx context.Context, site *stack.Site, engine, kind string, n int) (x Held, err error) {
	upstream := ""
	if kind == KindStream {
		// One for each measurement: it keeps a stream that it has not sent to its
		// end, whoever has left, and with it a descriptor.
		slow, err := mockupstream.New(mockupstream.Options{Listen: "127.0.0.1:0", Script: mockupstream.Script{
			Frames: 2, Model: "bench", Timing: mockupstream.Timing{Gap: mockupstream.Wait{Kind: mockupstream.WaitConstant, MeanUs: restGapUs}},
		}})
		if err == nil {
			err = slow.Start()
		}
		if err != nil {
			return x, err
		}
		defer slow.Close()
		upstream = slow.Addr()
	}
	o := Options{Engine: engine, Workers: 1}.WithDefaults()
	ld, _ := load(DefaultLoad)
	s, err := (&stack.Site{Programs: site.Programs, Dir: site.Dir, EditConfig: func(text string) string {
		if upstream != "" {
			at := strings.Index(text, "base_url: ")
			end := at + strings.IndexByte(text[at:], '\n')
			text = text[:at] + fmt.Sprintf("base_url: \"http://%s/v1\"", upstream) + text[end:]
		}
		return text
	}}).Start(ctx, cellOf(&o, ld, "connections", max(n, 1)))
	if err != nil {
		return x, err
	}
	h := newHerd(ctx, strings.TrimPrefix(s.Target(), "http://"))
	defer func() { err = errors.Join(err, s.Close()) }()
	defer h.leave()
	x = Held{Engine: engine, Kind: kind, Connections: n}
	before, err := atRest(ctx, s.GatewayPID())
	if err != nil {
		return x, err
	}
	if err := h.holders(n, kind == KindStream); err != nil {
		return x, err
	}
	after, err := atRest(ctx, s.GatewayPID())
	if err != nil {
		return x, err
	}
	x.RSSBytes = rss(after)
	if n > 0 {
		x.PerConn = float64(x.RSSBytes-rss(before)) / float64(n)
	}
	fds, err := os.ReadDir(filepath.Join("/proc", fmt.Sprint(s.GatewayPID()), "fd"))
	if err != nil {
		return x, fmt.Errorf("count descriptors: %w", err)
	}
	x.Descriptors = len(fds)
	if x.Descriptors < n {
		return x, fmt.Errorf("the gateway has %d descriptors for %d connections: it holds fewer", x.Descriptors, n)
	}
	return x, h.err()
}

func rss(r *proc.Reading) (n int64) {
	for _, p := range r.Procs {
		n += p.RSSBytes
	}
	return n
}

// atRest reads the process tree once it has used less than stillShare of one
// processor for stillFor.
func atRest(ctx context.Context, pid int) (*proc.Reading, error) {
	limit := time.Now().Add(fillFor)
	tick := time.NewTicker(stillFor)
	defer tick.Stop()
	last, err := proc.Read(pid)
	for err == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		var now *proc.Reading
		if now, err = proc.Read(pid); err != nil {
			break
		}
		var use proc.Use
		if use, err = proc.Between(last, now); err != nil {
			break
		}
		if float64(use.CPUNs) < stillShare*float64(now.At.Sub(last.At)) {
			return now, nil
		}
		if last = now; time.Now().After(limit) {
			err = fmt.Errorf("the gateway is still busy after %v", fillFor)
		}
	}
	return nil, err
}

// atOnce bounds how many clients connect at the same time: the listener's queue
// is finite.
const atOnce = 64

// holders opens n connections, each with one request: answered, or with the
// first bytes of its stream. They stay until the herd leaves.
func (h *herd) holders(n int, stream bool) error {
	body, _ := bodies.Embedded("90B")
	if stream {
		body = []byte(strings.Replace(string(body), "{", `{"stream":true,`, 1))
	}
	request := fmt.Appendf(nil, "POST /v1/chat/completions HTTP/1.1\r\nHost: held\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", stack.Token, len(body), body)
	var ready sync.WaitGroup
	room := make(chan struct{}, atOnce)
	for i := range n {
		ready.Add(1)
		h.all.Go(func() {
			room <- struct{}{}
			began := sync.OnceFunc(func() { <-room; ready.Done() })
			defer began()
			c, err := h.dial(0)
			if err != nil {
				h.fault(err)
				return
			}
			defer c.Close()
			unhook := context.AfterFunc(h.ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
			defer unhook()
			if _, err := c.Write(request); err != nil {
				h.fault(err)
				return
			}
			in := bufio.NewReaderSize(c, 512)
			res, err := http.ReadResponse(in, &http.Request{Method: "POST"})
			if err != nil || res.StatusCode != http.StatusOK {
				h.fault(fmt.Errorf("client %d: status of %v, %w", i, res, errors.Join(err, errUnheld)))
				return
			}
			if stream {
				_, err = io.ReadFull(res.Body, make([]byte, 8))
			} else {
				_, err = io.Copy(io.Discard, res.Body)
			}
			if err != nil {
				h.fault(fmt.Errorf("client %d: %w", i, err))
				return
			}
			began()
			<-h.ctx.Done()
		})
	}
	ready.Wait()
	return h.err()
}

var errUnheld = errors.New("the request was not answered")

// Markdown writes the medians and judges the targets. It reports whether every
// target was met.
func (h *Holdings) Markdown(w io.Writer, t *targets.File) (met bool, err error) {
	type key struct {
		engine, kind string
		n            int
	}
	var order []key
	size, each := map[key][]float64{}, map[key][]float64{}
	for _, s := range h.Samples {
		k := key{s.Engine, s.Kind, s.Connections}
		if size[k] == nil {
			order = append(order, k)
		}
		size[k] = append(size[k], float64(s.RSSBytes)/1e6)
		if s.Connections > 0 {
			each[k] = append(each[k], s.PerConn/1e3)
		}
	}
	bounds := map[key]string{
		{"conn", KindIdle, 0}: "rss-idle-gateway", {"epoll", KindIdle, 10_000}: "rss-idle-clients-epoll", {"conn", KindIdle, 10_000}: "rss-idle-clients-conn",
	}
	met = true
	_, err = fmt.Fprintln(w, "| engine | connections | | RSS, MB (median, range) | KB for each | target | |\n| --- | --: | --- | --: | --: | --- | --- |")
	for _, k := range order {
		r, e := results.SpreadOf(size[k]), results.SpreadOf(each[k])
		target, verdict := "", ""
		for _, x := range t.Family(bounds[k]) {
			if bounds[k] == "" || x.Bound.Absolute == nil {
				continue
			}
			target, verdict = fmt.Sprintf("%s ≤ %g %s", x.ID, x.Bound.Absolute.AtMost, x.Bound.Absolute.Unit), "met"
			if r.Median > x.Bound.Absolute.AtMost {
				verdict, met = "**missed**", false
			}
		}
		per := ""
		if k.n > 0 {
			per = fmt.Sprintf("%.1f", e.Median)
		}
		if err == nil {
			_, err = fmt.Fprintf(w, "| %s | %d | %s | %.1f (%.1f to %.1f, %d starts) | %s | %s | %s |\n", k.engine, k.n, k.kind, r.Median, r.Min, r.Max, r.N, per, target, verdict)
		}
	}
	return met, err
}
