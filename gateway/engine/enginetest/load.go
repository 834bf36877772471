package enginetest

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime"
	"strconv"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/engine"
	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"github.com/tollgate-lab/tollgate/gateway/shm"
)

// Maker makes the engine under test for a benchmark.
type Maker func(o engine.Options) (engine.Engine, error)

type dropRows struct{}

func (dropRows) Append(*logrow.Row, logrow.Completion) bool { return false }

func (dropRows) Awaits() bool { return false }

const (
	benchBody = `{"model":"m","messages":[{"role":"user","content":"say hello to everybody"}]}`
	benchJSON = `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},` +
		`"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`
)

var (
	benchRequest = []byte(fmt.Sprintf("POST /v1/chat/completions HTTP/1.1\r\nHost: gw\r\nContent-Type: application/json\r\n"+
		"X-Request-Id: 0123456789abcdef\r\nContent-Length: %d\r\n\r\n%s", len(benchBody), benchBody))
	benchAnswer = []byte(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(benchJSON), benchJSON))
)

// message reads one message with a Content-Length into buf, without allocating.
func message(c io.Reader, buf []byte) (n int, err error) {
	want := -1
	for want < 0 || n < want {
		k, err := c.Read(buf[n:])
		if err != nil {
			return n, err
		}
		n += k
		if want >= 0 {
			continue
		}
		end := bytes.Index(buf[:n], []byte("\r\n\r\n"))
		if end < 0 {
			continue
		}
		want = end + 4
		if i := bytes.Index(buf[:end], []byte("Content-Length: ")); i >= 0 {
			for _, d := range buf[i+len("Content-Length: ") : end+1] {
				if d < '0' || d > '9' {
					break
				}
				body := (want-end-4)*10 + int(d-'0')
				want = end + 4 + body
			}
		}
	}
	return n, nil
}

// trivialUpstream answers every request by the same bytes.
func trivialUpstream(tb testing.TB) string {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				buf := make([]byte, 64<<10)
				for {
					if _, err := message(c, buf); err != nil {
						return
					}
					if _, err := c.Write(benchAnswer); err != nil {
						return
					}
				}
			}()
		}
	}()
	return ln.Addr().String()
}

// gatewayBefore starts the engine before an upstream.
func gatewayBefore(tb testing.TB, mk Maker, upstream string) string {
	tb.Helper()
	core, err := exchange.NewCore(exchange.Deps{
		Snapshot: &exchange.Snapshot{
			Providers: []exchange.Provider{{Endpoint: exchange.Endpoint{Host: upstream, HostHead: "up"}, BasePath: "/v1"}},
			Models:    []exchange.Model{{Name: "m"}},
			ByName:    map[string]int{"m": 0},
			AnyModel:  -1,
			Stages:    exchange.Stages{Ledger: true, Log: true},
			Limits:    exchange.Limits{IdleTimeoutNs: 60e9, HeadTimeoutNs: 10e9, BodyTimeoutNs: 10e9, WriteTimeoutNs: 10e9},
		},
		Ledger: ledger.At(shm.NewHeap(ledger.Words(1)), 0, 0),
		NewID:  func(dst []byte) int { return len(strconv.AppendInt(dst[:0], 1, 10)) },
	})
	if err != nil {
		tb.Fatal(err)
	}
	e, err := mk(engine.Options{
		Core: func() *exchange.Core { return core }, Rows: dropRows{},
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		tb.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	go e.Serve(ln)
	tb.Cleanup(func() { e.Close() })
	return ln.Addr().String()
}

// roundTrips sends requests one after another on one connection.
func roundTrips(tb testing.TB, c net.Conn, buf []byte, n int) {
	for range n {
		if _, err := c.Write(benchRequest); err != nil {
			tb.Fatal(err)
		}
		k, err := message(c, buf)
		if err != nil || !bytes.HasPrefix(buf[:k], []byte("HTTP/1.1 200 OK\r\n")) || !bytes.HasSuffix(buf[:k], []byte("}")) {
			tb.Fatalf("%q, %v", buf[:k], err)
		}
	}
}

func dial(tb testing.TB, addr string) net.Conn {
	tb.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	return c
}

// Allocations is how many allocations a small request costs in steady state,
// in the whole process: the harness itself makes none.
func Allocations(tb testing.TB, mk Maker) float64 {
	tb.Helper()
	const requests = 2000
	addr := gatewayBefore(tb, mk, trivialUpstream(tb))
	c, buf := dial(tb, addr), make([]byte, 64<<10)
	roundTrips(tb, c, buf, 200)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	roundTrips(tb, c, buf, requests)
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / requests
}

// BenchmarkRequest is one small request at a time over loopback. floor is the
// same exchange of bytes with the upstream itself.
func BenchmarkRequest(b *testing.B, mk Maker) {
	up := trivialUpstream(b)
	for _, c := range []struct{ name, addr string }{{"path=floor", up}, {"path=gateway", gatewayBefore(b, mk, up)}} {
		b.Run(c.name, func(b *testing.B) {
			nc, buf := dial(b, c.addr), make([]byte, 64<<10)
			roundTrips(b, nc, buf, 10)
			b.ReportAllocs()
			for b.Loop() {
				roundTrips(b, nc, buf, 1)
			}
		})
	}
}

// BenchmarkParallel is many connections at a time.
func BenchmarkParallel(b *testing.B, mk Maker) {
	up := trivialUpstream(b)
	for _, c := range []struct{ name, addr string }{{"path=floor", up}, {"path=gateway", gatewayBefore(b, mk, up)}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetParallelism(25)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				nc, buf := dial(b, c.addr), make([]byte, 64<<10)
				for pb.Next() {
					roundTrips(b, nc, buf, 1)
				}
			})
		})
	}
}
