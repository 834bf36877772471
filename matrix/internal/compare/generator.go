package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/tollgate-lab/tollgate/loadgen"
	"github.com/tollgate-lab/tollgate/matrix/bodies"
	"github.com/tollgate-lab/tollgate/matrix/internal/child"
	"github.com/tollgate-lab/tollgate/matrix/internal/host"
	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
	"github.com/tollgate-lab/tollgate/matrix/internal/targets"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// ErrNoWrk says what to install.
var ErrNoWrk = errors.New("wrk was not found: install it (Debian, Ubuntu: package wrk)")

// Generators compares our generator with wrk. Both are charged for the whole
// life of their process, start and report included, by the system's account
// of its end.
func Generators(ctx context.Context, site *stack.Site, o Options, t *targets.File, say func(string, ...any)) (*Report, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	wrk, err := exec.LookPath("wrk")
	if err != nil {
		return nil, ErrNoWrk
	}
	floor := func(conc int) *contract.Cell {
		return &contract.Cell{
			Section: "compare-wrk", Shape: contract.External, Target: results.TargetFloor, Surface: "chat", Body: "90B", Conc: conc,
		}
	}
	on := func(measure func(ctx context.Context, s *stack.Stack, conc int) (Sample, error)) func(context.Context, int) (Sample, error) {
		return func(ctx context.Context, conc int) (x Sample, err error) {
			s, err := site.Start(ctx, floor(conc))
			if err != nil {
				return x, err
			}
			x, err = measure(ctx, s, conc)
			return x, errors.Join(err, s.Close())
		}
	}
	ours := side{"loadgen", on(func(ctx context.Context, s *stack.Stack, conc int) (Sample, error) {
		return runLoadgen(ctx, site, s, &o, conc)
	})}
	theirs := side{"wrk", on(func(ctx context.Context, s *stack.Stack, conc int) (Sample, error) {
		return runWrk(ctx, wrk, site.Dir, s.Target(), &o, conc)
	})}
	r := &Report{
		Name: "wrk", Started: time.Now().UTC(), Fingerprint: host.Fingerprint(),
		Ours: "loadgen (client lean)", Theirs: "wrk -t1",
		Conditions: []string{
			"straight to the mock, closed loop, body 90B by POST, not streamed; a fresh mock for each measured part",
			fmt.Sprintf("%d blocks of %v for each side, order swapped from block to block", o.Blocks, o.Duration),
			"CPU time of the generator's whole process, start and report included; ours checks the content of every answer",
		},
	}
	r.Samples, err = blocks(ctx, &o, ours, theirs, say)
	r.Rows = rows(r.Samples, o.Conc, ours.name, theirs.name, func(c int) []*targets.Target {
		return t.Family(fmt.Sprintf("generator-cpu-c%d", c))
	})
	return r, err
}

func runLoadgen(ctx context.Context, site *stack.Site, s *stack.Stack, o *Options, conc int) (x Sample, err error) {
	body, _ := bodies.Embedded("90B")
	in, err := json.Marshal(&loadgen.Job{
		Target: s.Target(), Path: "/v1/chat/completions", Body: body, Join: contract.JoinHeader, Nonce: 1,
		Conc: conc, Duration: o.Duration, ExpectContent: stack.Content(&s.Cell),
	})
	if err != nil {
		return x, err
	}
	var out bytes.Buffer
	p, err := child.Start(child.Options{
		Name: "loadgen", File: site.Programs.Loadgen, Args: []string{"run", "--quiet"}, Stdin: bytes.NewReader(in), Stdout: &out,
	})
	if err != nil {
		return x, err
	}
	u, err := await(ctx, p)
	if err != nil {
		return x, err
	}
	res := new(loadgen.Result)
	if err := json.Unmarshal(out.Bytes(), res); err != nil {
		return x, p.Fault("no result: %w", err)
	}
	x.PeakRSSBytes, x.Processes = u.PeakRSSBytes, 1
	return fill(x, res, int64(u.CPU))
}

// await waits for a child's good end and returns the account of it.
func await(ctx context.Context, p *child.Process) (child.Usage, error) {
	select {
	case <-p.Exited():
	case <-ctx.Done():
		p.Kill()
		return child.Usage{}, context.Cause(ctx)
	}
	if p.Err() != nil {
		return child.Usage{}, p.Fault("%w", p.Err())
	}
	u, ok := p.Usage()
	if !ok {
		return u, p.Fault("the system keeps no account of a process that ended")
	}
	return u, nil
}

func runWrk(ctx context.Context, wrk, dir, target string, o *Options, conc int) (x Sample, err error) {
	body, _ := bodies.Embedded("90B")
	script := filepath.Join(dir, "post.lua")
	lua := fmt.Sprintf("wrk.method = \"POST\"\nwrk.body = %s\nwrk.headers[\"Content-Type\"] = \"application/json\"\n", strconv.Quote(string(body)))
	if err := os.WriteFile(script, []byte(lua), 0o600); err != nil {
		return x, err
	}
	seconds := int(max(o.Duration.Round(time.Second)/time.Second, 1)) // wrk knows whole seconds
	var out bytes.Buffer
	p, err := child.Start(child.Options{Name: "wrk", File: wrk, Stdout: &out, Args: []string{
		"-t1", fmt.Sprintf("-c%d", conc), fmt.Sprintf("-d%ds", seconds), "-s", script, target + "/v1/chat/completions",
	}})
	if err != nil {
		return x, err
	}
	u, err := await(ctx, p)
	if err != nil {
		return x, err
	}
	if x, err = parseWrk(out.String()); err != nil {
		return x, err
	}
	x.PeakRSSBytes, x.Processes = u.PeakRSSBytes, 1
	x.CPUUs = float64(u.CPU) / 1e3 / float64(x.Requests)
	return x, nil
}

var (
	wrkTotal  = regexp.MustCompile(`(?m)^\s*(\d+) requests in `)
	wrkRate   = regexp.MustCompile(`(?m)^Requests/sec:\s*([0-9.]+)`)
	wrkErrors = regexp.MustCompile(`(?m)^\s*(Socket errors|Non-2xx or 3xx responses):.*`)
)

// parseWrk reads wrk's own report. Any error in it fails the sample.
func parseWrk(text string) (x Sample, err error) {
	if m := wrkErrors.FindString(text); m != "" {
		return x, fmt.Errorf("wrk: %s", m)
	}
	total, rate := wrkTotal.FindStringSubmatch(text), wrkRate.FindStringSubmatch(text)
	if total == nil || rate == nil {
		return x, fmt.Errorf("wrk: no totals in %.200q", text)
	}
	if x.Requests, err = strconv.ParseInt(total[1], 10, 64); err != nil {
		return x, fmt.Errorf("wrk: %w", err)
	}
	if x.RequestsPerS, err = strconv.ParseFloat(rate[1], 64); err != nil {
		return x, fmt.Errorf("wrk: %w", err)
	}
	if x.Requests == 0 {
		return x, errors.New("wrk: no request was answered")
	}
	return x, nil
}
