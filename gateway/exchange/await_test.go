package exchange_test

import (
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/direct"
	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// kinds are the kinds of a step's actions.
func kinds(out *exchange.Actions) (k []exchange.ActionKind) {
	for i := range out.List {
		k = append(k, out.List[i].Kind)
	}
	return k
}

// TestTerminatorWaitsForTheRow: the client cannot see the end of a stream
// before its row is stored.
func TestTerminatorWaitsForTheRow(t *testing.T) {
	r := newRig(t, awaiting)
	x := r.core.Acquire()
	defer r.core.Release(x)
	var out exchange.Actions
	begin(r, x, streamBody, &out)
	x.Step(r.clock(), &exchange.Event{Kind: exchange.EvUpstreamBody, Data: []byte(frame("abcd") + "data: [DO")}, &out)
	if len(out.List) != 1 || string(out.List[0].Data) != frame("abcd") {
		t.Fatalf("%+v", out.List)
	}
	x.Step(r.clock(), &exchange.Event{Kind: exchange.EvUpstreamBody, Data: []byte("NE]\n\n: bye\n\n")}, &out)
	if len(out.List) != 0 {
		t.Fatalf("%+v", out.List)
	}
	x.Step(r.clock(), &exchange.Event{Kind: exchange.EvUpstreamEnd}, &out)
	if len(out.List) != 1 || out.List[0].Kind != exchange.ActAppendRow || !out.List[0].Await {
		t.Fatalf("%v", kinds(&out))
	}
	x.Step(r.clock(), &exchange.Event{Kind: exchange.EvStored}, &out)
	if len(out.List) != 3 || string(out.List[0].Data) != doneFrame+": bye\n\n" || out.List[1].Kind != exchange.ActFinish || out.List[2].Kind != exchange.ActDone {
		t.Fatalf("%v", kinds(&out))
	}
}

// TestAnswersWaitForTheRow: nothing of a short answer, and not all of a long
// one, is written before its row is stored.
func TestAnswersWaitForTheRow(t *testing.T) {
	long := `{"x":"` + strings.Repeat("y", 200<<10) + `"}`
	pieces := func(s string, n int) (c [][]byte) {
		for ; len(s) > n; s = s[n:] {
			c = append(c, []byte(s[:n]))
		}
		return append(c, []byte(s))
	}
	for _, tc := range []struct {
		story       string
		ans         *direct.Answer
		body        string
		least, most int
	}{
		{"short", jsonAnswer(200, answerBody), answerBody, 0, 0},
		{"short, length unknown", &direct.Answer{Status: 200, Chunks: pieces(answerBody, 10), Length: -1}, answerBody, 0, 0},
		{"an error of the upstream", jsonAnswer(500, "{}"), "{}", 0, 0},
		{"long", &direct.Answer{Status: 200, Chunks: pieces(long, 5000), Length: int64(len(long))}, long, len(long) - 1, len(long) - 1},
		{"long, in one read", jsonAnswer(200, long), long, len(long) - 1, len(long) - 1},
		{"long, length unknown", &direct.Answer{Status: 200, Chunks: pieces(long, 5000), Length: -1}, long, len(long), len(long)},
	} {
		r := newRig(t, awaiting)
		before := -1
		var resp *direct.Response
		r.book.then = func() { before = int(r.Written()) }
		resp = r.do(post(pathChat, chatBody), tc.ans)
		if string(resp.Body) != tc.body || before < tc.least || before > tc.most {
			t.Errorf("%s: %d bytes before the row, %d in all", tc.story, before, len(resp.Body))
		}
		if r.row().BytesOut != int64(len(tc.body)) {
			t.Errorf("%s: row says %d bytes", tc.story, r.row().BytesOut)
		}
		// And when it cannot be stored:
		r = newRig(t, awaiting)
		r.book.err = errStore
		resp = r.do(post(pathChat, chatBody), tc.ans)
		if tc.most == 0 {
			wantError(t, resp, 503, "log_store_failed", "log_store_failed")
		} else if !resp.Aborted {
			t.Errorf("%s: ended as if whole", tc.story)
		}
		if r.led.Load(ledger.Answered) != 0 || r.led.Load(ledger.GatewayErrors) != 1 {
			t.Errorf("%s: counted as answered", tc.story)
		}
	}
}

func TestStreamWhoseRowFails(t *testing.T) {
	r := newRig(t, awaiting)
	r.book.err = errStore
	resp := r.do(post(pathChat, streamBody), sse(frame("abcd")+usageFrame+doneFrame))
	event, ok := strings.CutPrefix(string(resp.Body), frame("abcd"))
	if !ok || !strings.HasPrefix(event, `data: {"error":`) || strings.Contains(event, "[DONE]") {
		t.Errorf("%q", resp.Body)
	}
	if r.desk.used.OutputTok != 3 {
		t.Error("what was used stays billed")
	}
}

func TestRefusalWhoseRowFails(t *testing.T) {
	r := newRig(t, awaiting)
	r.book.err = errStore
	wantError(t, r.do(post(pathChat, `{}`), nil), 503, "log_store_failed", "log_store_failed")
}

// TestCancelEverywhere gives the client up before every step of every kind of
// request: nothing stays held, and what was read whole has its row.
func TestCancelEverywhere(t *testing.T) {
	cut := sse(frame("abcd"), frame("efgh"))
	cut.Fault = exchange.FaultMidBody
	failing := func(r *rig) { awaiting(r); r.book.err = errStore }
	chunked := post(pathChat, streamBody)
	chunked.Chunk = 20
	for mode, change := range map[string]func(*rig){"async": func(*rig) {}, "await": awaiting, "bare": bare, "failing": failing} {
		for _, tc := range []struct {
			story string
			req   *direct.Request
			ans   *direct.Answer
		}{
			{"an answer", post(pathChat, chatBody), jsonAnswer(200, answerBody)},
			{"a stream", chunked, sse(frame("abcd"), frame("efgh"), usageFrame, doneFrame)},
			{"a stream in half frames", post(pathChat, streamBody), sse(strings.SplitAfter(frame("abcd")+frame("efgh")+usageFrame+doneFrame, "\"")...)},
			{"an error of the upstream", post(pathChat, chatBody), jsonAnswer(500, "{}")},
			{"a stream that is cut", post(pathChat, streamBody), cut},
			{"a refusal", post(pathChat, `{}`), nil},
			{"no upstream", post(pathChat, chatBody), &direct.Answer{Fault: exchange.FaultConnect}},
		} {
			r := newRig(t, change)
			if tc.ans == nil {
				tc.ans = &direct.Answer{}
			}
			steps := r.do(tc.req, tc.ans).Steps
			sent, billed := int64(0), r.led.Load(ledger.BilledOutput)
			for at := 1; at <= steps+1; at++ {
				r.CancelAt = at
				resp := r.do(tc.req, tc.ans)
				received := int64(strings.Count(string(resp.Body), `"content":"`))
				now := r.led.Load(ledger.BilledOutput)
				if got := now - billed; mode != "bare" && tc.req.Chunk > 0 && (got < received || got > 3) {
					t.Errorf("%s, %s, cancelled at %d: %d billed, %d received", mode, tc.story, at, got, received)
				}
				billed = now
				sent++
				if mode != "bare" && len(r.book.rows) > 0 && r.row().Outcome == logrow.ClientLeft && r.row().BytesOut != int64(len(resp.Body)) {
					t.Errorf("%s, %s, cancelled at %d: row says %d bytes of %d", mode, tc.story, at, r.row().BytesOut, len(resp.Body))
				}
			}
			if mode == "bare" {
				continue
			}
			sum := r.led.Load(ledger.Answered) + r.led.Load(ledger.Rejected) + r.led.Load(ledger.UpstreamErrors) + r.led.Load(ledger.GatewayErrors) + r.led.Load(ledger.ClientLeft)
			if sum != sent && sum != sent+1 { // one that was given up before its head never began
				t.Errorf("%s, %s: %d ended of %d", mode, tc.story, sum, sent+1)
			}
		}
	}
}

// TestEventsOutOfTurnAreIgnored feeds every kind of event in every state.
func TestEventsOutOfTurnAreIgnored(t *testing.T) {
	events := []exchange.Event{
		{Kind: exchange.EvRequestBody, Data: []byte("x")},
		{Kind: exchange.EvRequestEnd},
		{Kind: exchange.EvUpstreamHead, Response: &exchange.ResponseHead{Status: 200}},
		{Kind: exchange.EvUpstreamBody, Data: []byte("x")},
		{Kind: exchange.EvUpstreamEnd},
		{Kind: exchange.EvUpstreamError, Fault: exchange.FaultReset},
		{Kind: exchange.EvTimer},
		{Kind: exchange.EvStored, Err: errStore},
		{Kind: exchange.EvBadRequest, Status: 400},
		{Kind: exchange.EvCancelled},
		{Kind: exchange.EvUpstreamBody, Attempt: 9, Data: []byte("x")},
		{Kind: 99},
	}
	for _, change := range []func(*rig){func(*rig) {}, awaiting} {
		for _, first := range events {
			for _, second := range events {
				r := newRig(t, change)
				x := r.core.Acquire()
				var out exchange.Actions
				for _, ev := range []*exchange.Event{&first, &second} {
					x.Step(r.clock(), ev, &out)
				}
				req := post(pathChat, "")
				x.Step(r.clock(), &exchange.Event{Kind: exchange.EvRequestHead, Head: &exchange.RequestHead{Method: req.Method, Target: req.Target, Fields: req.Fields}}, &out)
				for _, ev := range []*exchange.Event{&first, &second} {
					x.Step(r.clock(), ev, &out)
				}
				r.core.Release(x) // at any point
				r.idle()
				if again := r.core.Acquire(); again != nil {
					begin(r, again, streamBody, &out)
					for _, ev := range []*exchange.Event{&first, &second} {
						x.Step(r.clock(), ev, &out)
					}
					r.core.Release(again)
					r.idle()
				}
			}
		}
	}
}
