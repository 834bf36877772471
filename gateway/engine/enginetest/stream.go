package enginetest

import (
	"fmt"
	"strings"
	"testing"
)

// frames are a stream as an upstream sends it; usageFrame is what the gateway
// asked for and hides.
var frames = []string{
	"data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
	"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"h\u00e9\u4f60\"}}]}\n\n",
	": keep-alive\n\n",
	"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
}

const (
	usageFrame = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4,\"total_tokens\":7}}\n\n"
	doneFrame  = "data: [DONE]\n\n"
)

var (
	streamSent  = strings.Join(frames, "") + usageFrame + doneFrame
	streamShown = strings.Join(frames, "") + doneFrame
)

const (
	streamHead  = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	chunkedHead = streamHead + "Transfer-Encoding: chunked\r\n\r\n"
)

// framings are the ways in which one stream can be framed.
func framings() map[string]string {
	perFrame := ""
	for _, f := range append(append([]string{}, frames...), usageFrame, doneFrame) {
		perFrame += fmt.Sprintf("%x;ext=1\r\n%s\r\n", len(f), f)
	}
	return map[string]string{
		"length":         withLength("text/event-stream", streamSent),
		"chunk a frame":  chunkedHead + perFrame + "0\r\n\r\n",
		"one chunk":      chunkedHead + chunks(streamSent, len(streamSent)),
		"chunk a byte":   chunkedHead + chunks(streamSent, 1),
		"with a trailer": chunkedHead + strings.TrimSuffix(chunks(streamSent, 100), "\r\n") + "X-Sum: 1\r\n\r\n",
		"to the close":   streamHead + "\r\n" + streamSent,
		"HTTP/1.0":       strings.Replace(streamHead, "1.1", "1.0", 1) + "\r\n" + streamSent,
	}
}

var streamStories = []story{
	{"every framing of a stream", func(t *testing.T, s *suite) {
		for name, wire := range framings() {
			t.Run(name, func(t *testing.T) {
				r := s.newRig(t, func(p *peer) {
					for {
						if _, _, ok := p.request(); !ok || !p.send(wire) || name == "to the close" || name == "HTTP/1.0" {
							return
						}
					}
				})
				c := r.dial()
				for range 2 {
					c.send(post(streamBody))
					if a := c.want(200); a.body != streamShown {
						t.Errorf("got %q", a.body)
					}
				}
				r.eventually("two rows", func() bool { return r.rows.count() == 2 })
				if row := r.rows.last(); row.OutputTok != 4 || row.PromptTok != 3 || row.Estimated {
					t.Errorf("row %+v", row)
				}
			})
		}
	}},
	{"split at every byte", func(t *testing.T, s *suite) {
		wire := framings()["chunk a frame"]
		at := make(chan int, 1)
		r := s.newRig(t, func(p *peer) {
			for {
				if _, _, ok := p.request(); !ok {
					return
				}
				i := <-at
				p.send(wire[:i], wire[i:])
			}
		})
		c := r.dial()
		for i := range len(wire) {
			at <- i
			c.send(post(streamBody))
			if a := c.want(200); a.body != streamShown {
				t.Fatalf("split at %d: got %q", i, a.body)
			}
		}
	}},
	{"each byte a write", func(t *testing.T, s *suite) {
		wire := framings()["with a trailer"]
		r := s.newRig(t, func(p *peer) {
			if _, _, ok := p.request(); ok {
				p.send(strings.Split(wire, "")...)
				p.waitClosed()
			}
		})
		c := r.dial()
		c.send(post(streamBody))
		if a := c.want(200); a.body != streamShown {
			t.Errorf("got %q", a.body)
		}
	}},
	{"frames pass while the upstream holds the rest back", func(t *testing.T, s *suite) {
		next := make(chan struct{})
		r := s.newRig(t, func(p *peer) {
			if _, _, ok := p.request(); !ok {
				return
			}
			p.send(chunkedHead)
			for _, f := range append(append([]string{}, frames...), doneFrame) {
				p.send(fmt.Sprintf("%x\r\n%s\r\n", len(f), f))
				if _, ok := <-next; !ok {
					return
				}
			}
			p.send("0\r\n\r\n")
			p.waitClosed()
		})
		c := r.dial()
		c.send(post(streamBody))
		b := c.body()
		for _, f := range append(append([]string{}, frames...), doneFrame) {
			b.want(f)
			next <- struct{}{}
		}
		b.wantEnd()
	}},
	{"a stream to an HTTP/1.0 client ends with the connection", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(framings()["chunk a frame"]))
		c := r.dial()
		c.send(strings.Replace(post(streamBody, "Connection: keep-alive\r\n"), "HTTP/1.1", "HTTP/1.0", 1))
		a := c.want(200)
		if a.body != streamShown || len(a.TransferEncoding) != 0 || !a.Close {
			t.Errorf("coding %q close %v body %q", a.TransferEncoding, a.Close, a.body)
		}
	}},
}
