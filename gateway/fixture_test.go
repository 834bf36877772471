package gateway

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/config"
)

const (
	token    = "sk-test-alice-0123456789"
	poor     = "sk-test-poor-0123456789"
	slow     = "sk-test-slow-0123456789"
	provider = "sk-provider-0123456789"
)

// environment has the secrets that configText names.
var environment = map[string]string{"ALICE": token, "POOR": poor, "SLOW": slow, "PROVIDER": provider}

func lookup(name string) (string, bool) {
	v, ok := environment[name]
	return v, ok
}

// configText is a config over an upstream, with more keys in front. A prompt token
// costs 1 dollar in a million, an output token 2: the upstream's answer costs 16
// micro-dollars.
func configText(upstream string, more string) string {
	return more + fmt.Sprintf(`
providers:
  - {name: up, base_url: %q, api_key_env: PROVIDER}
models:
  - {name: m, upstream_model: m-upstream, price: {input_per_mtok: 1, output_per_mtok: 2}}
  - {name: other, price: {input_per_mtok: 1, output_per_mtok: 2}}
keys:
  - {name: alice, token_env: ALICE, models: [m], budget: {dollars: 1, tokens: 100000}, rpm: 1000, tpm: 1000000}
  - {name: poor, token_env: POOR, budget: {dollars: 0.00001}}
  - {name: slow, token_env: SLOW, rpm: 1}
`, upstream+"/v1")
}

const inProcess = `
listen: 127.0.0.1:0
control: {listen: "127.0.0.1:0"}
log: {store: memory}
limits: {max_body: 64KiB}
`

// begin starts a gateway inside the test.
func begin(t *testing.T, text string) *Gateway {
	t.Helper()
	cfg, err := config.Read("gateway.yaml", []byte(text), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	return beginWith(t, cfg, lookup)
}

// beginWith is begin with secrets from elsewhere.
func beginWith(t *testing.T, cfg *config.Config, lookup func(string) (string, bool)) *Gateway {
	t.Helper()
	g, err := New(cfg, Options{Logger: slog.New(slog.DiscardHandler), Lookup: lookup})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if g.draining.Load() {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := g.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	})
	return g
}

// client opens a connection for each request: which worker takes it is the
// kernel's choice, and an idle one does not stand in a drain's way.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 60 * time.Second}

type reply struct {
	status int
	header http.Header
	body   string
}

func ask(t *testing.T, method, url, key, body string) reply {
	t.Helper()
	res := open(t, method, url, key, body)
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	return reply{res.StatusCode, res.Header, string(b)}
}

// open is ask, up to the answer's head.
func open(t *testing.T, method, url, key, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

func chat(t *testing.T, addr, key, body string) reply {
	t.Helper()
	return ask(t, "POST", "http://"+addr+"/v1/chat/completions", key, body)
}

// eventually polls a condition that only the outside can show.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatalf("never: %s", what)
		case <-tick.C:
		}
	}
}

func stateDir(t *testing.T) string { return filepath.ToSlash(filepath.Join(t.TempDir(), "state")) }
