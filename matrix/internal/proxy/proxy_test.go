package proxy

import (
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate-lab/tollgate/matrix/internal/proc"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata")

// userLine depends on who runs the test.
var userLine = regexp.MustCompile(`(?m)^user .*\n`)

func TestConfigs(t *testing.T) {
	base := Options{Upstream: "127.0.0.1:9090", Dir: "/run/cell", Workers: 2, BodyBytes: 90}
	unbuffered := base
	unbuffered.Unbuffered = true
	large := base
	large.BodyBytes = 2_000_000
	for _, c := range []struct {
		file, conf string
		o          Options
	}{
		{"nginx.conf", "nginx.conf", base},
		{"nginx-unbuffered.conf", "nginx.conf", unbuffered},
		{"nginx-large.conf", "nginx.conf", large},
		{"haproxy.cfg", "haproxy.cfg", base},
		{"haproxy-unbuffered.cfg", "haproxy.cfg", unbuffered},
		{"haproxy-large.cfg", "haproxy.cfg", large},
	} {
		t.Run(c.file, func(t *testing.T) {
			got, err := config(c.conf, &c.o, "127.0.0.1:8080")
			if err != nil {
				t.Fatal(err)
			}
			text := userLine.ReplaceAllString(string(got), "")
			path := filepath.Join("testdata", c.file)
			if *update {
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), text); d != "" {
				t.Errorf("%s differs (-want +got); -update rewrites it:\n%s", path, d)
			}
		})
	}
}

func TestBufferHoldsHeadAndBody(t *testing.T) {
	for body, want := range map[int]int{0: 1<<20 + 8<<10, 90: 16 << 10, 52_000: 60 << 10, 200_000: 204 << 10} {
		if got := buffer(body); got != want || got < body {
			t.Errorf("body of %d bytes: buffer %d, want %d", body, got, want)
		}
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{Nginx, "nginx version: nginx/1.22.1\n", "nginx/1.22.1"},
		{Nginx, "nginx version: nginx/1.18.0 (Ubuntu)\n", "nginx/1.18.0"},
		{Haproxy, "HAProxy version 2.6.12-1+deb12u4 2026/10/17 - https://haproxy.org/\nStatus: long-term\n", "haproxy/2.6.12"},
		{Haproxy, "HA-Proxy of another age", "haproxy"},
		{Nginx, "", "nginx"},
	} {
		if got := versionIn(c.name, c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestWhatIsNotThere(t *testing.T) {
	if _, err := Find("warp"); err == nil || !strings.Contains(err.Error(), "warp") {
		t.Errorf("error %v", err)
	}
	if _, err := Start(t.Context(), Options{Name: "warp"}); err == nil || !strings.Contains(err.Error(), "warp") {
		t.Errorf("error %v", err)
	}
	if Known("warp") || Known("") || Known("gateway") || Known("floor") {
		t.Error("what is no proxy is known as one")
	}
	t.Setenv("PATH", t.TempDir())
	for _, name := range Names() {
		file, err := Find(name)
		var absent *NotInstalled
		if err == nil {
			t.Logf("%s is outside of PATH, at %s", name, file)
		} else if !errors.As(err, &absent) || absent.Install == "" {
			t.Errorf("%s: error %v, want one that says what to install", name, err)
		}
	}
}

// TestProxiesForward starts the real ones on the committed configs.
func TestProxiesForward(t *testing.T) {
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Seen", r.Header.Get("X-Request-Id"))
		_, _ = io.Copy(w, r.Body)
	}))
	defer up.Close()
	want := map[string]int{Nginx: 3, Haproxy: 2}
	for _, name := range Names() {
		for _, unbuffered := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				file, err := Find(name)
				if err != nil {
					t.Skip(err)
				}
				p, err := Start(t.Context(), Options{
					Name: name, File: file, Upstream: strings.TrimPrefix(up.URL, "http://"), Dir: t.TempDir(), Workers: 2, Unbuffered: unbuffered,
				})
				if err != nil {
					t.Fatal(err)
				}
				forwards(t, p)
				if runtime.GOOS == "linux" {
					if r, err := proc.Read(p.PID()); err != nil {
						t.Error(err)
					} else if use, err := proc.Between(r, r); err != nil || use.Processes != want[name] || use.PeakRSSBytes == 0 {
						t.Errorf("a master and what it started: %+v %v", use, err)
					}
				}
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func forwards(t *testing.T, p *Proxy) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+p.Addr()+"/x", strings.NewReader("through"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Request-Id", "8000010000000001")
	tr := new(http.Transport)
	defer tr.CloseIdleConnections()
	res, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if b, err := io.ReadAll(res.Body); err != nil || string(b) != "through" {
		t.Errorf("%q %v", b, err)
	}
	if got := res.Header.Get("X-Seen"); got != "8000010000000001" {
		t.Errorf("the request's id arrived as %q: nothing could be joined by it", got)
	}
}

// TestAConfigThatIsRefused: the end of the program's own words is in the error.
func TestAConfigThatIsRefused(t *testing.T) {
	for _, name := range Names() {
		file, err := Find(name)
		if err != nil {
			t.Skip(err)
		}
		_, err = Start(t.Context(), Options{Name: name, File: file, Upstream: "not an address", Dir: t.TempDir(), Workers: 1})
		if !errors.Is(err, errEarlyEnd) || !strings.Contains(err.Error(), "log ends") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
