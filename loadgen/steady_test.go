package loadgen

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net"
	"testing"

	"github.com/tollgate-lab/tollgate/results/contract"
)

func discardLog() *log.Logger { return log.New(io.Discard, "", 0) }

// echo is the least server there can be: it answers each read of its
// connections with the same bytes, and allocates nothing.
func echo(t testing.TB, answer []byte) (addr string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				buf := make([]byte, 32<<10)
				for {
					if _, err := c.Read(buf); err != nil {
						return
					}
					if _, err := c.Write(answer); err != nil {
						return
					}
				}
			}()
		}
	}()
	return l.Addr().String()
}

// steadyConn is a connection of a running job, for one exchange at a time.
func steadyConn(t testing.TB, streamed bool) *leanConn {
	answer := length(200, chat(hello))
	if streamed {
		answer = streamHead + chunked(frames(hello, 10)...) + lastChunk
	}
	addr := echo(t, []byte(answer))
	job := jobFor("http://"+addr, ClientLean)
	if streamed {
		job.StreamEvery = 1
	}
	if err := job.Validate(); err != nil {
		t.Fatal(err)
	}
	r, err := newRun(t.Context(), job.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	c := newLeanConn(r, r.shards[0], addr)
	t.Cleanup(c.hangUp)
	if err := c.dial(); err != nil {
		t.Fatal(err)
	}
	for seq := range int64(3) { // buffers and histograms grow once
		c.exchange(seq, 0)
	}
	if n := r.shards[0].outcomes[contract.Answered]; n != 3 {
		t.Fatalf("outcomes %v, %q", r.shards[0].outcomes.Map(), r.errs.lines)
	}
	return c
}

func TestLeanClientAllocatesNothing(t *testing.T) {
	for name, streamed := range map[string]bool{"plain": false, "stream of 10 frames": true} {
		t.Run(name, func(t *testing.T) {
			c := steadyConn(t, streamed)
			if n := testing.AllocsPerRun(200, func() { c.exchange(4, 0) }); n != 0 {
				t.Errorf("%v allocations for a request", n)
			}
			if n := c.run.connects.Load(); n != 1 {
				t.Errorf("%d connections", n)
			}
		})
	}
}

// BenchmarkExchange is a request of the lean client over loopback, answered by
// the least server; that server's time is in it. The floor is the same bytes
// to and fro with nothing read into them.
func BenchmarkExchange(b *testing.B) {
	for _, frames := range []int{0, 10} {
		b.Run(fmt.Sprintf("frames=%d", frames), func(b *testing.B) {
			streamed := frames > 0
			c := steadyConn(b, streamed)
			cpu := processCPU()
			b.ReportAllocs()
			for b.Loop() {
				c.exchange(4, 0)
			}
			b.ReportMetric(float64(processCPU()-cpu)/float64(b.N), "cpu-ns/op")
		})
	}
}

func BenchmarkExchangeFloor(b *testing.B) {
	for _, frames := range []int{0, 10} {
		b.Run(fmt.Sprintf("frames=%d", frames), func(b *testing.B) {
			streamed := frames > 0
			c := steadyConn(b, streamed)
			out, end := c.plain.whole, []byte("}]}")
			if streamed {
				out, end = c.stream.whole, []byte(lastChunk)
			}
			cpu := processCPU()
			for b.Loop() {
				if _, err := c.conn.Write(out); err != nil {
					b.Fatal(err)
				}
				for n := 0; !bytes.HasSuffix(c.buf[:n], end); {
					m, err := c.conn.Read(c.buf[n:])
					if err != nil {
						b.Fatal(err)
					}
					n += m
				}
			}
			b.ReportMetric(float64(processCPU()-cpu)/float64(b.N), "cpu-ns/op")
		})
	}
}
