package gateway

import (
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/config"
)

// proxy is an HTTP proxy that connects by CONNECT, for one user.
type proxy struct {
	*httptest.Server
	tunnels, refused atomic.Int64
}

const (
	proxyUser   = "Basic bGFiOnNlc2FtZQ==" // lab:sesame
	proxySecret = "lab:sesame@"
)

func newProxy(t *testing.T) *proxy {
	t.Helper()
	p := new(proxy)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			http.Error(w, "CONNECT only", http.StatusMethodNotAllowed)
			return
		}
		if r.Header.Get("Proxy-Authorization") != proxyUser {
			p.refused.Add(1)
			http.Error(w, "who are you?", http.StatusProxyAuthRequired)
			return
		}
		far, err := net.Dial("tcp", r.Host)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		near, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			far.Close()
			return
		}
		p.tunnels.Add(1)
		io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n")
		go func() {
			io.Copy(far, near)
			far.Close()
		}()
		io.Copy(near, far)
		near.Close()
	}))
	t.Cleanup(p.Close)
	return p
}

// secureUpstream is an upstream that speaks TLS, and the file of who vouches
// for it.
func secureUpstream(t *testing.T) (u *upstream, caFile string) {
	t.Helper()
	u = newUpstream(t)
	s := httptest.NewTLSServer(http.HandlerFunc(u.chat))
	t.Cleanup(s.Close)
	u.Server.Close()
	u.Server = s
	caFile = filepath.ToSlash(filepath.Join(t.TempDir(), "ca.pem"))
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(caFile, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return u, caFile
}

// through is a config whose provider has more keys.
func through(upstream, more, provider string) string {
	return strings.Replace(configText(upstream, more), "api_key_env: PROVIDER", "api_key_env: PROVIDER, "+provider, 1)
}

func TestProviderBehindTLSAndProxy(t *testing.T) {
	eachEngine(t, func(t *testing.T, more string) {
		if strings.Contains(more, "engine: epoll") {
			return // that it refuses both is tested below
		}
		up, caFile := secureUpstream(t)
		px := newProxy(t)
		_, strange, _ := strings.Cut(px.URL, "//")
		t.Setenv("LAB_PROXY", "http://"+proxySecret+strange)
		certFile, _, _ := certificate(t)
		for _, tc := range []struct {
			story, provider string
			status          int
			tunnels         int64
		}{
			{"the system does not know who vouches", "timeouts: {connect: 10s}", 502, 0},
			{"somebody else vouches", "ca_file: " + certFile, 502, 0},
			{"who vouches is named", "ca_file: " + caFile, 200, 0},
			{"through the proxy", "proxy_env: LAB_PROXY, ca_file: " + caFile, 200, 1},
			{"the proxy does not know the user", fmt.Sprintf("proxy: %q, ca_file: %s", px.URL, caFile), 502, 0},
			{"there is no proxy", `proxy: "http://127.0.0.1:1", ca_file: ` + caFile, 502, 0},
		} {
			before := px.tunnels.Load()
			cfg, err := config.Read("gateway.yaml", []byte(through(up.URL, more, tc.provider)), os.LookupEnv)
			if err != nil {
				t.Fatalf("%s: %v", tc.story, err)
			}
			g := beginWith(t, cfg, func(name string) (string, bool) {
				if name == "LAB_PROXY" {
					return os.LookupEnv(name)
				}
				return lookup(name)
			})
			whole := chat(t, g.Addr(), token, chatBody("hi", false))
			if whole.status != tc.status || tc.status == 200 && whole.body != answer {
				t.Errorf("%s: %d %s", tc.story, whole.status, whole.body)
			}
			if n := px.tunnels.Load() - before; n != tc.tunnels {
				t.Errorf("%s: %d tunnels, want %d", tc.story, n, tc.tunnels)
			}
		}
		if px.refused.Load() == 0 {
			t.Error("the proxy was never asked without a password")
		}
	})
}

// A provider without TLS is reached through a tunnel too, on engine conn.
func TestTunnelWithoutTLS(t *testing.T) {
	up, px := newUpstream(t), newProxy(t)
	_, address, _ := strings.Cut(px.URL, "//")
	cfg, err := config.Read("gateway.yaml", []byte(through(up.URL, "engine: conn\n"+inProcess, "proxy_env: LAB_PROXY")), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	g := beginWith(t, cfg, func(name string) (string, bool) {
		if name == "LAB_PROXY" {
			return "http://" + proxySecret + address, true
		}
		return lookup(name)
	})
	for range 2 { // the second on the same connection
		if whole := chat(t, g.Addr(), token, chatBody("hi", false)); whole.status != 200 || whole.body != answer {
			t.Errorf("%d %s", whole.status, whole.body)
		}
	}
	if n := px.tunnels.Load(); n != 1 {
		t.Errorf("%d tunnels, want 1", n)
	}
}
