package gateway

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"github.com/tollgate-lab/tollgate/gateway/logstore"
)

// logOf writes a SQLite log of two keys and the config that names it.
func logOf(t *testing.T) (config string) {
	t.Helper()
	for name, value := range environment {
		t.Setenv(name, value)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "log")
	store, err := logstore.Open(t.Context(), logstore.Config{Store: logstore.SQLite, Durability: logstore.Async, Path: path}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range []logrow.Row{
		{Key: "alice", Model: "m1", Status: 200, Outcome: logrow.Answered, PromptTok: 7, OutputTok: 4, CostNano: 1_500_000_001, StartedNs: 1e18},
		{Key: "bob", Model: "m1", Status: 429, Outcome: logrow.Rejected, Reason: "rate_limit_requests", StartedNs: 1.6e18},
		{Key: "alice", Model: "m2, the second", Status: 200, Outcome: logrow.Answered, PromptTok: 1, Estimated: true, StartedNs: 1.7e18},
	} {
		r.SetID([]byte{'a' + byte(i)})
		store.Append(&r, nil)
	}
	if err := store.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	config = filepath.Join(dir, "gateway.yaml")
	text := configText("http://127.0.0.1:1", "log: {store: sqlite, path: "+path+"}")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return config
}

func TestLogPrintsRowsAndSums(t *testing.T) {
	config := logOf(t)
	ids := func(args ...string) string {
		t.Helper()
		code, out, errs := runWith(t, "", append([]string{"log", "--config", config}, args...)...)
		if code != 0 {
			t.Fatalf("%v: %d %s", args, code, errs)
		}
		var got []string
		for line := range strings.Lines(out) {
			var row struct {
				RequestID string `json:"request_id"`
				Dollars   json.Number
			}
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if row.RequestID == "a" && row.Dollars != "1.500000001" {
				t.Errorf("dollars %s", row.Dollars)
			}
			got = append(got, row.RequestID)
		}
		return strings.Join(got, " ")
	}
	for _, tc := range []struct {
		story, want string
		args        []string
	}{
		{"all rows", "a b c", nil},
		{"of a key", "a c", []string{"--key", "alice"}},
		{"of a model", "a b", []string{"--model", "m1"}},
		{"of an id", "b", []string{"--id", "b"}},
		{"since a time", "b c", []string{"--since", "2020-01-01T00:00:00Z"}},
		{"since a duration ago", "", []string{"--since", "1ns"}},
		{"of nobody", "", []string{"--key", "carol"}},
	} {
		if got := ids(tc.args...); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.story, got, tc.want)
		}
	}
	_, out, _ := runWith(t, "", "log", "--config", config, "--csv")
	table, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(table) != 4 || table[3][4] != "m2, the second" || table[2][8] != "rate_limit_requests" {
		t.Errorf("%v\n%s", err, out)
	}
	const sums = "key,model,requests,prompt_tok,output_tok,dollars,estimated\n" +
		"alice,m1,1,7,4,1.500000001,0\nbob,m1,1,0,0,0.000000000,0\nalice,\"m2, the second\",1,1,0,0.000000000,1\n"
	if _, out, _ := runWith(t, "", "log", "--config", config, "--sums"); out != sums {
		t.Errorf("got\n%s\nwant\n%s", out, sums)
	}
}

func TestLogRefusals(t *testing.T) {
	config := logOf(t)
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	off := filepath.Join(t.TempDir(), "off.yaml")
	if err := os.WriteFile(off, []byte(strings.Replace(string(text), "store: sqlite", "store: memory", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		story, want string
		code        int
		args        []string
	}{
		{"no config", "read config", 2, []string{"--config", config + "x"}},
		{"a store that keeps nothing", `log.store is "memory"`, 2, []string{"--config", off}},
		{"a bad time", "want a duration such as 24h", 2, []string{"--since", "yesterday"}},
		{"an argument too many", `unexpected argument "all"`, 2, []string{"all"}},
	} {
		code, _, errs := runWith(t, "", append([]string{"log"}, tc.args...)...)
		if code != tc.code || !strings.Contains(errs, tc.want) {
			t.Errorf("%s: %d %s", tc.story, code, errs)
		}
	}
	if code, out, _ := runWith(t, "", "log", "--help"); code != 0 || !strings.Contains(out, "--since 24h") {
		t.Errorf("help: %d %s", code, out)
	}
	if err := os.RemoveAll(filepath.Join(filepath.Dir(config), "log")); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := runWith(t, "", "log", "--config", config); code != 1 || !strings.Contains(errs, "log directory") {
		t.Errorf("no log yet: %d %s", code, errs)
	}
}
