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

type errorBody struct {
	Error struct {
		Message     string
		Type        string
		Param, Code *string
	}
}

// wantError checks an answer of the gateway's own.
func wantError(t *testing.T, resp *direct.Response, status int, reason, code string) errorBody {
	t.Helper()
	var e errorBody
	if err := json.Unmarshal(resp.Body, &e); err != nil {
		t.Fatalf("%q: %v", resp.Body, err)
	}
	got := ""
	if e.Error.Code != nil {
		got = *e.Error.Code
	}
	if resp.Status != status || field(resp.Fields, "X-Tollgate-Error") != reason || got != code || e.Error.Message == "" || e.Error.Type == "" {
		t.Errorf("status %d, reason %q, body %s; want %d, %q, %q", resp.Status, field(resp.Fields, "X-Tollgate-Error"), resp.Body, status, reason, code)
	}
	if field(resp.Fields, "Content-Type") != "application/json" || field(resp.Fields, "X-Request-Id") == "" {
		t.Errorf("fields %s", resp.Fields)
	}
	return e
}

func TestRefusals(t *testing.T) {
	unauthorised := func(value string) *direct.Request {
		r := post(pathChat, chatBody)
		r.Fields = fields("Host: gw")
		if value != "" {
			r.Fields = fields("authorization: " + value)
		}
		return r
	}
	method := func(m, target string) *direct.Request {
		r := post(target, "")
		r.Method = []byte(m)
		return r
	}
	for _, tc := range []struct {
		story        string
		req          *direct.Request
		deny         admission.Verdict
		status       int
		reason, code string
		row          bool
		more         string // "Name: value" of the answer
		says         string
	}{
		{story: "no key", req: unauthorised(""), status: 401, reason: "missing_api_key", code: "invalid_api_key", more: "WWW-Authenticate: Bearer"},
		{story: "another scheme", req: unauthorised("Basic " + token), status: 401, reason: "missing_api_key", code: "invalid_api_key"},
		{story: "a scheme without a key", req: unauthorised("Bearer"), status: 401, reason: "missing_api_key", code: "invalid_api_key"},
		{story: "a wrong key", req: unauthorised("Bearer sk-wrong"), status: 401, reason: "invalid_api_key", code: "invalid_api_key"},
		{story: "a disabled key", req: unauthorised("bearer sk-off"), status: 401, reason: "key_disabled", code: "invalid_api_key"},
		{story: "an unknown route", req: post("/v1/x?secret=1", ""), status: 404, reason: "unknown_url", says: "Invalid URL (POST /v1/x)"},
		{story: "an unknown route needs no key", req: &direct.Request{Method: []byte("GET"), Target: []byte("/")}, status: 404, reason: "unknown_url", says: "Invalid URL (GET /)"},
		{story: "GET on chat", req: method("GET", pathChat), status: 405, reason: "method_not_allowed", code: "method_not_supported", more: "Allow: POST"},
		{story: "POST on models", req: method("POST", "/v1/models"), status: 405, reason: "method_not_allowed", code: "method_not_supported", more: "Allow: GET, HEAD"},
		{story: "DELETE of a model", req: method("DELETE", "/v1/models/plain"), status: 405, reason: "method_not_allowed", code: "method_not_supported"},
		{story: "broken JSON", req: post(pathChat, `{"model":`), status: 400, reason: "invalid_json", row: true, says: "byte 9"},
		{story: "no body", req: post(pathChat, ``), status: 400, reason: "invalid_json", row: true},
		{story: "an array", req: post(pathChat, `[]`), status: 400, reason: "invalid_json", row: true},
		{story: "too deep", req: post(pathChat, `{"a":`+strings.Repeat("[", 600)+strings.Repeat("]", 600)+`}`), status: 400, reason: "invalid_json", row: true},
		{story: "a model twice", req: post(pathChat, `{"model":"plain","model":"closed"}`), status: 400, reason: "invalid_request", code: "duplicate_parameter", row: true, says: "`model`"},
		{story: "no model", req: post(pathChat, `{}`), status: 400, reason: "missing_model", code: "missing_required_parameter", row: true},
		{story: "a model that is a number", req: post(pathChat, `{"model":1}`), status: 400, reason: "invalid_request", code: "invalid_type", row: true},
		{story: "stream as text", req: post(pathChat, `{"model":"plain","stream":"yes"}`), status: 400, reason: "invalid_request", code: "invalid_type", row: true},
		{story: "an unknown model", req: post(pathChat, `{"model":"no\"pe"}`), status: 404, reason: "model_not_found", code: "model_not_found", row: true, says: "`no\"pe`"},
		{story: "a model of others", req: post(pathChat, `{"model":"closed"}`), status: 403, reason: "model_not_allowed", code: "model_not_allowed", row: true},
		{story: "a model of others, written with escapes", req: post(pathChat, `{"model":"cl\u006fsed"}`), status: 403, reason: "model_not_allowed", code: "model_not_allowed", row: true},
		{story: "a spent budget", req: post(pathChat, chatBody), deny: admission.Verdict{Reason: admission.ReasonBudget}, status: 429, reason: "insufficient_quota", code: "insufficient_quota", row: true, more: "Retry-After: "},
		{story: "a budget that comes back", req: post(pathChat, chatBody), deny: admission.Verdict{Reason: admission.ReasonBudget, RetryAfterNs: 3600e9}, status: 429, reason: "insufficient_quota", code: "insufficient_quota", row: true, more: "Retry-After: 3600"},
		{story: "spent tokens", req: post(pathChat, chatBody), deny: admission.Verdict{Reason: admission.ReasonTokenBudget}, status: 429, reason: "token_quota_spent", code: "insufficient_quota", row: true},
		{story: "too many requests", req: post(pathChat, chatBody), deny: admission.Verdict{Reason: admission.ReasonRPM, RetryAfterNs: 1_000_000_001, Rate: admission.Rate{LimitRequests: 3, ResetRequestsNs: 61e9}}, status: 429, reason: "rate_limit_requests", code: "rate_limit_exceeded", row: true, more: "Retry-After: 2"},
		{story: "its limits are told", req: post(pathChat, chatBody), deny: admission.Verdict{Reason: admission.ReasonRPM, Rate: admission.Rate{LimitRequests: 3, ResetRequestsNs: 61e9}}, status: 429, reason: "rate_limit_requests", code: "rate_limit_exceeded", row: true, more: "x-ratelimit-reset-requests: 1m1s"},
		{story: "too many tokens", req: post(pathChat, chatBody), deny: admission.Verdict{Reason: admission.ReasonTPM, RetryAfterNs: 1}, status: 429, reason: "rate_limit_tokens", code: "rate_limit_exceeded", row: true, more: "Retry-After: 1"},
		{story: "no admission to be had", req: post(pathChat, chatBody), deny: admission.Verdict{Reason: admission.ReasonUnavailable}, status: 503, reason: "admission_unavailable", code: "admission_unavailable", row: true, more: "Retry-After: 1"},
		{story: "a reason nobody knows fails closed", req: post(pathChat, chatBody), deny: admission.Verdict{Reason: "new"}, status: 503, reason: "admission_unavailable", code: "admission_unavailable", row: true},
	} {
		for _, mode := range []struct {
			name   string
			change func(*rig)
		}{{"async", func(*rig) {}}, {"await", awaiting}} {
			t.Run(tc.story+"/"+mode.name, func(t *testing.T) {
				r := newRig(t, mode.change)
				r.desk.deny = tc.deny
				resp := r.do(tc.req, nil)
				e := wantError(t, resp, tc.status, tc.reason, tc.code)
				if resp.Asked != nil {
					t.Error("it was sent upstream")
				}
				if tc.says != "" && !strings.Contains(e.Error.Message, tc.says) {
					t.Errorf("says %q", e.Error.Message)
				}
				if name, value, ok := strings.Cut(tc.more, ": "); ok && field(resp.Fields, name) != value {
					t.Errorf("%s is %q", name, field(resp.Fields, name))
				}
				if tc.row != (len(r.book.rows) == 1) {
					t.Fatalf("%d rows", len(r.book.rows))
				}
				if tc.row {
					row := r.row()
					want := logrow.Rejected
					if tc.status >= 500 {
						want = logrow.GatewayError
					}
					if row.Outcome != want || row.Reason != tc.reason || int(row.Status) != tc.status || row.Key != "team" || row.OutputTok != 0 || row.BytesOut != int64(len(resp.Body)) {
						t.Errorf("row %+v", row)
					}
				}
			})
		}
	}
}

func TestBodyTooLarge(t *testing.T) {
	small := func(r *rig) { r.snap.Limits.MaxBodyBytes = 100 }
	announced := post(pathChat, strings.Repeat(" ", 101))
	chunked := post(pathChat, strings.Repeat(" ", 500))
	chunked.Chunked, chunked.Chunk = true, 30
	for story, tc := range map[string]struct {
		req   *direct.Request
		steps int
	}{
		"announced: before a byte is read":  {announced, 1},
		"chunked: when it passes the limit": {chunked, 1 + 4},
	} {
		r := newRig(t, small)
		resp := r.do(tc.req, nil)
		wantError(t, resp, 413, "body_too_large", "body_too_large")
		if resp.Steps != tc.steps || len(r.book.rows) != 0 || r.led.Load(ledger.Rejected) != 1 {
			t.Errorf("%s: %d steps, %d rows", story, resp.Steps, len(r.book.rows))
		}
	}
	exact := post(pathChat, chatBody+strings.Repeat(" ", 100-len(chatBody)))
	exact.Chunked, exact.Chunk = true, 7
	if resp := newRig(t, small).do(exact, jsonAnswer(200, answerBody)); resp.Status != 200 {
		t.Errorf("a body of exactly the limit: %d", resp.Status)
	}
}

// TestUnreadable feeds what an engine says of requests that it cannot read.
func TestUnreadable(t *testing.T) {
	for _, tc := range []struct {
		status       int
		reason, want string
	}{
		{400, "malformed_request", "malformed_request"},
		{408, "request_timeout", "request_timeout"},
		{413, "", "body_too_large"},
		{431, "head_too_large", "head_too_large"},
		{414, "", "head_too_large"},
		{500, "", "internal_error"},
		{501, "transfer coding \"x\"", "malformed_request"},
		{503, "shutting_down", "shutting_down"},
		{0, "", "malformed_request"},
	} {
		for _, started := range []bool{false, true} {
			r := newRig(t)
			x := r.core.Acquire()
			var out exchange.Actions
			if started {
				req := post(pathChat, "")
				x.Step(r.clock(), &exchange.Event{Kind: exchange.EvRequestHead, Head: &exchange.RequestHead{
					Method: req.Method, Target: req.Target, Fields: req.Fields, ContentLength: 9,
				}}, &out)
				x.Step(r.clock(), &exchange.Event{Kind: exchange.EvRequestBody, Data: []byte("{")}, &out)
			}
			x.Step(r.clock(), &exchange.Event{Kind: exchange.EvBadRequest, Status: tc.status, Reason: tc.reason}, &out)
			kinds := []exchange.ActionKind{exchange.ActRespond, exchange.ActWrite, exchange.ActFinish, exchange.ActDone}
			if len(out.List) != len(kinds) {
				t.Fatalf("%d: %+v", tc.status, out.List)
			}
			for i, k := range kinds {
				if out.List[i].Kind != k {
					t.Errorf("%d: action %d is %d", tc.status, i, out.List[i].Kind)
				}
			}
			want := tc.status
			if want == 0 {
				want = 400
			}
			if a := out.List[0]; a.Status != want || field(a.Fields, "X-Tollgate-Error") != tc.want {
				t.Errorf("%d %q: %d %s", tc.status, tc.reason, a.Status, a.Fields)
			}
			r.core.Release(x)
			r.idle()
		}
	}
}
