package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/admission/accounts"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/metrics"
)

// Source is what the listener shows.
type Source struct {
	Slots    []ledger.Slot          // one per worker
	Accounts func() []accounts.Sums // nil: none are kept
	Workers  func() any             // for /workers
	Version  Version
	Metrics  *metrics.Metrics
	Ready    func() error // nil error: ready
	Logger   *slog.Logger
}

// Handler serves the source.
func Handler(src Source) http.Handler {
	mux := http.NewServeMux()
	get := func(path string, value func() any) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { src.write(w, http.StatusOK, value()) })
	}
	get("/ledger", func() any { return ledger.Sums(src.Slots) })
	get("/ledger/slots", func() any {
		slots := make([]map[string]int64, len(src.Slots))
		for i := range src.Slots {
			slots[i] = ledger.Sums(src.Slots[i : i+1])
		}
		return slots
	})
	get("/ledger/keys", func() any {
		if src.Accounts == nil {
			return []accounts.Sums{}
		}
		return src.Accounts()
	})
	get("/ledger/errors", func() any { return ledger.Reasons(src.Slots) })
	get("/workers", src.Workers)
	get("/version", func() any { return src.Version })
	get("/healthz", func() any { return Status{Status: "ok"} })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		code, status := Readiness(src.Ready())
		src.write(w, code, status)
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		text, err := src.Metrics.Text()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", metrics.ContentType)
		src.send(w, text)
	})
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}

// Status is the body of /healthz and /readyz.
type Status struct {
	Status string `json:"status"` // ok, ready or not ready
	Reason string `json:"reason,omitempty"`
}

// Readiness is the answer of /readyz.
func Readiness(err error) (int, Status) {
	if err != nil {
		return http.StatusServiceUnavailable, Status{Status: "not ready", Reason: err.Error()}
	}
	return http.StatusOK, Status{Status: "ready"}
}

func (src *Source) write(w http.ResponseWriter, code int, value any) {
	b, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	src.send(w, append(b, '\n'))
}

func (src *Source) send(w http.ResponseWriter, b []byte) {
	if _, err := w.Write(b); err != nil && src.Logger != nil {
		src.Logger.Debug("control: answer not delivered", "error", err)
	}
}

// Server is the listener while it runs.
type Server struct {
	http *http.Server
	ln   net.Listener
	done chan error
}

// Listen binds addr and serves handler.
func Listen(addr string, handler http.Handler, logger *slog.Logger) (*Server, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("control: %w", err)
	}
	s := &Server{
		http: &http.Server{
			Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute,
			ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
		},
		ln: ln, done: make(chan error, 1),
	}
	go func() { s.done <- s.http.Serve(ln) }()
	return s, nil
}

// Addr is the address that was bound.
func (s *Server) Addr() string { return s.ln.Addr().String() }

// Close ends the listener; an answer that is being written may finish for one
// second.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		s.http.Close()
	}
	if err := <-s.done; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("control: %w", err)
	}
	return nil
}
