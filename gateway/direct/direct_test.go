package direct_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/admission/accounts"
	"github.com/tollgate-lab/tollgate/gateway/direct"
	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"github.com/tollgate-lab/tollgate/gateway/shm"
)

const token = "sk-direct-0123456789"

// sink takes rows and forgets them.
type sink struct {
	rows   int
	awaits bool
	err    error
}

func (s *sink) Append(_ *logrow.Row, done logrow.Completion) bool {
	s.rows++
	if s.awaits {
		done.Stored(s.err)
	}
	return s.awaits
}

func (s *sink) Awaits() bool { return s.awaits }

// newCore is a core of profile "governed", or "bare", with one key and one
// model.
func newCore(t testing.TB, stages exchange.Stages, awaits bool) *exchange.Core {
	t.Helper()
	keys := []accounts.Key{{Name: "k", Digest: sha256.Sum256([]byte(token)), BudgetNano: 1 << 60, BudgetTok: 1 << 60}}
	region := shm.NewHeap(accounts.Words(1))
	if err := accounts.Claim(region, keys, time.Now().UnixNano()); err != nil {
		t.Fatal(err)
	}
	admitter, err := accounts.NewBook(region, keys, 0)
	if err != nil {
		t.Fatal(err)
	}
	core, err := exchange.NewCore(exchange.Deps{
		Snapshot: &exchange.Snapshot{
			Providers: []exchange.Provider{{Endpoint: exchange.Endpoint{Name: "mock"}, BasePath: "/v1", Auth: []exchange.Field{field("Authorization", "Bearer secret")}}},
			Models:    []exchange.Model{{Name: "mock-model", PriceIn: 150_000_000, PriceOut: 600_000_000, MaxOutputTok: 4096}},
			ByName:    map[string]int{"mock-model": 0}, AnyModel: -1, Stages: stages,
		},
		Admitter: admitter, AwaitRows: awaits, Ledger: ledger.At(shm.NewHeap(ledger.Words(1)), 0, 0),
		NewID: func(dst []byte) int { return copy(dst, "0123456789abcdef") },
	})
	if err != nil {
		t.Fatal(err)
	}
	return core
}

var governed = exchange.Stages{Auth: true, Admission: true, Ledger: true, Log: true}

func field(name, value string) exchange.Field {
	return exchange.Field{Name: []byte(name), Value: []byte(value)}
}

// chat is a request of about size bytes, in turns of a conversation.
func chat(size int, stream bool) *direct.Request {
	var b strings.Builder
	b.WriteString(`{"model":"mock-model","messages":[`)
	const turn = 3250
	for b.Len() < size-60 {
		n := min(turn, size-b.Len())
		if b.Len() > 40 {
			b.WriteByte(',')
		}
		b.WriteString(`{"role":"user","content":"`)
		b.WriteString(strings.Repeat("The quick brown fox jumps over it.\\n", n/36+1)[:max(1, n/36)*36])
		b.WriteString(`"}`)
	}
	if b.Len() < 40 {
		b.WriteString(`{"role":"user","content":"hello"}`)
	}
	b.WriteByte(']')
	if stream {
		b.WriteString(`,"stream":true`)
	}
	b.WriteByte('}')
	return &direct.Request{
		Method: []byte("POST"), Target: []byte("/v1/chat/completions"), Body: []byte(b.String()),
		Fields: []exchange.Field{
			field("Host", "127.0.0.1:8080"), field("Authorization", "Bearer "+token), field("Content-Type", "application/json"),
			field("X-Request-Id", "lab-00000001"), field("User-Agent", "loadgen"),
		},
	}
}

const answerBody = `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"mock-model","choices":[{"index":0,"message":{"role":"assistant","content":"Hello from the mock."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}}`

func answer() *direct.Answer {
	return &direct.Answer{
		Status: 200, Fields: []exchange.Field{field("Content-Type", "application/json"), field("Content-Length", "260"), field("Date", "x")},
		Chunks: [][]byte{[]byte(answerBody)}, Length: int64(len(answerBody)),
	}
}

// streamed is an answer of so many content frames, each in a read of its own.
func streamed(frames int) *direct.Answer {
	a := &direct.Answer{Status: 200, Fields: []exchange.Field{field("Content-Type", "text/event-stream")}, Length: -1}
	add := func(s string) { a.Chunks = append(a.Chunks, []byte(s)) }
	for i := range frames {
		add(fmt.Sprintf(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"mock-model","choices":[{"index":0,"delta":{"content":"t%03d"},"finish_reason":null}]}`+"\n\n", i))
	}
	add(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"mock-model","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n")
	add(fmt.Sprintf(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"mock-model","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":%d,"total_tokens":%d}}`+"\n\n", frames, frames+9))
	add("data: [DONE]\n\n")
	return a
}

func now() int64 { return time.Now().UnixNano() }

func TestDriver(t *testing.T) {
	rows := &sink{}
	d := direct.New(newCore(t, governed, false), rows)
	d.Echo = true
	resp, err := d.Do(now, chat(90, false), answer())
	if err != nil || resp.Status != 200 || string(resp.Body) != answerBody || resp.Length != int64(len(answerBody)) || resp.Aborted || rows.rows != 1 {
		t.Fatalf("%+v %v", resp, err)
	}
	resp, err = d.Do(now, chat(5000, true), streamed(4))
	if err != nil || strings.Count(string(resp.Body), "data: ") != 6 || !strings.Contains(string(resp.UpBody), "include_usage") || resp.Length != -1 {
		t.Fatalf("%+v %v", resp, err)
	}
}

// TestDriverAwaits: rows that are awaited are answered by the store, or at once
// where there is none.
func TestDriverAwaits(t *testing.T) {
	for story, tc := range map[string]struct {
		rows   logrow.Appender
		status int
	}{
		"stored":       {&sink{awaits: true}, 200},
		"not stored":   {&sink{awaits: true, err: errors.New("away")}, 503},
		"no log store": {nil, 200},
	} {
		d := direct.New(newCore(t, governed, true), tc.rows)
		resp, err := d.Do(now, chat(90, false), answer())
		if err != nil || resp.Status != tc.status {
			t.Errorf("%s: %+v %v", story, resp, err)
		}
	}
}

// TestSteadyStateAllocatesNothing: after the first requests have grown the
// buffers, a request costs no allocation.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes pools forget")
	}
	for _, stages := range []exchange.Stages{{}, governed} {
		for _, awaits := range []bool{false, true} {
			for _, tc := range cases() {
				d := direct.New(newCore(t, stages, awaits), &sink{awaits: awaits && stages.Log})
				do := func() {
					if _, err := d.Do(now, tc.req, tc.ans); err != nil {
						t.Fatal(err)
					}
				}
				for range 20 {
					do()
				}
				if n := testing.AllocsPerRun(200, do); n != 0 {
					t.Errorf("%s, stages %+v, await %v: %v allocations", tc.name, stages, awaits, n)
				}
			}
		}
	}
}

type oneCase struct {
	name string
	req  *direct.Request
	ans  *direct.Answer
}

func cases() []oneCase {
	return []oneCase{
		{"body=90B/stream=no", chat(90, false), answer()},
		{"body=90B/stream=4", chat(90, true), streamed(4)},
		{"body=90B/stream=74", chat(90, true), streamed(74)},
		{"body=6KB/stream=no", chat(6<<10, false), answer()},
		{"body=52KB/stream=no", chat(52<<10, false), answer()},
		{"body=200KB/stream=no", chat(200<<10, false), answer()},
	}
}

func BenchmarkDirect(b *testing.B) {
	for _, p := range []struct {
		name   string
		stages exchange.Stages
	}{{"bare", exchange.Stages{}}, {"governed", governed}} {
		for _, tc := range cases() {
			b.Run("profile="+p.name+"/"+tc.name, func(b *testing.B) {
				d := direct.New(newCore(b, p.stages, false), &sink{})
				b.ReportAllocs()
				b.SetBytes(int64(len(tc.req.Body)))
				for b.Loop() {
					if resp, err := d.Do(now, tc.req, tc.ans); err != nil || resp.Status != 200 {
						b.Fatal(resp, err)
					}
				}
			})
		}
	}
}

// BenchmarkDirectFloor is what the driver itself must do: copy the request's
// body in and the answer's out.
func BenchmarkDirectFloor(b *testing.B) {
	for _, tc := range cases() {
		b.Run(tc.name, func(b *testing.B) {
			in := make([]byte, len(tc.req.Body))
			var out []byte
			b.SetBytes(int64(len(tc.req.Body)))
			for b.Loop() {
				copy(in, tc.req.Body)
				out = out[:0]
				for _, c := range tc.ans.Chunks {
					out = append(out, c...)
				}
			}
		})
	}
}
