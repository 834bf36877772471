package gateway

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func runWith(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(t.Context(), args, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

func TestCommandLine(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, value := range environment {
		t.Setenv(name, value)
	}
	good := file("good.yaml", configText("http://127.0.0.1:1", ""))
	for _, tc := range []struct {
		story, stdin string
		args         []string
		code         int
		out, err     string
	}{
		{"help teaches with an example", "", []string{"--help"}, 0, "cat > gateway.yaml", ""},
		{"one dash is enough", "", []string{"-h"}, 0, "gateway new-key", ""},
		{"the version", "", []string{"--version"}, 0, "tollgate gateway ", ""},
		{"every key of the config", "", []string{"--help-config"}, 0, "\nlisten: \"127.0.0.1:8080\"\n", ""},
		{"a good config", "", []string{"--config", good, "--check-config"}, 0, "ok: providers 1, models 2, keys 3", ""},
		{"a config that is not there", "", []string{"--config", good + "x"}, 2, "", "--help-config > gateway.yaml"},
		{"a config with a wrong key", "", []string{"--config", file("bad.yaml", "\nlisten: a\nlimts: {}\n")}, 2, "", "bad.yaml:3: unknown key \"limts\"; did you mean \"limits\"?"},
		{"a secret that is missing", "", []string{"--check-config", "--config", file("secret.yaml", strings.Replace(configText("http://127.0.0.1:1", ""), "PROVIDER", "NOWHERE", 1))}, 2, "", "secret.yaml:3: providers[0].api_key_env: the environment variable NOWHERE is not set"},
		{"a certificate that is not there", "", []string{"--check-config", "--config", file("tls.yaml", configText("http://127.0.0.1:1", "tls: {cert_file: /nowhere, key_file: /nowhere}"))}, 2, "", "tls: load certificate"},
		{"an unknown flag", "", []string{"--confg", "x"}, 2, "", "gateway --help"},
		{"an unknown command", "", []string{"serve"}, 2, "", `unknown command "serve"`},
		{"the hash of a token", "sk-alice\n", []string{"hash-key"}, 0, "099295a3784e1bd368dc348843a7398c1931b6b8ec2504c73e91ed2040bdc46c\n", ""},
		{"the hash without a line's end", "sk-alice", []string{"hash-key"}, 0, "099295a3784e1bd368dc348843a7398c1931b6b8ec2504c73e91ed2040bdc46c\n", ""},
		{"no token", "\n", []string{"hash-key"}, 2, "", "want one token"},
		{"a token with a space", "a b", []string{"hash-key"}, 2, "", "want one token"},
		{"a token as argument", "", []string{"hash-key", "sk-alice"}, 2, "", "on standard input"},
	} {
		code, out, errs := runWith(t, tc.stdin, tc.args...)
		if code != tc.code || !strings.Contains(out, tc.out) || !strings.Contains(errs, tc.err) {
			t.Errorf("%s: %d\n%s\n%s\nwant %d, %s, %s", tc.story, code, out, errs, tc.code, tc.out, tc.err)
		}
		if strings.Contains(errs, "sk-") {
			t.Errorf("%s: a token is in %s", tc.story, errs)
		}
	}
}

func TestNewKeyPrintsATokenAndItsHash(t *testing.T) {
	seen := map[string]bool{}
	for range 3 {
		code, out, _ := runWith(t, "", "new-key")
		fields := strings.Fields(out)
		if code != 0 || len(fields) != 4 || !strings.HasPrefix(fields[1], "sk-tg-") || len(fields[1]) < 50 {
			t.Fatalf("%d %q", code, out)
		}
		if _, hash, _ := runWith(t, fields[1], "hash-key"); strings.TrimSpace(hash) != fields[3] {
			t.Errorf("hash-key says %s, new-key %s", hash, fields[3])
		}
		if seen[fields[1]] {
			t.Error("the same token twice")
		}
		seen[fields[1]] = true
	}
}

func TestRequestIDsAreDistinctAndFit(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		var b [64]byte
		id := string(b[:newRequestID(b[:])])
		if len(id) != 35 || !strings.HasPrefix(id, "tg-") || seen[id] {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
}
