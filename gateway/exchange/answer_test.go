package exchange_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/admission"
	"github.com/tollgate-lab/tollgate/gateway/direct"
	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

func TestChat(t *testing.T) {
	r := newRig(t)
	resp := r.do(post(pathChat+"?api-version=2", strings.Replace(chatBody, "plain", "alias", 1), "X-Request-Id: client-7"), jsonAnswer(200, answerBody, "x-request-id: theirs", "Date: now", "openai-version: 1"))
	if resp.Status != 200 || string(resp.Body) != answerBody || field(resp.Fields, "x-request-id") != "client-7" || field(resp.Fields, "openai-version") != "1" || field(resp.Fields, "date") != "" {
		t.Errorf("%d %s %s", resp.Status, resp.Fields, resp.Body)
	}
	if want := strings.Replace(chatBody, "plain", "real-model", 1); string(resp.UpBody) != want {
		t.Errorf("upstream got %s", resp.UpBody)
	}
	up := resp.Asked
	if string(up.Path) != "/base/v1/chat/completions?api-version=2" || up.Method != "POST" || up.Len() != len(resp.UpBody) || up.HeadTimeoutNs != 7 {
		t.Errorf("asked %+v", up)
	}
	row := r.row()
	if row.Outcome != logrow.Answered || row.Model != "alias" || row.Provider != "prov" || row.Key != "team" || string(row.ID()) != "client-7" || row.Surface != "chat" ||
		row.PromptTok != 11 || row.OutputTok != 3 || row.Estimated || row.CostNano != 11*2+3*5 || row.BytesIn != int64(len(chatBody)) || row.BytesOut != int64(len(answerBody)) || row.TTFBNs <= 0 || row.TotalNs < row.TTFBNs {
		t.Errorf("row %+v", row)
	}
	if r.desk.estimate.PromptTok != 2 || r.desk.estimate.OutputTok != 100 || r.desk.settled != 1 || r.desk.cost != 37 {
		t.Errorf("reserved %+v, settled %d for %d", r.desk.estimate, r.desk.settled, r.desk.cost)
	}
	for c, want := range map[ledger.Counter]int64{
		ledger.ReadWhole: 1, ledger.UpstreamAttempts: 1, ledger.Answered: 1, ledger.BilledPrompt: 11, ledger.BilledOutput: 3, ledger.SpendNano: 37, ledger.BilledAbortedOutput: 0, ledger.Estimated: 0,
	} {
		if got := r.led.Load(c); got != want {
			t.Errorf("%s is %d, want %d", c, got, want)
		}
	}
}

func TestEstimates(t *testing.T) {
	for _, tc := range []struct {
		story, body    string
		prompt, output int64
	}{
		{"the model's limit", `{"model":"plain","messages":[{"content":"123456789"}]}`, 3, 100},
		{"the request's own", `{"model":"plain","max_tokens":7}`, 0, 7},
		{"no more than the model's", `{"model":"plain","max_completion_tokens":5000}`, 0, 100},
		{"for each answer", `{"model":"plain","max_tokens":7,"n":3}`, 0, 21},
		{"absurd numbers do not overflow", `{"model":"plain","n":9007199254740992}`, 0, 1 << 53},
		{"zero is none", `{"model":"plain","max_tokens":0}`, 0, 100},
	} {
		r := newRig(t)
		r.do(post(pathChat, tc.body), jsonAnswer(200, answerBody))
		if e := r.desk.estimate; e.PromptTok != tc.prompt || e.OutputTok != tc.output {
			t.Errorf("%s: %+v", tc.story, e)
		}
	}
	r := newRig(t)
	r.do(post("/v1/embeddings", `{"model":"plain","input":"12345678"}`), jsonAnswer(200, `{"usage":{"prompt_tokens":2,"total_tokens":2}}`))
	if e := r.desk.estimate; e.PromptTok != 2 || e.OutputTok != 0 {
		t.Errorf("embeddings: %+v", e)
	}
	if row := r.row(); row.Surface != "embeddings" || row.PromptTok != 2 || row.OutputTok != 0 || row.Estimated {
		t.Errorf("embeddings: row %+v", row)
	}
}

func TestRequestID(t *testing.T) {
	long := strings.Repeat("x", 64)
	for _, tc := range []struct{ sent, want string }{
		{"abc-1", "abc-1"}, {long, long}, {long + "x", freshID}, {"a b", freshID}, {"a\x01", freshID}, {"ä", freshID}, {"", freshID},
	} {
		r := newRig(t)
		resp := r.do(post(pathChat, chatBody, "x-request-ID: "+tc.sent), jsonAnswer(200, answerBody))
		if got := field(resp.Fields, "X-Request-Id"); got != tc.want || string(r.row().ID()) != tc.want || field(resp.Asked.Fields, "X-Request-Id") != tc.want {
			t.Errorf("%q: answered %q, row %q", tc.sent, got, r.row().ID())
		}
	}
}

func TestFieldsToUpstream(t *testing.T) {
	r := newRig(t)
	resp := r.do(post(pathChat, chatBody,
		"Connection: keep-alive, X-Mine, close", "X-Mine: 1", "Keep-Alive: 5", "Proxy-Authorization: x", "TE: trailers", "Upgrade: h2c", "Expect: 100-continue",
		"Cookie: a=b", "X-Api-Key: k", "api-key: k", "OpenAI-Organization: org", "OpenAI-Project: p", "X-Forwarded-For: 1.2.3.4", "Forwarded: for=1", "Via: 1.1 x",
		"Accept-Encoding: gzip", "Accept: */*", "User-Agent: ua", "X-Stainless-Lang: go", "Idempotency-Key: i"), jsonAnswer(200, answerBody))
	var got []string
	for _, f := range resp.Asked.Fields {
		got = append(got, string(f.Name)+": "+string(f.Value))
	}
	want := []string{
		"Content-Type: application/json", "Accept: */*", "User-Agent: ua", "X-Stainless-Lang: go", "Idempotency-Key: i",
		"X-Request-Id: " + freshID, "Accept-Encoding: identity", "Authorization: Bearer " + secret,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestProviderFieldsReplaceTheClients(t *testing.T) {
	r := newRig(t, func(r *rig) {
		r.snap.Providers[0].Auth = fields("X-Goog-Key: "+secret+"2", "Authorization: Bearer "+secret)
	})
	req := post(pathChat, chatBody, "x-goog-key: mine")
	resp, err := r.Do(r.clock, req, jsonAnswer(200, answerBody))
	if err != nil || field(resp.Asked.Fields, "x-goog-key") != secret+"2" {
		t.Errorf("%s %v", resp.Asked.Fields, err)
	}
}

func TestFieldsToClient(t *testing.T) {
	r := newRig(t)
	r.desk.rate = admission.Rate{LimitRequests: 60, RemainingRequests: 59, ResetRequestsNs: 1e9, LimitTokens: 1000, RemainingTokens: -1, ResetTokensNs: 20e6}
	resp := r.do(post(pathChat, chatBody), jsonAnswer(200, answerBody,
		"Connection: X-Theirs", "X-Theirs: 1", "Set-Cookie: c", "Alt-Svc: h3", "Strict-Transport-Security: s", "Server: up", "x-ratelimit-limit-requests: 9", "X-Tollgate-Error: theirs", "Content-Length: 1"))
	var got []string
	for _, f := range resp.Fields {
		got = append(got, string(f.Name)+": "+string(f.Value))
	}
	want := []string{
		"content-type: application/json", "Server: up", "X-Request-Id: " + freshID,
		"x-ratelimit-limit-requests: 60", "x-ratelimit-remaining-requests: 59", "x-ratelimit-reset-requests: 1s",
		"x-ratelimit-limit-tokens: 1000", "x-ratelimit-remaining-tokens: 0", "x-ratelimit-reset-tokens: 20ms",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	r = newRig(t)
	if resp := r.do(post(pathChat, chatBody), jsonAnswer(200, answerBody, "x-ratelimit-limit-requests: 9")); field(resp.Fields, "x-ratelimit-limit-requests") != "9" {
		t.Error("the upstream's limits pass where the gateway has none")
	}
}

// TestUpstreamErrorPasses: an upstream's own error is passed on unchanged, and
// costs nothing.
func TestUpstreamErrorPasses(t *testing.T) {
	for _, change := range []func(*rig){func(*rig) {}, awaiting, bare} {
		for _, status := range []int{400, 401, 404, 429, 500, 503, 302} {
			r := newRig(t, change)
			body := `{"error":{"message":"Rate limit","usage":{"total_tokens":7}}}`
			resp := r.do(post(pathChat, streamBody), jsonAnswer(status, body, "Retry-After: 9"))
			if resp.Status != status || string(resp.Body) != body || field(resp.Fields, "Retry-After") != "9" || field(resp.Fields, "X-Tollgate-Error") != "" {
				t.Errorf("%d %s %s", resp.Status, resp.Fields, resp.Body)
			}
			if !r.snap.Stages.Log {
				continue
			}
			if row := r.row(); row.Outcome != logrow.UpstreamError || int(row.Status) != status || row.PromptTok != 0 || row.CostNano != 0 || r.desk.released != 1 || r.led.Load(ledger.UpstreamErrors) != 1 || r.led.Load(ledger.UpstreamAttempts) != 1 {
				t.Errorf("row %+v", row)
			}
		}
	}
}

func TestUpstreamFaultsBeforeTheAnswer(t *testing.T) {
	for _, tc := range []struct {
		fault    exchange.UpstreamFault
		status   int
		reason   string
		attempts int64
	}{
		{exchange.FaultConnect, 502, "upstream_unreachable", 0},
		{exchange.FaultReset, 502, "upstream_reset", 1},
		{exchange.FaultMalformed, 502, "upstream_malformed", 1},
		{exchange.FaultHeadTooLarge, 502, "upstream_malformed", 1},
		{exchange.FaultTimeoutConn, 504, "upstream_timeout", 0},
		{exchange.FaultTimeoutHead, 504, "upstream_timeout", 1},
		{exchange.FaultOverloaded, 503, "upstream_overloaded", 0},
	} {
		for _, change := range []func(*rig){func(*rig) {}, awaiting} {
			r := newRig(t, change)
			resp := r.do(post(pathChat, chatBody), &direct.Answer{Fault: tc.fault})
			wantError(t, resp, tc.status, tc.reason, tc.reason)
			if row := r.row(); row.Outcome != logrow.GatewayError || row.Reason != tc.reason || row.CostNano != 0 || r.desk.released != 1 || r.led.Load(ledger.UpstreamAttempts) != tc.attempts {
				t.Errorf("fault %d: row %+v, attempts %d", tc.fault, row, r.led.Load(ledger.UpstreamAttempts))
			}
		}
	}
}

// TestAnswerCut: an answer with a length that breaks off cannot be repaired;
// where nothing was sent yet it is an error of its own.
func TestAnswerCut(t *testing.T) {
	cut := func(chunks ...string) *direct.Answer {
		a := jsonAnswer(200, answerBody)
		a.Chunks = nil
		for _, c := range chunks {
			a.Chunks = append(a.Chunks, []byte(c))
		}
		a.Fault = exchange.FaultMidBody
		return a
	}
	r := newRig(t)
	wantError(t, r.do(post(pathChat, chatBody), cut()), 502, "upstream_truncated", "upstream_truncated")
	if r.desk.released != 1 {
		t.Error("billed though nothing was sent")
	}
	r = newRig(t)
	if resp := r.do(post(pathChat, chatBody), cut(answerBody[:20])); !resp.Aborted || resp.Status != 200 || string(resp.Body) != answerBody[:20] {
		t.Errorf("%+v", resp)
	}
	if row := r.row(); row.Outcome != logrow.GatewayError || row.Reason != "upstream_truncated" || row.PromptTok != 2 || row.OutputTok != 0 || !row.Estimated || r.desk.settled != 1 {
		t.Errorf("row %+v", row)
	}
	r = newRig(t, awaiting)
	wantError(t, r.do(post(pathChat, chatBody), cut(answerBody[:20])), 502, "upstream_truncated", "upstream_truncated")
}

func TestAnswerWithoutUsageIsEstimated(t *testing.T) {
	r := newRig(t)
	r.do(post(pathChat, chatBody), jsonAnswer(200, `{"choices":[{"message":{"content":"hello"}}]}`))
	if row := r.row(); !row.Estimated || row.PromptTok != 2 || row.OutputTok != 2 || row.Outcome != logrow.Answered || r.led.Load(ledger.Estimated) != 1 {
		t.Errorf("row %+v", row)
	}
	r = newRig(t)
	r.do(post(pathChat, chatBody), jsonAnswer(200, strings.Repeat("\x1f", 40), "Content-Encoding: gzip"))
	if row := r.row(); !row.Estimated || row.OutputTok != 10 {
		t.Errorf("encoded: row %+v", row)
	}
	r = newRig(t)
	if resp := r.do(post(pathChat, chatBody), &direct.Answer{Status: 200, Length: 0}); resp.Status != 200 || len(resp.Body) != 0 {
		t.Errorf("empty: %+v", resp)
	}
}

func TestBare(t *testing.T) {
	r := newRig(t, bare)
	req := post(pathChat, strings.Replace(streamBody, "plain", "alias", 1))
	req.Fields = fields("Host: gw") // no key is needed
	want := frame("abcd") + usageFrame + doneFrame
	resp := r.do(req, sse(want))
	if string(resp.Body) != want || string(resp.UpBody) != strings.Replace(streamBody, "plain", "real-model", 1) {
		t.Errorf("%s\nupstream got %s", resp.Body, resp.UpBody)
	}
	if len(r.book.rows) != 0 || r.desk.reserved != 0 {
		t.Error("a stage that is off did something")
	}
	for c := range ledger.NumCounters {
		if r.led.Load(c) != 0 {
			t.Errorf("%s is counted", c)
		}
	}
}

func TestAnyModel(t *testing.T) {
	r := newRig(t, func(r *rig) {
		r.snap.Models = append(r.snap.Models, exchange.Model{Name: "*"})
		r.snap.AnyModel = modelAny
	})
	resp := r.do(post(pathChat, `{"model":"whatever"}`), jsonAnswer(200, answerBody))
	if string(resp.UpBody) != `{"model":"whatever"}` || r.row().Model != "*" {
		t.Errorf("%s %+v", resp.UpBody, r.row())
	}
	if resp := r.do(get("/v1/models"), nil); strings.Contains(string(resp.Body), "*") {
		t.Errorf("%s", resp.Body)
	}
	wantError(t, r.do(get("/v1/models/*"), nil), 404, "model_not_found", "model_not_found")
}

func TestModels(t *testing.T) {
	r := newRig(t)
	var list struct{ Data []struct{ ID string } }
	resp := r.do(get("/v1/models"), nil)
	if err := json.Unmarshal(resp.Body, &list); err != nil || resp.Status != 200 || len(list.Data) != 2 || list.Data[0].ID != "alias" || list.Data[1].ID != "plain" {
		t.Errorf("%d %s (%v): the key may not use the third", resp.Status, resp.Body, err)
	}
	if resp := r.do(get("/v1/models/pl%61in"), nil); resp.Status != 200 || !strings.Contains(string(resp.Body), `"id":"plain"`) {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	head := get("/v1/models")
	head.Method = []byte("HEAD")
	if resp := r.do(head, nil); resp.Status != 200 || len(resp.Body) != 0 || resp.Length == 0 {
		t.Errorf("HEAD: %+v", resp)
	}
	for _, target := range []string{"/v1/models/closed", "/v1/models/none"} {
		wantError(t, r.do(get(target), nil), 404, "model_not_found", "model_not_found")
	}
	wantError(t, r.do(get("/v1/models/"), nil), 404, "unknown_url", "")
	if len(r.book.rows) != 0 || r.led.Load(ledger.ReadWhole) != 0 || r.led.Load(ledger.Answered) != 0 {
		t.Error("lists are not logged")
	}
	if resp := r.do(get("/healthz"), nil); resp.Status != 200 || string(resp.Body) != "ok\n" || field(resp.Fields, "Content-Type") != "text/plain" {
		t.Errorf("%+v", resp)
	}
}

func TestNewCoreChecks(t *testing.T) {
	for story, d := range map[string]exchange.Deps{
		"no snapshot":                      {},
		"no ids":                           {Snapshot: &exchange.Snapshot{AnyModel: -1}},
		"no admitter":                      {Snapshot: &exchange.Snapshot{AnyModel: -1, Stages: exchange.Stages{Auth: true}}, NewID: func([]byte) int { return 0 }},
		"no ledger":                        {Snapshot: &exchange.Snapshot{AnyModel: -1, Stages: exchange.Stages{Ledger: true}}, NewID: func([]byte) int { return 0 }},
		"admission without authentication": {Snapshot: &exchange.Snapshot{AnyModel: -1, Stages: exchange.Stages{Admission: true}}, NewID: func([]byte) int { return 0 }},
		"a provider that is not there":     {Snapshot: &exchange.Snapshot{AnyModel: -1, Models: []exchange.Model{{}}}, NewID: func([]byte) int { return 0 }},
		"a name of no model":               {Snapshot: &exchange.Snapshot{AnyModel: -1, ByName: map[string]int{"x": 0}}, NewID: func([]byte) int { return 0 }},
		"any model of none":                {Snapshot: &exchange.Snapshot{AnyModel: 0}, NewID: func([]byte) int { return 0 }},
	} {
		if _, err := exchange.NewCore(d); err == nil {
			t.Errorf("%s: no error", story)
		}
	}
}
