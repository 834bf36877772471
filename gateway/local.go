package gateway

import (
	"encoding/json"
	"errors"

	"github.com/tollgate-lab/tollgate/gateway/control"
	"github.com/tollgate-lab/tollgate/gateway/metrics"
)

// local answers what the gateway itself serves beside its surfaces.
func (g *Gateway) local(_ int64, method, path []byte) (status int, contentType string, body []byte, ok bool) {
	var value any
	switch string(path) {
	case "/healthz":
		status, value = 200, control.Status{Status: "ok"}
	case "/readyz":
		status, value = readyAnswer(g.ready())
	case "/metrics":
		status = 200
	default:
		return 0, "", nil, false
	}
	if m := string(method); m != "GET" && m != "HEAD" {
		return 405, "application/json", []byte(`{"error":{"message":"Only GET and HEAD are served here.","type":"invalid_request_error","param":null,"code":"method_not_allowed"}}`), true
	}
	if value == nil {
		text, err := g.metrics.PublicText()
		if err != nil {
			g.log.Error("render metrics", "error", err)
			return 500, "text/plain; charset=utf-8", []byte("metrics cannot be rendered\n"), true
		}
		return status, metrics.ContentType, text, true
	}
	b, err := json.Marshal(value)
	if err != nil {
		return 500, "text/plain; charset=utf-8", []byte(err.Error()), true
	}
	return status, "application/json", append(b, '\n'), true
}

func readyAnswer(err error) (int, any) {
	code, status := control.Readiness(err)
	return code, status
}

var (
	errDraining = errors.New("draining")
	errStarting = errors.New("starting")
)

// ready is nil while this process should get requests.
func (g *Gateway) ready() error {
	switch {
	case g.draining.Load():
		return errDraining
	case g.worker && !g.mem.allReady():
		return errStarting
	}
	return g.health.look(g.store.Stats())
}
