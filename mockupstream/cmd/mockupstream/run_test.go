package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestUsage(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script.json")
	if err := os.WriteFile(script, []byte(`{"frmes": 4}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, args, stdin string
		status            int
		stdout, stderr    string
	}{
		{"help teaches", "--help", "", 0, "Example", ""},
		{"version", "--version", "", 0, "mockupstream ", ""},
		{"an unknown flag", "--lisen x", "", 2, "", "lisen"},
		{"an argument", "x", "", 2, "", `"x"`},
		{"a script that is not there", "--script /nowhere/script.json", "", 2, "", "/nowhere/script.json"},
		{"a script with an unknown key", "--script " + script, "", 2, "", `"frmes"`},
		{"a script on standard input", "--script -", `{"frames": -4}`, 2, "", "frames is -4"},
		{"a flag that does not suit the script", "--coalesce --script -", `{"timing":{"gap":{"kind":"constant","mean_us":1}}}`, 2, "", "coalesce"},
		{"an address that is none", "--listen nowhere", "", 1, "", "nowhere"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			status := run(t.Context(), strings.Fields(tc.args), strings.NewReader(tc.stdin), &stdout, &stderr)
			if status != tc.status || !strings.Contains(stdout.String(), tc.stdout) || !strings.Contains(stderr.String(), tc.stderr) {
				t.Errorf("status %d, stdout %q, stderr %q", status, &stdout, &stderr)
			}
		})
	}
}

func TestServes(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, w := io.Pipe()
	var stderr bytes.Buffer
	done := make(chan int, 1)
	go func() {
		args := strings.Fields("--listen 127.0.0.1:0 --control 127.0.0.1:0 --script - --frames 2")
		done <- run(ctx, args, strings.NewReader(`{"frames": 5, "coalesce": true}`), w, &stderr)
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`^mockupstream: serving on (http://\S+), control on (http://\S+)\n$`).FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("ready line %q", line)
	}
	resp, err := http.Post(m[1]+"/v1/chat/completions", "application/json", strings.NewReader(`{"model":"m","messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || resp.StatusCode != 200 || !strings.Contains(string(body), `"content":"t000t001"`) {
		t.Errorf("%d %s %v", resp.StatusCode, body, err)
	}
	resp, err = http.Get(m[2] + "/script")
	if err != nil {
		t.Fatal(err)
	}
	body, err = io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || !strings.Contains(string(body), `"coalesce": true`) {
		t.Errorf("%s %v", body, err)
	}
	cancel()
	if status := <-done; status != 0 || stderr.Len() != 0 {
		t.Errorf("status %d, stderr %q", status, &stderr)
	}
}
