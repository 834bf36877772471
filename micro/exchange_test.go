package micro

import (
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/direct"
	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"github.com/tollgate-lab/tollgate/gateway/shm"
)

// countRows is a log store that keeps nothing.
type countRows struct{ n int }

func (c *countRows) Append(*logrow.Row, logrow.Completion) bool { c.n++; return false }
func (c *countRows) Awaits() bool                               { return false }

// driver is a core with the stages of a profile, driven with no socket.
func driver(tb testing.TB, governed bool) (*direct.Driver, []byte) {
	bk, token := book(tb, 1)
	snap := &exchange.Snapshot{
		AnyModel: 0, ByName: map[string]int{},
		Models:    []exchange.Model{{Name: "*", PriceIn: 150e6, PriceOut: 600e6, MaxOutputTok: 1000}},
		Providers: []exchange.Provider{{BasePath: "/v1", Endpoint: exchange.Endpoint{Name: "mock", Host: "127.0.0.1:1", HostHead: "127.0.0.1:1"}}},
		Limits:    exchange.Limits{MaxBodyBytes: 16 << 20},
		Stages:    exchange.Stages{Auth: governed, Admission: governed, Ledger: governed, Log: governed},
	}
	region := shm.NewHeap(ledger.Words(1))
	core, err := exchange.NewCore(exchange.Deps{
		Snapshot: snap, Admitter: bk, Ledger: ledger.At(region, 0, 0),
		NewID: func(dst []byte) int { return copy(dst, "0000000000000001") },
	})
	if err != nil {
		tb.Fatal(err)
	}
	return direct.New(core, &countRows{}), token
}

var rows = []struct {
	name   string
	bytes  int
	stream bool
}{{"90B", 90, false}, {"90B-streamed", 90, true}, {"52KB", 52 << 10, false}, {"200KB", 200 << 10, false}}

// exchangeOf is a request of a row and the upstream's answer to it.
func exchangeOf(bytes int, stream bool, token []byte) (*direct.Request, *direct.Answer) {
	req := &direct.Request{
		Method: []byte("POST"), Target: []byte("/v1/chat/completions"),
		Fields: []exchange.Field{
			{Name: []byte("Host"), Value: []byte("127.0.0.1:8080")},
			{Name: []byte("Authorization"), Value: append([]byte("Bearer "), token...)},
			{Name: []byte("Content-Type"), Value: []byte("application/json")},
			{Name: []byte("X-Request-Id"), Value: []byte("8000000000000001")},
		},
		Body: chatBody(bytes, stream),
	}
	plain := []byte(`{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"bench","choices":[{"index":0,"message":{"role":"assistant","content":"t000t001t002t003"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":4,"total_tokens":11}}`)
	ans := &direct.Answer{Status: 200, Length: int64(len(plain)), Chunks: [][]byte{plain}, Fields: []exchange.Field{{Name: []byte("Content-Type"), Value: []byte("application/json")}}}
	if stream {
		ans.Length, ans.Chunks = -1, [][]byte{streamAnswer(4)}
		ans.Fields[0].Value = []byte("text/event-stream")
	}
	return req, ans
}

// BenchmarkExchange is a whole exchange with no socket; its floor is the same
// with every stage off.
func BenchmarkExchange(b *testing.B) {
	for _, row := range rows {
		for _, governed := range []bool{true, false} {
			name := "body=" + row.name + "/by=governed"
			if !governed {
				name = "body=" + row.name + "/by=floor"
			}
			b.Run(name, func(b *testing.B) {
				d, token := driver(b, governed)
				req, ans := exchangeOf(row.bytes, row.stream, token)
				now := int64(1)
				tick := func() int64 { now += 100; return now }
				b.ReportAllocs()
				for b.Loop() {
					res, err := d.Do(tick, req, ans)
					if err != nil || res.Status != 200 {
						b.Fatalf("status %v: %v", res, err)
					}
				}
			})
		}
	}
}

// TestExchangeDoesNotAllocate is the ceiling of the pass-through path, with
// every stage off and with all on.
func TestExchangeDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, row := range rows {
		for profile, governed := range map[string]bool{"bare": false, "governed": true} {
			t.Run(row.name+"/"+profile, func(t *testing.T) {
				d, token := driver(t, governed)
				req, ans := exchangeOf(row.bytes, row.stream, token)
				now := int64(1)
				tick := func() int64 { now += 100; return now }
				allocs := testing.AllocsPerRun(200, func() {
					if res, err := d.Do(tick, req, ans); err != nil || res.Status != 200 {
						t.Fatalf("status %v: %v", res, err)
					}
				})
				if allocs != 0 {
					t.Errorf("%v allocations per exchange, want 0", allocs)
				}
			})
		}
	}
}
