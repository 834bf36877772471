package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tollgate-lab/tollgate/matrix/internal/child"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// gate is the gateway, wherever it runs.
type gate interface {
	addr() string
	ledger(ctx context.Context) (results.LedgerSums, error)
	pid() int // 0: in this process
	close() error
}

// outerGate is a gateway process, with its workers below it.
type outerGate struct {
	*child.Process
	listen, control string
	started         time.Time
	healthy         time.Time // first 200 of /healthz
}

// startOuterGate writes the cell's config into dir, starts the gateway and
// waits for the first 200 of /healthz.
func startOuterGate(ctx context.Context, site *Site, c *contract.Cell, upstream, dir, dsn string) (*outerGate, error) {
	var err error
	for range 3 { // a port that was free may be taken before the gateway binds it
		var g *outerGate
		if g, err = tryOuterGate(ctx, site, c, upstream, dir, dsn); err == nil {
			return g, nil
		}
		if ctx.Err() != nil || !errors.Is(err, errEarlyEnd) {
			break
		}
	}
	return nil, err
}

// errEarlyEnd is a gateway that ended before it served.
var errEarlyEnd = errors.New("ended before it served")

func tryOuterGate(ctx context.Context, site *Site, c *contract.Cell, upstream, dir, dsn string) (*outerGate, error) {
	listen, err := child.FreeAddr()
	if err != nil {
		return nil, err
	}
	control, err := child.FreeAddr()
	if err != nil {
		return nil, err
	}
	text, err := configFor(c, listen, control, upstream, filepath.ToSlash(dir))
	if err != nil {
		return nil, err
	}
	if site.EditConfig != nil {
		text = site.EditConfig(text)
	}
	path := filepath.Join(dir, "gateway.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return nil, fmt.Errorf("write gateway config: %w", err)
	}
	env := cleanEnv(os.Environ())
	if dsn != "" {
		env = append(env, dsnEnv+"="+dsn)
	}
	started := time.Now()
	ch, err := child.Start(child.Options{Name: "gateway", File: site.Programs.Gateway, Args: []string{"--config", path}, Env: env})
	if err != nil {
		return nil, err
	}
	g := &outerGate{Process: ch, listen: listen, control: control, started: started}
	if err := g.awaitHealth(ctx); err != nil {
		ch.Kill()
		return nil, err
	}
	return g, nil
}

// healthEvery is the pause between two questions for /healthz: it bounds the
// error of a boot time.
const healthEvery = 500 * time.Microsecond

func (g *outerGate) awaitHealth(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("within %v", startTimeout))
	defer cancel()
	t := time.NewTicker(healthEvery)
	defer t.Stop()
	for {
		if answersHealth(ctx, g.listen) {
			g.healthy = time.Now()
			return nil
		}
		select {
		case <-g.Exited():
			return g.Fault("%w: %v", errEarlyEnd, g.Err())
		case <-ctx.Done():
			return g.Fault("no 200 from /healthz %w", context.Cause(ctx))
		case <-t.C:
		}
	}
}

// answersHealth asks once, on a connection of its own.
func answersHealth(ctx context.Context, addr string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/healthz", nil)
	if err != nil {
		return false
	}
	res, err := control.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<10))
	return res.StatusCode == http.StatusOK
}

func (g *outerGate) addr() string { return g.listen }
func (g *outerGate) pid() int     { return g.PID() }
func (g *outerGate) close() error { return g.Stop() }

func (g *outerGate) ledger(ctx context.Context) (results.LedgerSums, error) {
	return readLedger(ctx, g.control)
}

// readLedger reads the sums of a control listener.
func readLedger(ctx context.Context, addr string) (sums results.LedgerSums, err error) {
	err = get(ctx, "http://"+addr+"/ledger", func(r io.Reader) error { return json.NewDecoder(r).Decode(&sums) })
	return sums, err
}

// cleanEnv drops the variables that would change the gateway's config: the
// cell alone decides.
func cleanEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, "TOLLGATE_") })
}
