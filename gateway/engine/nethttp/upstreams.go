package nethttp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

// upstreams is a transport per endpoint.
type upstreams struct {
	tls                 *tls.Config
	mu                  sync.Mutex
	by                  map[exchange.Endpoint]*upstream
	open, dials, reused atomic.Int64
}

// upstream is one endpoint. It counts attempts, each of which has a connection
// of its own in HTTP/1.1.
type upstream struct {
	ep   exchange.Endpoint
	rt   *http.Transport
	busy atomic.Int64
}

// dialLimit is the key under which a dial finds its time limit: the transport
// dials for whoever comes first and passes on values only.
type dialLimit struct{}

const (
	defaultMaxIdle = 512
	defaultDial    = 30 * time.Second
)

func (us *upstreams) init(base *tls.Config) {
	us.tls, us.by = base, map[exchange.Endpoint]*upstream{}
}

func (us *upstreams) get(ep exchange.Endpoint) *upstream {
	us.mu.Lock()
	defer us.mu.Unlock()
	u := us.by[ep]
	if u != nil {
		return u
	}
	idle := ep.MaxIdle
	if idle <= 0 {
		idle = defaultMaxIdle
	}
	cfg := &tls.Config{}
	if us.tls != nil {
		cfg = us.tls.Clone()
	}
	cfg.NextProtos = []string{"http/1.1"}
	if ep.Roots != "" {
		cfg.RootCAs = x509.NewCertPool()
		cfg.RootCAs.AppendCertsFromPEM([]byte(ep.Roots))
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	u = &upstream{ep: ep, rt: &http.Transport{
		DialContext:         us.dial,
		TLSClientConfig:     cfg,
		TLSHandshakeTimeout: defaultDial,
		DisableCompression:  true,
		MaxIdleConnsPerHost: idle,
		IdleConnTimeout:     90 * time.Second,
		Protocols:           protocols,
	}}
	if ep.Proxy != "" {
		proxy := &url.URL{Scheme: "http", Host: ep.Proxy}
		// The transport wants the name and password that the field is made of.
		asked := http.Request{Header: http.Header{"Authorization": {ep.ProxyAuth}}}
		if name, password, ok := asked.BasicAuth(); ok {
			proxy.User = url.UserPassword(name, password)
		}
		u.rt.Proxy = http.ProxyURL(proxy)
	}
	us.by[ep] = u
	return u
}

// dial connects; names are resolved now.
func (us *upstreams) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	us.dials.Add(1)
	d := net.Dialer{Timeout: defaultDial}
	if ns, ok := ctx.Value(dialLimit{}).(int64); ok && ns > 0 {
		d.Timeout = time.Duration(ns)
	}
	nc, err := d.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	us.open.Add(1)
	return &slotted{Conn: nc, free: func() { us.open.Add(-1) }}, nil
}

func (us *upstreams) closeIdle() {
	us.mu.Lock()
	defer us.mu.Unlock()
	for _, u := range us.by {
		u.rt.CloseIdleConnections()
	}
}
