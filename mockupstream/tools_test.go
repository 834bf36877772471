package mockupstream

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// tool runs an installed load tool against the server, or skips.
func tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// number finds the figure that the pattern's group matches.
func number(t *testing.T, out, pattern string) int {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("no %s in:\n%s", pattern, out)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func bodyFile(t *testing.T, body string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "body")
	if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// ab speaks HTTP/1.0: with -k it keeps its connections only when the answer
// says Keep-Alive.
func TestApacheBench(t *testing.T) {
	const requests = 2000
	for _, tc := range []struct {
		name  string
		flags []string
		kept  int
	}{
		{"keep-alive", []string{"-k"}, requests},
		{"a connection per request", nil, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			srv := start(t, Options{})
			args := append(tc.flags, "-q", "-n", strconv.Itoa(requests), "-c", "20", "-s", "20",
				"-p", bodyFile(t, plainBody), "-T", "application/json", "http://"+srv.Addr()+chat)
			out := tool(t, "ab", args...)
			if n := number(t, out, `Complete requests:\s+(\d+)`); n != requests {
				t.Errorf("%d complete requests", n)
			}
			if n := number(t, out, `Failed requests:\s+(\d+)`); n != 0 {
				t.Errorf("%d failed requests:\n%s", n, out)
			}
			if tc.kept > 0 {
				if n := number(t, out, `Keep-Alive requests:\s+(\d+)`); n != tc.kept {
					t.Errorf("%d keep-alive requests, want %d", n, tc.kept)
				}
			}
			// ab opens a few connections more than it uses.
			if g := srv.Truth(); g.Received != requests || g.Answered != requests || tc.kept > 0 && g.Connections > 100 {
				t.Errorf("%+v", g)
			}
		})
	}
}

func TestWrk(t *testing.T) {
	for name, body := range map[string]string{"plain": plainBody, "stream": usageBody} {
		t.Run(name, func(t *testing.T) {
			srv := start(t, Options{})
			script := filepath.Join(t.TempDir(), "post.lua")
			lua := "wrk.method = 'POST'\nwrk.body = [==[" + body + "]==]\n"
			if err := os.WriteFile(script, []byte(lua), 0o600); err != nil {
				t.Fatal(err)
			}
			out := tool(t, "wrk", "-t1", "-c20", "-d1s", "-s", script, "http://"+srv.Addr()+chat)
			n := number(t, out, `(\d+) requests in`)
			if m := regexp.MustCompile(`Socket errors|Non-2xx`).FindString(out); m != "" || n == 0 {
				t.Errorf("%d requests:\n%s", n, out)
			}
			// wrk leaves with one request a connection on its way at most.
			if g := srv.Truth(); g.Answered < int64(n) || g.Answered > int64(n)+20 || g.Malformed != 0 || g.Connections > 21 {
				t.Errorf("wrk counted %d, the mock %+v", n, g)
			}
		})
	}
}
