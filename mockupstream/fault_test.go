package mockupstream

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/tollgate-lab/tollgate/results/contract"
)

func TestFaults(t *testing.T) {
	for _, tc := range []struct {
		name     string
		fault    Fault
		body     string
		status   int
		err      error // how the body, or the answer, ends for the client
		contains string
		frames   int
		answered bool // written whole
		stays    bool // the connection goes on
		coalesce bool
	}{
		{name: "an error status", fault: Fault{Kind: FaultStatus, Status: 429, RetryAfterS: 3}, body: plainBody, status: 429, contains: `"rate_limit_exceeded"`, answered: true, stays: true},
		{name: "an error status in place of a stream", fault: Fault{Kind: FaultStatus, Status: 503}, body: streamBody, status: 503, contains: `"server_error"`, answered: true, stays: true},
		{name: "a status without a name", fault: Fault{Kind: FaultStatus, Status: 599}, body: streamBody, status: 599, answered: true, stays: true},
		{name: "a reset before the answer", fault: Fault{Kind: FaultReset}, body: plainBody, err: syscall.ECONNRESET},
		{name: "a reset before the stream", fault: Fault{Kind: FaultReset}, body: streamBody, err: syscall.ECONNRESET},
		{name: "a reset within a stream", fault: Fault{Kind: FaultReset, AfterFrames: 2}, body: streamBody, status: 200, err: syscall.ECONNRESET, contains: "t001", frames: 2},
		{name: "a reset within a stream sent at once", fault: Fault{Kind: FaultReset, AfterFrames: 2}, body: streamBody, status: 200, err: syscall.ECONNRESET, contains: "t001", frames: 2, coalesce: true},
		{name: "a reset within an answer", fault: Fault{Kind: FaultReset, AfterFrames: 1}, body: plainBody, status: 200, err: syscall.ECONNRESET},
		{name: "a short body", fault: Fault{Kind: FaultShort}, body: plainBody, status: 200, err: io.ErrUnexpectedEOF, contains: `"chatcmpl-mock"`},
		{name: "a short stream", fault: Fault{Kind: FaultShort, AfterFrames: 3}, body: streamBody, status: 200, err: io.ErrUnexpectedEOF, contains: "t002", frames: 3},
		{name: "a stream that ends before its content", fault: Fault{Kind: FaultShort}, body: streamBody, status: 200, err: io.ErrUnexpectedEOF, contains: "assistant"},
		{name: "a stream without its end", fault: Fault{Kind: FaultUnterminated}, body: usageBody, status: 200, contains: `"completion_tokens":4`, frames: 4, stays: true},
		{name: "a stream sent at once without its end", fault: Fault{Kind: FaultUnterminated}, body: usageBody, status: 200, contains: `"completion_tokens":4`, frames: 4, stays: true, coalesce: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.fault.Every = 2
			srv := start(t, Options{Script: Script{Faults: []Fault{tc.fault}, Coalesce: tc.coalesce}})
			c := dial(t, srv)
			if status, _, err := c.ask(t, post(chat, "HTTP/1.1", withID(1), tc.body)); status != 200 || err != nil {
				t.Fatalf("the request before the fault: %d, %v", status, err)
			}
			base := srv.Truth()
			status, body, err := c.ask(t, post(chat, "HTTP/1.1", withID(2), tc.body))
			if status != tc.status || !errors.Is(err, tc.err) || !strings.Contains(string(body), tc.contains) {
				t.Errorf("status %d, %v, body %q", status, err, body)
			}
			if tc.fault.Kind == FaultUnterminated && strings.Contains(string(body), "[DONE]") {
				t.Error("the stream has its end")
			}
			g := srv.Truth()
			var st contract.MockStamp
			for _, s := range srv.Stamps() {
				if s.ID == 2 {
					st = s
				}
			}
			wantAnswered := int64(0)
			if tc.answered {
				wantAnswered = 1
			}
			if g.Received != 2 || g.Faulted != 1 || g.PeerLeft != 0 || g.Answered-base.Answered != wantAnswered ||
				g.FramesSent-base.FramesSent != int64(tc.frames) || g.AbortedTok != int64(tc.frames) ||
				g.OutputTok != base.OutputTok || g.PromptTok != base.PromptTok {
				t.Errorf("truth %+v, before it %+v", g, base)
			}
			if st.Flags&contract.StampFaulted == 0 || (st.Flags&contract.StampAnswered != 0) != tc.answered ||
				(st.Flags&contract.StampStreamed != 0) != (tc.body != plainBody) || int(st.Frames) != tc.frames || int(st.Tokens) != tc.frames {
				t.Errorf("stamp %+v", st)
			}
			if (st.FirstSent != 0) != (tc.status != 0) || (st.FirstContent != 0) != (tc.frames > 0 || tc.status != 0 && (tc.body == plainBody || tc.answered)) {
				t.Errorf("stamp %+v", st)
			}
			if tc.stays {
				if status, _, err := c.ask(t, post(chat, "HTTP/1.1", withID(3), tc.body)); status != 200 || err != nil {
					t.Errorf("the request after the fault: %d, %v", status, err)
				}
			} else if _, err := c.r.ReadByte(); err == nil {
				t.Error("the connection goes on")
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	srv := start(t, Options{Script: Script{Faults: []Fault{{Kind: FaultStatus, Status: 429, RetryAfterS: 3, Every: 1}}}})
	resp, err := http.Post("http://"+srv.Addr()+chat, "application/json", strings.NewReader(plainBody))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got := resp.Header.Get("Retry-After"); got != "3" {
		t.Errorf("Retry-After %q", got)
	}
}

func TestStallLastsUntilThePeerLeaves(t *testing.T) {
	for after, frames := range map[int]int64{0: 0, 2: 2} {
		srv := start(t, Options{Script: Script{Faults: []Fault{{Kind: FaultStall, AfterFrames: after, Every: 1, On: OnStream}}}})
		c := dial(t, srv)
		if status, _, err := c.ask(t, post(chat, "HTTP/1.1", "", plainBody)); status != 200 || err != nil {
			t.Fatalf("a fault for streams hit another request: %d, %v", status, err)
		}
		if _, err := io.WriteString(c, post(chat, "HTTP/1.1", withID(1), streamBody)); err != nil {
			t.Fatal(err)
		}
		for seen := ""; after > 0 && !strings.Contains(seen, "t001"); {
			line, err := c.r.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			seen = line
		}
		until(t, "received", func() bool { return srv.Truth().Received == 2 })
		if g := srv.Truth(); g.PeerLeft != 0 || g.Answered != 1 {
			t.Errorf("while it stalls: %+v", g)
		}
		_ = c.Close()
		until(t, "the peer's leaving", func() bool { return srv.Truth().PeerLeft == 1 })
		if g := srv.Truth(); g.Faulted != 1 || g.Answered != 1 || g.FramesSent != frames || g.AbortedTok != frames {
			t.Errorf("afterwards: %+v", g)
		}
	}
}

// A peer that leaves in the middle of a stream gets no more than the kernel
// took, and that is what is counted.
func TestPeerLeavesAStream(t *testing.T) {
	// Far more than the socket buffers hold.
	srv := start(t, Options{Script: Script{Frames: 64, Text: strings.Repeat("x", 16<<20)}})
	c := dial(t, srv)
	if err := c.SetReadBuffer(64 << 10); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, post(chat, "HTTP/1.1", withID(7), streamBody)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c.r, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	until(t, "received", func() bool { return srv.Truth().Received == 1 })
	_ = c.SetLinger(0)
	_ = c.Close()
	until(t, "the peer's leaving", func() bool { return srv.Truth().PeerLeft == 1 })
	g := srv.Truth()
	if g.Answered != 0 || g.Faulted != 0 || g.OutputTok != 0 || g.FramesSent >= 64 || g.AbortedTok != g.FramesSent || g.ByStatus["200"] != 1 {
		t.Errorf("%+v", g)
	}
	st := srv.Stamps()[0]
	if st.Flags != contract.StampStreamed|contract.StampPeerLeft || int64(st.Frames) != g.FramesSent {
		t.Errorf("%+v", st)
	}
	// Frame k counts only once all its bytes were taken: 256 KiB each.
	if most := g.BytesOut / (16 << 20 / 64); g.FramesSent > most {
		t.Errorf("%d frames in %d bytes", g.FramesSent, g.BytesOut)
	}
}

// cutConn takes so many bytes, then fails.
type cutConn struct {
	memConn
	left int
}

func (c *cutConn) Write(b []byte) (int, error) {
	n := min(len(b), c.left)
	c.left -= n
	if n < len(b) {
		return n, os.ErrClosed
	}
	return n, nil
}

// Whatever number of bytes the peer takes, the frames counted are those that
// lie whole within them, in one write or in many.
func TestFramesCountOnlyWhenWhole(t *testing.T) {
	for _, coalesce := range []bool{false, true} {
		srv := newServer(t, Script{Coalesce: coalesce})
		cs := srv.script.Load()
		m := cs.renderStream("m-1", false, chunked)
		for left := range len(m.wire) + 1 {
			srv.Reset()
			sh := srv.shards.take()
			cc := &cutConn{memConn: memConn{input: []byte(post(chat, "HTTP/1.1", withID(1), streamBody))}, left: left}
			newConn(srv, cc, sh).serve()
			srv.shards.put(sh)
			g := srv.Truth()
			frames := int64(0)
			for i := range 4 {
				if m.ends[1+i] <= left {
					frames++
				}
			}
			whole := left == len(m.wire)
			if g.FramesSent != frames || g.BytesOut != int64(left) || (g.Answered == 1) != whole || (g.PeerLeft == 1) == whole {
				t.Fatalf("%d bytes taken: %+v, want %d frames", left, g, frames)
			}
			if want := frames; !whole && g.AbortedTok != want || whole && g.AbortedTok != 0 {
				t.Fatalf("%d bytes taken: aborted tokens %d, want %d", left, g.AbortedTok, want)
			}
		}
	}
}
