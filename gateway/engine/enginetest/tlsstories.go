package enginetest

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

var tlsStories = []story{
	{"TLS on both sides", func(t *testing.T, s *suite) {
		up := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if r.ProtoMajor != 1 || string(body) != plainBody {
				t.Errorf("upstream got %s %q", r.Proto, body)
			}
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, completion)
		}))
		defer up.Close()
		roots := x509.NewCertPool()
		roots.AddCert(up.Certificate())
		r := s.newRig(t, answering(jsonAnswer), func(p *plan) {
			p.snapshot.Providers[0].Endpoint.TLS = true
			p.snapshot.Providers[0].Endpoint.Host = strings.TrimPrefix(up.URL, "https://")
			p.options.TLS = &tls.Config{Certificates: up.TLS.Certificates}
			p.options.UpstreamTLS = &tls.Config{RootCAs: roots}
		})
		tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
		defer tr.CloseIdleConnections()
		for range 2 {
			req, _ := http.NewRequest("POST", "https://"+r.addr+"/v1/chat/completions", bytes.NewReader([]byte(plainBody)))
			req.Header.Set("Authorization", "Bearer "+token)
			res, err := tr.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(res.Body)
			res.Body.Close()
			if err != nil || res.StatusCode != 200 || string(b) != completion {
				t.Errorf("%d %q %v", res.StatusCode, b, err)
			}
		}
	}},
	{"upstream whose certificate is not trusted", func(t *testing.T, s *suite) {
		up := httptest.NewTLSServer(http.NotFoundHandler())
		defer up.Close()
		r := s.newRig(t, answering(jsonAnswer), func(p *plan) {
			p.snapshot.Providers[0].Endpoint.TLS = true
			p.snapshot.Providers[0].Endpoint.Host = strings.TrimPrefix(up.URL, "https://")
			p.options.UpstreamTLS = &tls.Config{RootCAs: x509.NewCertPool()}
		})
		c := r.dial()
		c.send(post(plainBody))
		c.wantError(502, "upstream_unreachable")
	}},
}
