package stack

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate-lab/tollgate/gateway/config"
	"github.com/tollgate-lab/tollgate/matrix/internal/spec"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestTheGatewayTakesEveryConfig: what the lab writes is what the gateway reads.
func TestTheGatewayTakesEveryConfig(t *testing.T) {
	for _, profile := range []contract.Profile{contract.Bare, contract.Auth, contract.Governed} {
		for _, log := range spec.Logs() {
			c := contract.Cell{Engine: "conn", Profile: profile, Workers: 2}
			c.LogStore, c.Durability, _ = strings.Cut(log, "/")
			text, err := configFor(&c, "127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3", `/run/with "quotes"`)
			if err != nil {
				t.Fatal(err)
			}
			dsn := func(name string) (string, bool) { return "postgres://x", name == dsnEnv }
			cfg, err := config.Read("gateway.yaml", []byte(text), dsn)
			if err != nil {
				t.Errorf("%s, log %s: %v\n%s", profile, log, err, text)
				continue
			}
			if _, err := cfg.Resolve(dsn, 0); err != nil {
				t.Errorf("%s, log %s: %v", profile, log, err)
			}
			if cfg.Log.Store != c.LogStore || cfg.Workers != 2 || cfg.Stages.Ledger != (profile == contract.Governed) {
				t.Errorf("%s, log %s: %+v", profile, log, cfg)
			}
		}
	}
	if _, err := configFor(&contract.Cell{Profile: "made-up"}, "", "", "", ""); err == nil {
		t.Error("an unknown profile has a config")
	}
}

func TestConfigGolden(t *testing.T) {
	for _, profile := range []contract.Profile{contract.Bare, contract.Governed} {
		c := contract.Cell{Engine: "conn", Profile: profile, Workers: 1, LogStore: "off"}
		if profile == contract.Governed {
			c.LogStore, c.Durability = "sqlite", "async"
		}
		got, err := configFor(&c, "127.0.0.1:8080", "127.0.0.1:8081", "127.0.0.1:9090", "/run/cell-1")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", string(profile)+".yaml")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s (-update rewrites it):\n%s", profile, d)
		}
	}
}

func TestTheRunnersEnvironmentIsNotTheGateways(t *testing.T) {
	got := cleanEnv([]string{"PATH=/bin", "TOLLGATE_LISTEN=x", "HOME=/"})
	if d := cmp.Diff([]string{"PATH=/bin", "HOME=/"}, got); d != "" {
		t.Error(d)
	}
}

func TestDrained(t *testing.T) {
	for _, c := range []struct {
		story string
		sums  results.LedgerSums
		want  bool
	}{
		{"nothing ever came", results.LedgerSums{}, true},
		{"a request in flight", results.LedgerSums{"in_flight": 1}, false},
		{"a reservation is held", results.LedgerSums{"open_reservations": 1}, false},
		{"a row is on its way", results.LedgerSums{"rows_appended": 3, "rows_stored": 2}, false},
		{"stored, dropped or failed", results.LedgerSums{"rows_appended": 3, "rows_stored": 1, "rows_dropped": 1, "rows_failed": 1}, true},
		{"a dead worker's row", results.LedgerSums{"rows_appended": 1, "rows_unreported": 1}, true},
	} {
		if got := drained(c.sums); got != c.want {
			t.Errorf("%s: %v, want %v", c.story, got, c.want)
		}
	}
}

func TestAssistantText(t *testing.T) {
	for _, c := range []struct {
		story, body string
		stream      bool
		want        string
		fails       bool
	}{
		{"plain", `{"choices":[{"message":{"content":"ab"}}]}`, false, "ab", false},
		{"a stream", "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\ndata: [DONE]\n\n", true, "ab", false},
		{"a stream that was cut", "data: {\"choices\":[]}\n\n", true, "", true},
		{"no JSON", "x", false, "", true},
		{"no JSON in a frame", "data: x\n\n", true, "", true},
	} {
		t.Run(c.story, func(t *testing.T) {
			got, err := assistantText([]byte(c.body), c.stream)
			if (err != nil) != c.fails || (err == nil && got != c.want) {
				t.Errorf("%q %v, want %q", got, err, c.want)
			}
		})
	}
}

func FuzzAssistantText(f *testing.F) {
	f.Add([]byte(`{"choices":[{"message":{"content":"ab"}}]}`), false)
	f.Add([]byte("data: [DONE]\n\n"), true)
	f.Fuzz(func(_ *testing.T, b []byte, stream bool) { _, _ = assistantText(b, stream) })
}
