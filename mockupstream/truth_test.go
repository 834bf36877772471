package mockupstream

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// Every answer is counted by the time its last byte has been read.
func TestTruthIsExactOnceAnswered(t *testing.T) {
	srv := start(t, Options{})
	c := dial(t, srv)
	want := contract.GroundTruth{Version: 1, Connections: 1, ByRoute: map[string]int64{}, ByStatus: map[string]int64{}}
	step := func(request string, status string, change func()) {
		t.Helper()
		if _, _, err := c.ask(t, request); err != nil {
			t.Fatal(err)
		}
		want.Received++
		want.Answered++
		want.BytesIn += int64(len(request))
		want.ByStatus[status]++
		change()
		got := srv.Truth()
		want.CPUNs, want.BytesOut = got.CPUNs, got.BytesOut
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("after %q (-want +got):\n%s", request, d)
		}
	}
	for i := range 50 {
		step(post(chat, "HTTP/1.1", withID(uint64(4*i+1)), plainBody), "200", func() {
			want.ByRoute["chat"]++
			want.PromptTok += 7
			want.OutputTok += 4
		})
		step(post(chat, "HTTP/1.1", withID(uint64(4*i+2)), streamBody), "200", func() {
			want.ByRoute["chat"]++
			want.Streamed++
			want.FramesSent += 4
			want.PromptTok += 7
			want.OutputTok += 4
		})
		step(post(chat, "HTTP/1.1", withID(uint64(4*i+3)), usageBody), "200", func() {
			want.ByRoute["chat"]++
			want.Streamed++
			want.UsageAsked++
			want.FramesSent += 4
			want.PromptTok += 7
			want.OutputTok += 4
		})
		step(post("/v1/embeddings", "HTTP/1.1", "", `{"input":"x","user":"00000000000000ff"}`), "200", func() {
			want.ByRoute["embeddings"]++
			want.PromptTok += 7
		})
		step("GET /v1/models HTTP/1.1\r\nHost: m\r\n\r\n", "200", func() {
			want.ByRoute["models"]++
			want.Unidentified++
		})
		step("GET /other HTTP/1.1\r\nHost: m\r\n\r\n", "404", func() {
			want.ByRoute["unknown"]++
			want.Unidentified++
		})
		step(post(chat, "HTTP/1.1", withID(9), "{"), "400", func() { want.ByRoute["chat"]++ })
	}
	if got := len(srv.Stamps()); got != 50*5 {
		t.Errorf("%d stamps, want 250", got)
	}

	srv.Reset()
	got := srv.Truth()
	if d := cmp.Diff(contract.GroundTruth{Version: 1, CPUNs: got.CPUNs, ByRoute: map[string]int64{}, ByStatus: map[string]int64{}}, got); d != "" {
		t.Errorf("after a reset (-want +got):\n%s", d)
	}
	if n := len(srv.Stamps()); n != 0 {
		t.Errorf("after a reset: %d stamps", n)
	}
}

func TestBytesAreThoseOnTheWire(t *testing.T) {
	for _, e := range exchanges {
		t.Run(e.name, func(t *testing.T) {
			srv := newServer(t, Script{})
			mc := talk(t, srv, e.input, 0)
			g := srv.Truth()
			if want := int64(mc.at); g.BytesIn != want {
				t.Errorf("bytes in %d, want %d", g.BytesIn, want)
			}
			if want := int64(mc.output.Len()); g.BytesOut != want {
				t.Errorf("bytes out %d, want %d", g.BytesOut, want)
			}
			if g.Received != g.Answered || g.Received == 0 && g.Malformed != 1 {
				t.Errorf("received %d, answered %d, malformed %d", g.Received, g.Answered, g.Malformed)
			}
		})
	}
}

func TestStampsAreOrdered(t *testing.T) {
	for _, s := range []Script{
		{},
		{Coalesce: true},
		{Frames: 1},
		{Timing: Timing{First: Wait{Kind: WaitConstant, MeanUs: 300}, Gap: Wait{Kind: WaitLognormal, MeanUs: 100, Sigma: 0.5}}},
	} {
		srv := start(t, Options{Script: s})
		c := dial(t, srv)
		before := contract.Now()
		for i := range uint64(6) {
			body := plainBody
			if i%2 == 1 {
				body = usageBody
			}
			if _, _, err := c.ask(t, post(chat, "HTTP/1.1", withID(i+1), body)); err != nil {
				t.Fatal(err)
			}
		}
		after := contract.Now()
		stamps := srv.Stamps()
		if len(stamps) != 6 {
			t.Fatalf("%d stamps, want 6", len(stamps))
		}
		for _, st := range stamps {
			times := []int64{before, st.Received, st.FirstSent, st.FirstContent, st.LastSent, after}
			for i := 1; i < len(times); i++ {
				if times[i] < times[i-1] {
					t.Errorf("%+v: times %v do not rise", s, times)
				}
			}
			streamed := st.ID%2 == 0
			want := contract.MockStamp{
				ID: st.ID, Received: st.Received, FirstSent: st.FirstSent, FirstContent: st.FirstContent, LastSent: st.LastSent,
				Tokens: uint32(s.filled().Frames), Flags: contract.StampAnswered,
			}
			if streamed {
				want.Frames = want.Tokens
				want.Flags |= contract.StampStreamed
			}
			if st != want {
				t.Errorf("%+v, want %+v", st, want)
			}
		}
	}
}

// Waits are never shorter than drawn.
func TestWaitsAreKept(t *testing.T) {
	const first, gap = 3_000_000, 2_000_000
	srv := start(t, Options{Script: Script{Timing: Timing{First: Wait{Kind: WaitConstant, MeanUs: first / 1e3}, Gap: Wait{Kind: WaitConstant, MeanUs: gap / 1e3}}}})
	c := dial(t, srv)
	for i, body := range []string{plainBody, streamBody} {
		if _, _, err := c.ask(t, post(chat, "HTTP/1.1", withID(uint64(i+1)), body)); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := c.ask(t, "GET /v1/models HTTP/1.1\r\nHost: m\r\n"+withID(3)+"\r\n"); err != nil {
		t.Fatal(err)
	}
	for _, st := range srv.Stamps() {
		if wait := st.FirstSent - st.Received; st.ID != 3 && wait < first {
			t.Errorf("request %d: first byte after %d ns, want %d", st.ID, wait, first)
		}
		if all := st.LastSent - st.FirstContent; st.ID == 2 && all < 3*gap {
			t.Errorf("four frames in %d ns, want %d", all, 3*gap)
		}
	}
}

func TestStampCapacity(t *testing.T) {
	for _, tc := range []struct {
		name       string
		capacity   int
		kept, lost int
	}{
		{"none are kept", -1, 0, 600},
		{"blocks are whole", 1, blockStamps, 600 - blockStamps},
		{"enough", 1000, 600, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			srv, err := New(Options{StampCapacity: tc.capacity})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // a reset makes room again
				mc := &memConn{input: []byte(post(chat, "HTTP/1.1", withID(5), plainBody)), turns: 599}
				sh := srv.shards.take()
				newConn(srv, mc, sh).serve()
				srv.shards.put(sh)
				if got := srv.Truth().StampsLost; len(srv.Stamps()) != tc.kept || got != int64(tc.lost) {
					t.Errorf("kept %d, lost %d, want %d and %d", len(srv.Stamps()), got, tc.kept, tc.lost)
				}
				srv.Reset()
			}
		})
	}
}

// Requests that a reset finds under way count nowhere.
func TestResetUnderWay(t *testing.T) {
	srv := start(t, Options{Script: Script{Faults: []Fault{{Kind: FaultStall, Every: 1}}}})
	c := dial(t, srv)
	if _, err := io.WriteString(c, post(chat, "HTTP/1.1", withID(1), plainBody)); err != nil {
		t.Fatal(err)
	}
	until(t, "received", func() bool { return srv.Truth().Received == 1 })
	srv.Reset()
	_ = c.Close()
	until(t, "the connection's end", func() bool { srv.mu.Lock(); defer srv.mu.Unlock(); return len(srv.conns) == 0 })
	if g := srv.Truth(); g.Received+g.PeerLeft+g.Faulted+g.Answered != 0 || len(srv.Stamps()) != 0 {
		t.Errorf("%+v, %d stamps", g, len(srv.Stamps()))
	}
}

// Many connections at once, streamed and not, with readers of the truth in
// between: nothing is lost, every id is stamped once.
func TestManyConnections(t *testing.T) {
	const conns, each = 20, 50
	srv := start(t, Options{})
	errs := make(chan error, conns)
	for n := range conns {
		c := dial(t, srv)
		go func() {
			for i := range each {
				body := plainBody
				if i%5 == 4 {
					body = usageBody
				}
				if _, err := io.WriteString(c, post(chat, "HTTP/1.1", withID(uint64(n*each+i+1)), body)); err != nil {
					errs <- err
					return
				}
				resp, err := http.ReadResponse(c.r, nil)
				if err == nil {
					_, err = io.Copy(io.Discard, resp.Body)
				}
				if err != nil {
					errs <- fmt.Errorf("connection %d, request %d: %w", n, i, err)
					return
				}
			}
			errs <- nil
		}()
	}
	for done := 0; done < conns; {
		select {
		case err := <-errs:
			if err != nil {
				t.Error(err)
			}
			done++
		default:
			if g := srv.Truth(); g.Answered > g.Received {
				t.Fatalf("%d answered of %d", g.Answered, g.Received)
			}
		}
	}
	g := srv.Truth()
	if g.Received != conns*each || g.Answered != conns*each || g.Connections != conns || g.FramesSent != conns*each/5*4 || g.OutputTok != conns*each*4 {
		t.Errorf("%+v", g)
	}
	seen := make(map[uint64]bool)
	for _, st := range srv.Stamps() {
		seen[st.ID] = true
	}
	if len(seen) != conns*each || len(srv.Stamps()) != conns*each {
		t.Errorf("%d ids in %d stamps", len(seen), len(srv.Stamps()))
	}
}
