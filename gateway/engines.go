package gateway

import (
	"crypto/tls"
	"fmt"

	"github.com/tollgate-lab/tollgate/gateway/config"
	"github.com/tollgate-lab/tollgate/gateway/engine"
	"github.com/tollgate-lab/tollgate/gateway/engine/conn"
	"github.com/tollgate-lab/tollgate/gateway/engine/epoll"
	"github.com/tollgate-lab/tollgate/gateway/engine/nethttp"
)

// newEngine makes the engine of a name in config.Engines.
func newEngine(name string, o engine.Options) (engine.Engine, error) {
	var (
		e   engine.Engine
		err = fmt.Errorf("engine %q is not known", name)
	)
	switch name {
	case "conn":
		e, err = conn.New(o)
	case "epoll":
		e, err = epoll.New(o)
	case "nethttp":
		e, err = nethttp.New(o)
	}
	if err != nil {
		return nil, err // and no engine, not even a nil one in an interface
	}
	return e, nil
}

// clientTLS loads the certificate that clients are shown; nil: plaintext.
func clientTLS(t config.TLS) (*tls.Config, error) {
	if t.CertFile == "" {
		return nil, nil
	}
	cert, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("tls: load certificate: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}, nil
}
