package exchange_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

var errStore = errors.New("store is away")

// askedBody is streamBody as it goes upstream.
var askedBody = strings.TrimSuffix(streamBody, "}") + `,"stream_options":{"include_usage":true}}`

// asks is streamBody of a client that asks for usage itself.
var asks = strings.TrimSuffix(streamBody, "}") + `,"stream_options":{"include_usage":true}}`

// TestUsageIsAskedForAndHidden: usage is asked for upstream, bills the request,
// and is removed from the stream of a client that did not ask.
func TestUsageIsAskedForAndHidden(t *testing.T) {
	whole := frame("abcd") + finishFrame + usageFrame + doneFrame
	hidden := frame("abcd") + finishFrame + doneFrame
	for _, change := range []func(*rig){func(*rig) {}, awaiting} {
		r := newRig(t, change)
		resp := r.do(post(pathChat, streamBody), sse(whole))
		if string(resp.Body) != hidden || string(resp.UpBody) != askedBody || resp.Length != -1 || field(resp.Fields, "content-type") != "text/event-stream; charset=utf-8" || field(resp.Fields, "transfer-encoding") != "" {
			t.Errorf("%q\nupstream got %s", resp.Body, resp.UpBody)
		}
		row := r.row()
		if row.PromptTok != 11 || row.OutputTok != 3 || row.Estimated || row.Outcome != logrow.Answered || row.Reason != "" || !row.Stream || row.BytesOut != int64(len(hidden)) {
			t.Errorf("row %+v", row)
		}
		if resp := r.do(post(pathChat, asks), sse(whole)); string(resp.Body) != whole || string(resp.UpBody) != asks {
			t.Errorf("a client that asks: %q", resp.Body)
		}
	}
}

// TestUsageBesideChoicesStays: a chunk with choices is left as it is, usage
// and all.
func TestUsageBesideChoicesStays(t *testing.T) {
	whole := `data: {"choices":[{"delta":{"content":"abcd"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":1}}` + "\n\n" + doneFrame
	r := newRig(t)
	if resp := r.do(post(pathChat, streamBody), sse(whole)); string(resp.Body) != whole || r.row().PromptTok != 5 {
		t.Errorf("%q %+v", resp.Body, r.row())
	}
}

// TestStreamSplitEverywhere: however the upstream's bytes arrive, the client
// gets the same, and the same is billed.
func TestStreamSplitEverywhere(t *testing.T) {
	for _, nl := range []string{"\n", "\r\n", "\r"} {
		whole := strings.ReplaceAll(": hi\n\n"+frame("abcd")+"id: 1\n"+frame("ä€😀h")+": ping\n\n"+finishFrame+usageFrame+": bye\n\n"+doneFrame, "\n", nl)
		for name, change := range map[string]func(*rig){"async": func(*rig) {}, "await": awaiting, "bare": bare} {
			for _, body := range []string{streamBody, asks} {
				r := newRig(t, change)
				want := string(r.do(post(pathChat, body), sse(whole)).Body)
				if hides := strings.Contains(want, "usage"); hides == (name != "bare" && body == streamBody) {
					t.Fatalf("%s: %q", name, want)
				}
				check := func(what string, pieces ...string) {
					t.Helper()
					resp := r.do(post(pathChat, body), sse(pieces...))
					if string(resp.Body) != want {
						t.Fatalf("%s %q %s:\n%q\nwant\n%q", name, nl, what, resp.Body, want)
					}
					if name == "bare" {
						return
					}
					if row := r.row(); row.OutputTok != 3 || row.Estimated || row.Outcome != logrow.Answered || row.BytesOut != int64(len(want)) {
						t.Fatalf("%s: row %+v", what, row)
					}
				}
				for i := 1; i < len(whole); i++ {
					check("cut once", whole[:i], whole[i:])
				}
				check("in single bytes", strings.Split(whole, "")...)
			}
		}
	}
}

// TestRequestSplitEverywhere: however the request's body arrives, upstream
// gets the same.
func TestRequestSplitEverywhere(t *testing.T) {
	r := newRig(t)
	for n := 1; n <= len(streamBody); n++ {
		for _, chunked := range []bool{false, true} {
			req := post(pathChat, streamBody)
			req.Chunk, req.Chunked = n, chunked
			if resp := r.do(req, sse(frame("abcd")+doneFrame)); string(resp.UpBody) != askedBody {
				t.Fatalf("in pieces of %d: %s", n, resp.UpBody)
			}
		}
	}
}

// TestBodyNotInBodySpace: an engine may hand over bytes of its own.
func TestBodyNotInBodySpace(t *testing.T) {
	r := newRig(t)
	x := r.core.Acquire()
	defer r.core.Release(x)
	var out exchange.Actions
	req := post(pathChat, "")
	x.Step(r.clock(), &exchange.Event{Kind: exchange.EvRequestHead, Head: &exchange.RequestHead{Method: req.Method, Target: req.Target, Fields: req.Fields, ContentLength: -1}}, &out)
	lent := []byte(chatBody)
	for i := range lent {
		x.BodySpace(i % 3)
		x.Step(r.clock(), &exchange.Event{Kind: exchange.EvRequestBody, Data: lent[i : i+1]}, &out)
		lent[i] = 'X' // what was lent may change now
	}
	x.Step(r.clock(), &exchange.Event{Kind: exchange.EvRequestEnd}, &out)
	if len(out.List) != 1 || out.List[0].Kind != exchange.ActOpenUpstream || string(out.List[0].Upstream.Body) != chatBody {
		t.Errorf("%+v", out.List)
	}
}

// TestWholeFramesAreNotCopied: frames that arrived whole leave in one write,
// as a part of what was read.
func TestWholeFramesAreNotCopied(t *testing.T) {
	r := newRig(t)
	x := r.core.Acquire()
	defer r.core.Release(x)
	var out exchange.Actions
	begin(r, x, streamBody, &out)
	data := []byte(frame("abcd") + frame("efgh") + frame("ijkl"))
	x.Step(r.clock(), &exchange.Event{Kind: exchange.EvUpstreamBody, Data: data}, &out)
	if len(out.List) != 1 || out.List[0].Kind != exchange.ActWrite || len(out.List[0].Data) != len(data) || &out.List[0].Data[0] != &data[0] {
		t.Errorf("%+v", out.List)
	}
	// What has begun and cannot be hidden does not wait for its end.
	part := []byte(`data: {"choices":[{"delta":`)
	x.Step(r.clock(), &exchange.Event{Kind: exchange.EvUpstreamBody, Data: part}, &out)
	if len(out.List) != 1 || len(out.List[0].Data) != len(part) {
		t.Errorf("%+v", out.List)
	}
}

// begin takes an exchange to where the stream's body is relayed.
func begin(r *rig, x *exchange.Exchange, body string, out *exchange.Actions) {
	req := post(pathChat, body)
	x.Step(r.clock(), &exchange.Event{Kind: exchange.EvRequestHead, Head: &exchange.RequestHead{Method: req.Method, Target: req.Target, Fields: req.Fields, ContentLength: int64(len(body))}}, out)
	x.Step(r.clock(), &exchange.Event{Kind: exchange.EvRequestBody, Data: []byte(body)}, out)
	x.Step(r.clock(), &exchange.Event{Kind: exchange.EvRequestEnd}, out)
	x.Step(r.clock(), &exchange.Event{Kind: exchange.EvUpstreamHead, Response: &exchange.ResponseHead{Status: 200, Fields: sse().Fields, ContentLength: -1}}, out)
}

// TestAbortedStreamBillsWhatWasDelivered: the client leaves when so many bytes
// were accepted for it; whole frames among them are billed, by estimate.
func TestAbortedStreamBillsWhatWasDelivered(t *testing.T) {
	f := frame("abcd")
	all := strings.Repeat(f, 5)
	for delivered := 0; delivered <= len(all); delivered++ {
		r := newRig(t)
		x := r.core.Acquire()
		var out exchange.Actions
		begin(r, x, streamBody, &out)
		for range 5 {
			x.Step(r.clock(), &exchange.Event{Kind: exchange.EvUpstreamBody, Data: []byte(f), Delivered: int64(min(delivered, len(f)))}, &out)
		}
		x.Step(r.clock(), &exchange.Event{Kind: exchange.EvCancelled, Delivered: int64(delivered)}, &out)
		want := int64(delivered / len(f))
		if out.List[0].Kind != exchange.ActCancelUpstream || out.List[len(out.List)-1].Kind != exchange.ActDone {
			t.Fatalf("%+v", out.List)
		}
		row := out.List[1].Row
		if row.OutputTok != want || row.PromptTok != 2 || !row.Estimated || row.Outcome != logrow.ClientLeft || row.BytesOut != int64(delivered) || r.desk.used.OutputTok != want || r.led.Load(ledger.BilledAbortedOutput) != want {
			t.Fatalf("%d bytes delivered: row %+v", delivered, row)
		}
		r.core.Release(x)
		r.idle()
	}
}

// TestAbortAfterUsage: once the usage came it is billed, delivered or not.
func TestAbortAfterUsage(t *testing.T) {
	r := newRig(t)
	x := r.core.Acquire()
	defer r.core.Release(x)
	var out exchange.Actions
	begin(r, x, streamBody, &out)
	x.Step(r.clock(), &exchange.Event{Kind: exchange.EvUpstreamBody, Data: []byte(frame("abcd") + usageFrame)}, &out)
	x.Step(r.clock(), &exchange.Event{Kind: exchange.EvCancelled, Delivered: 3}, &out)
	if row := out.List[1].Row; row.PromptTok != 11 || row.OutputTok != 3 || row.Estimated {
		t.Errorf("row %+v", row)
	}
}

// TestEarlyZeroUsageDoesNotWin: an early usage without output does not make an
// aborted or unfinished stream free.
func TestEarlyZeroUsageDoesNotWin(t *testing.T) {
	early := `data: {"choices":[{"delta":{"content":""}}],"usage":{"prompt_tokens":9,"completion_tokens":0,"total_tokens":9}}` + "\n\n"
	r := newRig(t)
	r.do(post(pathChat, streamBody), sse(early+frame("abcd")+frame("efgh")+doneFrame))
	if row := r.row(); row.PromptTok != 9 || row.OutputTok != 2 || !row.Estimated {
		t.Errorf("row %+v", row)
	}
	r.do(post(pathChat, streamBody), sse(early+frame("abcd")+usageFrame+doneFrame))
	if row := r.row(); row.PromptTok != 11 || row.OutputTok != 3 || row.Estimated {
		t.Errorf("row %+v", row)
	}
}

// TestStreamCut: a stream that the upstream does not end gets an error event,
// and what was passed on is billed.
func TestStreamCut(t *testing.T) {
	for fault, reason := range map[exchange.UpstreamFault]string{exchange.FaultMidBody: "upstream_truncated", exchange.FaultTimeoutBody: "upstream_timeout"} {
		for name, change := range map[string]func(*rig){"async": func(*rig) {}, "await": awaiting} {
			for _, tc := range []struct {
				story, sent, passed string
				tok                 int64
			}{
				{"between frames", frame("abcd") + frame("efgh"), frame("abcd") + frame("efgh"), 2},
				{"inside a frame that is shown", frame("abcd") + `data: {"choices":[{"del`, frame("abcd") + `data: {"choices":[{"del` + "\n\n", 1},
				{"inside a frame that is held", frame("abcd") + `data: {"id"`, frame("abcd"), 1},
				{"before the first frame", "", "", 0},
			} {
				r := newRig(t, change)
				ans := sse(tc.sent)
				ans.Fault = fault
				resp := r.do(post(pathChat, streamBody), ans)
				event, ok := strings.CutPrefix(string(resp.Body), tc.passed)
				if !ok || !strings.HasPrefix(event, `data: {"error":{"message":`) || !strings.HasSuffix(event, "}}\n\n") || resp.Aborted {
					t.Errorf("%s, %s: %q", name, tc.story, resp.Body)
				}
				row := r.row()
				if row.Outcome != logrow.GatewayError || row.Reason != reason || row.OutputTok != tc.tok || !row.Estimated || row.Status != 200 || row.BytesOut != int64(len(resp.Body)) || r.led.Load(ledger.BilledAbortedOutput) != tc.tok {
					t.Errorf("%s, %s: row %+v", name, tc.story, row)
				}
			}
		}
	}
}

// TestStreamCutAfterTerminator: what comes after the terminator cannot spoil
// the stream.
func TestStreamCutAfterTerminator(t *testing.T) {
	for _, change := range []func(*rig){func(*rig) {}, awaiting} {
		r := newRig(t, change)
		whole := frame("abcd") + doneFrame
		ans := sse(whole)
		ans.Fault = exchange.FaultMidBody
		if resp := r.do(post(pathChat, streamBody), ans); string(resp.Body) != whole || resp.Aborted || r.row().Outcome != logrow.Answered {
			t.Errorf("%q %+v", resp.Body, r.row())
		}
	}
}

// TestStreamWithALength: nothing can be added to a body whose length was told.
func TestStreamWithALength(t *testing.T) {
	r := newRig(t)
	ans := sse(frame("abcd"))
	ans.Length = 500
	ans.Fault = exchange.FaultMidBody
	if resp := r.do(post(pathChat, asks), ans); !resp.Aborted || resp.Length != 500 || string(resp.Body) != frame("abcd") {
		t.Errorf("%+v", resp)
	}
	if resp := r.do(post(pathChat, streamBody), ans); resp.Aborted || resp.Length != -1 || !strings.Contains(string(resp.Body), "error") {
		t.Errorf("rewritten: %+v", resp)
	}
}

// TestErrorInsideAStream: the error is passed on, the row says so, what was
// delivered is billed.
func TestErrorInsideAStream(t *testing.T) {
	for story, tail := range map[string]string{
		"an error frame": `data: {"error":{"message":"m","code":500}}` + "\n\n", "a named event": "event: error\ndata: {\"error\":{\"message\":\"m\"}}\n\n", "bare JSON": `{"error":{"message":"m"}}` + "\n\n",
	} {
		r := newRig(t)
		whole := frame("abcd") + tail
		resp := r.do(post(pathChat, streamBody), sse(whole))
		if row := r.row(); string(resp.Body) != whole || row.Outcome != logrow.UpstreamError || row.Reason != exchange.ReasonStreamError || row.OutputTok != 1 || !row.Estimated || r.led.Load(ledger.BilledAbortedOutput) != 1 {
			t.Errorf("%s: %q %+v", story, resp.Body, row)
		}
	}
}

// TestUnterminatedStream: a stream that ends without terminator or finish
// reason passes as it came, and the row says so.
func TestUnterminatedStream(t *testing.T) {
	for _, tc := range []struct{ story, text, passed, reason string }{
		{"neither", frame("abcd"), frame("abcd"), exchange.ReasonUnterminated},
		{"a finish reason and no terminator", frame("abcd") + finishFrame, frame("abcd") + finishFrame, ""},
		{"no blank line at the end", frame("abcd") + strings.TrimSpace(doneFrame), frame("abcd") + strings.TrimSpace(doneFrame), ""},
		{"a hidden frame without blank line", frame("abcd") + finishFrame + strings.TrimSpace(usageFrame), frame("abcd") + finishFrame, ""},
	} {
		for _, change := range []func(*rig){func(*rig) {}, awaiting} {
			r := newRig(t, change)
			resp := r.do(post(pathChat, streamBody), sse(strings.SplitAfter(tc.text, "\"")...))
			if row := r.row(); string(resp.Body) != tc.passed || row.Outcome != logrow.Answered || row.Reason != tc.reason {
				t.Errorf("%s: %q %+v", tc.story, resp.Body, row)
			}
		}
	}
}

// TestStreamUnderAnotherType: a stream was asked for; what came is told by its
// first byte.
func TestStreamUnderAnotherType(t *testing.T) {
	r := newRig(t)
	ans := sse("\n", frame("abcd")+usageFrame, doneFrame)
	ans.Fields = fields("Content-Type: application/json")
	if resp := r.do(post(pathChat, streamBody), ans); string(resp.Body) != "\n"+frame("abcd")+doneFrame || r.row().OutputTok != 3 {
		t.Errorf("%q %+v", resp.Body, r.row())
	}
	if resp := r.do(post(pathChat, streamBody), jsonAnswer(200, answerBody)); string(resp.Body) != answerBody || r.row().OutputTok != 3 || r.row().Estimated {
		t.Errorf("%q %+v", resp.Body, r.row())
	}
}

// TestLargeFrameIsNotHeld: what is held is bounded; a frame beyond the bound is
// passed on.
func TestLargeFrameIsNotHeld(t *testing.T) {
	big := `data: {"pad":"` + strings.Repeat("x", 100<<10) + `","choices":[],"usage":{"total_tokens":1}}` + "\n\n"
	r := newRig(t)
	var pieces []string
	for i := 0; i < len(big); i += 4096 {
		pieces = append(pieces, big[i:min(i+4096, len(big))])
	}
	if resp := r.do(post(pathChat, streamBody), sse(append(pieces, usageFrame, doneFrame)...)); string(resp.Body) != big+doneFrame {
		t.Errorf("%d bytes", len(resp.Body))
	}
}

// TestClientLeavesWithTheWholeAnswer: it may be gone before the engine tells
// of the upstream's end. It has what it asked for, and pays for all of it.
func TestClientLeavesWithTheWholeAnswer(t *testing.T) {
	const done = "data: [DONE]\n\n"
	const plain = `{"choices":[{"message":{"content":"abcd"}}],"usage":{"prompt_tokens":3,"completion_tokens":5}}`
	for _, tc := range []struct {
		story string
		head  exchange.ResponseHead
		body  string
		short int64 // bytes that were not accepted
		want  logrow.Outcome
	}{
		{"a stream with its terminator", exchange.ResponseHead{Status: 200, Fields: sse().Fields, ContentLength: -1}, frame("abcd") + done, 0, logrow.Answered},
		{"a stream without", exchange.ResponseHead{Status: 200, Fields: sse().Fields, ContentLength: -1}, frame("abcd"), 0, logrow.ClientLeft},
		{"a stream whose terminator was not accepted", exchange.ResponseHead{Status: 200, Fields: sse().Fields, ContentLength: -1}, frame("abcd") + done, 1, logrow.ClientLeft},
		{"an answer of known length", exchange.ResponseHead{Status: 200, ContentLength: int64(len(plain))}, plain, 0, logrow.Answered},
		{"an answer that is not all accepted", exchange.ResponseHead{Status: 200, ContentLength: int64(len(plain))}, plain, 1, logrow.ClientLeft},
	} {
		r := newRig(t)
		x := r.core.Acquire()
		var out exchange.Actions
		body := streamBody
		if tc.head.ContentLength > 0 {
			body = `{"model":"plain","messages":[{"role":"user","content":"hi"}]}`
		}
		req := post(pathChat, body)
		for _, ev := range []exchange.Event{
			{Kind: exchange.EvRequestHead, Head: &exchange.RequestHead{Method: req.Method, Target: req.Target, Fields: req.Fields, ContentLength: int64(len(body))}},
			{Kind: exchange.EvRequestBody, Data: []byte(body)},
			{Kind: exchange.EvRequestEnd},
			{Kind: exchange.EvUpstreamHead, Response: &tc.head},
			{Kind: exchange.EvUpstreamBody, Data: []byte(tc.body)},
			{Kind: exchange.EvCancelled, Delivered: int64(len(tc.body)) - tc.short},
		} {
			x.Step(r.clock(), &ev, &out)
		}
		var row *logrow.Row
		for _, a := range out.List {
			if a.Kind == exchange.ActAppendRow {
				row = a.Row
			}
		}
		if row == nil || row.Outcome != tc.want {
			t.Errorf("%s: row %+v, want %v", tc.story, row, tc.want)
		}
		r.core.Release(x)
		r.idle()
	}
}
