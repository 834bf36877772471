package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/tollgate-lab/tollgate/matrix/internal/child"
	"github.com/tollgate-lab/tollgate/mockupstream"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// mock is the mock upstream, wherever it runs.
type mock interface {
	addr() string
	truth(ctx context.Context) (contract.GroundTruth, error)
	stamps(ctx context.Context) ([]contract.MockStamp, error)
	pid() int // 0: in this process
	close() error
}

// script is what the mock answers in a cell.
func script(c *contract.Cell) mockupstream.Script {
	return mockupstream.Script{Frames: max(c.Frames, 1), Coalesce: c.Coalesce, Model: "bench"}
}

// Content is the assistant text that every answered request of the cell must
// carry.
func Content(c *contract.Cell) string {
	s := script(c)
	return s.Content()
}

// innerMock is a mock of this process.
type innerMock struct{ s *mockupstream.Server }

func startInnerMock(c *contract.Cell, listen string) (mock, error) {
	s, err := mockupstream.New(mockupstream.Options{Listen: listen, Script: script(c)})
	if err != nil {
		return nil, err
	}
	if err := s.Start(); err != nil {
		return nil, err
	}
	return innerMock{s}, nil
}

func (m innerMock) addr() string                                         { return m.s.Addr() }
func (m innerMock) truth(context.Context) (contract.GroundTruth, error)  { return m.s.Truth(), nil }
func (m innerMock) stamps(context.Context) ([]contract.MockStamp, error) { return m.s.Stamps(), nil }
func (m innerMock) pid() int                                             { return 0 }
func (m innerMock) close() error                                         { return m.s.Close() }

// outerMock is a mock process.
type outerMock struct {
	*child.Process
	listen, control string
}

var mockLine = regexp.MustCompile(`serving on http://(\S+), control on http://(\S+)`)

// startTimeout bounds how long a piece may take to serve.
const startTimeout = 30 * time.Second

func startOuterMock(ctx context.Context, file string, c *contract.Cell) (*outerMock, error) {
	s := script(c)
	args := []string{"--listen", "127.0.0.1:0", "--control", "127.0.0.1:0", "--frames", strconv.Itoa(s.Frames)}
	if s.Coalesce {
		args = append(args, "--coalesce")
	}
	first := make(chan string, 1)
	ch, err := child.Start(child.Options{Name: "mockupstream", File: file, Args: args, Stdout: &child.Lines{To: first}})
	if err != nil {
		return nil, err
	}
	m := &outerMock{Process: ch}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("within %v", startTimeout))
	defer cancel()
	select {
	case line := <-first:
		f := mockLine.FindStringSubmatch(line)
		if f == nil {
			ch.Kill()
			return nil, ch.Fault("first line %q names no addresses", line)
		}
		m.listen, m.control = f[1], f[2]
		return m, nil
	case <-ch.Exited():
		return nil, ch.Fault("ended at start: %v", ch.Err())
	case <-ctx.Done():
		ch.Kill()
		return nil, ch.Fault("not serving: %w", context.Cause(ctx))
	}
}

func (m *outerMock) addr() string { return m.listen }
func (m *outerMock) pid() int     { return m.PID() }
func (m *outerMock) close() error { return m.Stop() }

func (m *outerMock) truth(ctx context.Context) (g contract.GroundTruth, err error) {
	err = get(ctx, "http://"+m.control+contract.PathTruth, func(r io.Reader) error { return json.NewDecoder(r).Decode(&g) })
	return g, err
}

func (m *outerMock) stamps(ctx context.Context) (s []contract.MockStamp, err error) {
	err = get(ctx, "http://"+m.control+contract.PathStamps, func(r io.Reader) error {
		s, err = contract.ReadStamps(r)
		return err
	})
	return s, err
}

// control is the client of control listeners: no proxy, no idle connection
// left in what is measured.
var control = &http.Client{
	Transport: &http.Transport{DisableKeepAlives: true},
	Timeout:   30 * time.Second,
}

// get reads a 200 answer.
func get(ctx context.Context, url string, read func(io.Reader) error) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("get %s: %w", url, err)
	}
	res, err := control.Do(req)
	if err != nil {
		return fmt.Errorf("get %s: %w", url, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(io.LimitReader(res.Body, 500))
		return fmt.Errorf("get %s: status %d: %s", url, res.StatusCode, b)
	}
	if err := read(res.Body); err != nil {
		return fmt.Errorf("get %s: %w", url, err)
	}
	return nil
}

// closeAll closes in order and joins what went wrong.
func closeAll(closers ...func() error) error {
	var errs []error
	for _, c := range closers {
		if c != nil {
			errs = append(errs, c())
		}
	}
	return errors.Join(errs...)
}
