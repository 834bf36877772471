package gateway

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/config"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"github.com/tollgate-lab/tollgate/gateway/logstore"
)

// eachEngine runs a test once per engine.
func eachEngine(t *testing.T, test func(t *testing.T, more string)) {
	for _, name := range config.Engines {
		t.Run(name, func(t *testing.T) { test(t, "engine: "+name+"\n"+inProcess) })
	}
}

func TestCompletionAndStream(t *testing.T) {
	eachEngine(t, func(t *testing.T, more string) {
		up := newUpstream(t)
		g := begin(t, configText(up.URL, more))

		whole := chat(t, g.Addr(), token, chatBody("hi", false))
		if whole.status != 200 || whole.body != answer {
			t.Errorf("completion: %d %s", whole.status, whole.body)
		}
		if got := whole.header.Get("X-Ratelimit-Remaining-Requests"); got != "999" {
			t.Errorf("remaining requests %q", got)
		}
		if got := *up.auth.Load(); got != "Bearer "+provider {
			t.Errorf("the upstream saw %q", got)
		}
		stream := chat(t, g.Addr(), token, chatBody("hi", true))
		if text, done := contentOf(t, stream.body); text != "hello" || !done {
			t.Errorf("stream: %q, ended %v", text, done)
		}
		if strings.Contains(stream.body, "prompt_tokens") {
			t.Errorf("usage that was not asked for: %s", stream.body)
		}

		eventually(t, "both are settled", func() bool { return g.Ledger()["in_flight"] == 0 && g.Ledger()["rows_stored"] == 2 })
		for name, want := range map[string]int64{
			"read_whole": 2, "answered": 2, "upstream_attempts": 2, "billed_prompt_tok": 20, "billed_output_tok": 6,
			"spend_nano": 32_000, "rows_appended": 2, "open_reservations": 0,
		} {
			if got := g.Ledger()[name]; got != want {
				t.Errorf("%s is %d, want %d", name, got, want)
			}
		}
		if s := g.sums()[0]; s.SpentNano != 32_000 || s.CommittedNano != 32_000 || s.SpentTok != 26 || s.Open != 0 {
			t.Errorf("account %+v", s)
		}
		wantRows(t, g, 2)
	})
}

func wantRows(t *testing.T, g *Gateway, want int64) {
	t.Helper()
	r, ok := logstore.ReaderOf(g.Store())
	if !ok {
		t.Fatal("the store cannot be read")
	}
	by, err := r.CountByOutcome(t.Context())
	if err != nil || by[logrow.Answered] != want {
		t.Errorf("rows %v, %v", by, err)
	}
	if err := r.EachRow(t.Context(), func(row *logrow.Row) error {
		if text := fmt.Sprintf("%+v %s", *row, row.ID()); strings.Contains(text, "sk-") {
			t.Errorf("a token is in the row %s", text)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

func TestErrorsAreOpenAIs(t *testing.T) {
	eachEngine(t, func(t *testing.T, more string) {
		up := newUpstream(t)
		g := begin(t, configText(up.URL, more))
		chat(t, g.Addr(), slow, chatBody("the one of this minute", false))
		for _, tc := range []struct {
			story, key, path, body string
			status                 int
			reason                 string
			retry                  bool
		}{
			{"no key", "", "", chatBody("hi", false), 401, "missing_api_key", false},
			{"a wrong key", "sk-wrong", "", chatBody("hi", false), 401, "invalid_api_key", false},
			{"a model that the key may not use", token, "", strings.Replace(chatBody("hi", false), `"m"`, `"other"`, 1), 403, "model_not_allowed", false},
			{"a model that is not there", token, "", strings.Replace(chatBody("hi", false), `"m"`, `"x"`, 1), 404, "model_not_found", false},
			{"a spent budget", poor, "", chatBody("hi", false), 429, "insufficient_quota", true},
			{"too many requests", slow, "", chatBody("hi", false), 429, "rate_limit_requests", true},
			{"an oversize body", token, "", chatBody(strings.Repeat("x", 70_000), false), 413, "body_too_large", false},
			{"broken JSON", token, "", `{"model":"m",`, 400, "invalid_json", false},
			{"an unknown route", token, "/v1/nothing", "{}", 404, "unknown_url", false},
		} {
			path := tc.path
			if path == "" {
				path = "/v1/chat/completions"
			}
			got := ask(t, "POST", "http://"+g.Addr()+path, tc.key, tc.body)
			if got.status != tc.status || got.header.Get("X-Tollgate-Error") != tc.reason {
				t.Errorf("%s: %d %q, want %d %q", tc.story, got.status, got.header.Get("X-Tollgate-Error"), tc.status, tc.reason)
			}
			if retry := got.header.Get("Retry-After"); (retry != "") != tc.retry {
				t.Errorf("%s: Retry-After %q", tc.story, retry)
			}
			wantError(t, tc.story, got.body)
			if tc.key != "" && strings.Contains(got.body, tc.key) {
				t.Errorf("%s: the token is in %s", tc.story, got.body)
			}
		}
		if got := g.sums()[1]; got.CommittedNano != 0 || got.Refused != 1 {
			t.Errorf("the spent key's account: %+v", got)
		}
	})
}

func wantError(t *testing.T, story, body string) {
	t.Helper()
	var e struct {
		Error *struct {
			Message, Type string
			Param, Code   *string
		}
	}
	if err := json.Unmarshal([]byte(body), &e); err != nil || e.Error == nil || e.Error.Message == "" || e.Error.Type == "" {
		t.Errorf("%s: not OpenAI's error: %v %s", story, err, body)
	}
}

func TestADeadUpstreamIs502AndTheGatewayStartsWithoutIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, more string) {
		const dead = "http://127.0.0.1:1" // nobody listens on port 1
		g := begin(t, configText(dead, more))
		if got := ask(t, "GET", "http://"+g.Addr()+"/readyz", "", ""); got.status != 200 {
			t.Errorf("readyz: %d %s", got.status, got.body)
		}
		got := chat(t, g.Addr(), token, chatBody("hi", false))
		if got.status != 502 || got.header.Get("X-Tollgate-Error") != "upstream_unreachable" {
			t.Errorf("%d %q", got.status, got.header.Get("X-Tollgate-Error"))
		}
		wantError(t, "a dead upstream", got.body)
		eventually(t, "settled", func() bool { return g.Ledger()["in_flight"] == 0 })
		if s := g.sums()[0]; s.SpentNano != 0 || s.CommittedNano != 0 || s.Open != 0 {
			t.Errorf("nothing was used: %+v", s)
		}
	})
}

func TestWhatTheGatewayServesItself(t *testing.T) {
	eachEngine(t, func(t *testing.T, more string) {
		up := newUpstream(t)
		g := begin(t, configText(up.URL, more))
		chat(t, g.Addr(), token, chatBody("hi", false))
		chat(t, g.Addr(), "sk-wrong-0123456789", chatBody("hi", false))
		eventually(t, "settled", func() bool { return g.Ledger()["in_flight"] == 0 })
		for _, base := range []string{g.Addr(), g.ControlAddr()} {
			if got := ask(t, "GET", "http://"+base+"/healthz", "", ""); got.status != 200 || !strings.Contains(got.body, "ok") {
				t.Errorf("healthz: %d %s", got.status, got.body)
			}
			if got := ask(t, "HEAD", "http://"+base+"/readyz", "", ""); got.status != 200 || got.body != "" {
				t.Errorf("HEAD readyz: %d %q", got.status, got.body)
			}
			got := ask(t, "GET", "http://"+base+"/metrics", "", "")
			for _, want := range []string{
				`tollgate_requests_total{outcome="answered"} 1`, `tollgate_errors_total{reason="invalid_api_key"} 1`,
				`tollgate_build_info{`, `go_goroutines `,
			} {
				if !strings.Contains(got.body, want) {
					t.Errorf("metrics of %s: no %s", base, want)
				}
			}
			// Keys and what they spend are the operator's to see, not any client's.
			if named := strings.Contains(got.body, `tollgate_key_spend_dollars_total{key="alice"} 1.6`); named != (base == g.ControlAddr()) {
				t.Errorf("metrics of %s name the keys: %v", base, named)
			}
			if strings.Contains(got.body, "sk-") {
				t.Errorf("a token is in the metrics of %s", base)
			}
			if got := ask(t, "POST", "http://"+base+"/healthz", "", ""); got.status != 405 {
				t.Errorf("POST healthz: %d", got.status)
			}
		}
		var sums map[string]int64
		got := ask(t, "GET", "http://"+g.ControlAddr()+"/ledger", "", "")
		if err := json.Unmarshal([]byte(got.body), &sums); err != nil || sums["answered"] != 1 {
			t.Errorf("ledger: %v %s", err, got.body)
		}
	})
}

func TestWithoutStagesAnybodyMayPass(t *testing.T) {
	eachEngine(t, func(t *testing.T, more string) {
		up := newUpstream(t)
		text := strings.Replace(configText(up.URL, more), "{store: memory}", "{store: off}", 1)
		g := begin(t, text+"\nstages: {auth: false, admission: false, ledger: false}\n")
		if got := chat(t, g.Addr(), "", chatBody("hi", false)); got.status != 200 || got.body != answer {
			t.Errorf("%d %s", got.status, got.body)
		}
		for name, n := range g.Ledger() {
			if n != 0 {
				t.Errorf("%s is %d while the ledger is off", name, n)
			}
		}
	})
}

func TestSeveralWorkersNeedRun(t *testing.T) {
	cfg, err := config.Read("f.yaml", []byte("workers: 2\n"+configText("http://127.0.0.1:1", "")), lookup)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(cfg, Options{Lookup: lookup}); err == nil || !strings.Contains(err.Error(), "use Run") {
		t.Errorf("error %v", err)
	}
}

func TestATakenPortIsAnErrorAndNothingStaysOpen(t *testing.T) {
	up := newUpstream(t)
	first := begin(t, configText(up.URL, inProcess))
	dir := stateDir(t)
	text := configText(up.URL, strings.Replace(inProcess, "127.0.0.1:0", first.Addr(), 1)) + "\nstate: {dir: " + dir + "}\n"
	cfg, err := config.Read("f.yaml", []byte(text), lookup)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time the state must be free again
		g, err := New(cfg, Options{Lookup: lookup})
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Start(); err == nil || !strings.Contains(err.Error(), "address already in use") {
			t.Errorf("error %v", err)
		}
	}
}

func TestBudgetsSurviveARestart(t *testing.T) {
	up := newUpstream(t)
	text := configText(up.URL, inProcess) + "\nstate: {dir: " + stateDir(t) + "}\n"
	for i := range int64(3) {
		g := begin(t, text)
		if got := chat(t, g.Addr(), token, chatBody("hi", false)); got.status != 200 {
			t.Fatalf("%d %s", got.status, got.body)
		}
		eventually(t, "settled", func() bool { return g.Ledger()["in_flight"] == 0 })
		if s := g.sums()[0]; s.CommittedNano != 16_000*(i+1) {
			t.Errorf("start %d: committed %d", i, s.CommittedNano)
		}
		if err := g.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := g.Ledger()["answered"]; got != 1 {
			t.Errorf("the ledger of an ended gateway: answered %d", got)
		}
	}
}
