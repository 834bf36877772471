package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/tollgate-lab/tollgate/loadgen"
	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
	"github.com/tollgate-lab/tollgate/mockupstream"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// Report is the JSON of one measurement. Times are in milliseconds.
type Report struct {
	Mode         string           `json:"mode"` // "inprocess", or "target" for an external gateway
	Target       string           `json:"target,omitempty"`
	Upstream     string           `json:"upstream"` // the mock's address
	Requests     int              `json:"requests"`
	Concurrency  int              `json:"concurrency"`
	StreamEvery  int              `json:"stream_every"`
	StreamShare  float64          `json:"stream_share"` // of requests
	Seconds      float64          `json:"seconds"`
	RequestsPerS float64          `json:"requests_per_second"`
	Failures     int64            `json:"failures"` // requests that were not answered
	Outcomes     map[string]int64 `json:"outcomes"`
	P50          float64          `json:"p50_ms"`
	P95          float64          `json:"p95_ms"`
	P99          float64          `json:"p99_ms"`
	Max          float64          `json:"max_ms"`
	// SamplesBeyond is the samples above each percentile: below 100 it is a
	// guess, and Warnings says so.
	SamplesBeyond map[string]int64 `json:"samples_beyond"`
	Warnings      []string         `json:"warnings,omitempty"`
	Errors        []string         `json:"errors,omitempty"`
}

// Run measures. dir is a scratch folder.
func Run(ctx context.Context, c Config, dir string) (*Report, error) {
	cell := contract.Cell{
		Section: "bench", Shape: contract.InProcess, Target: results.TargetGateway, Engine: "conn", Profile: contract.Governed,
		Surface: "chat", Body: "90B", StreamEvery: c.StreamEvery, Frames: 16, Conc: c.Conc, Workers: 1,
		LogStore: "sqlite", Durability: "async", Requests: c.Requests,
	}
	body, err := requestBody(c.Model)
	if err != nil {
		return nil, err
	}
	job := loadgen.Job{
		Path: "/v1/chat/completions", Body: body, Join: contract.JoinHeader, Conc: c.Conc, Requests: c.Requests, StreamEvery: c.StreamEvery,
	}
	listen := ""
	if c.Upstream != 0 {
		listen = fmt.Sprintf("127.0.0.1:%d", c.Upstream)
	}
	if c.Target != "" {
		return runTarget(ctx, c, job, listen)
	}
	job.ExpectContent = stack.Content(&cell)
	site := &stack.Site{Dir: dir, MockListen: listen}
	s, err := site.Start(ctx, &cell)
	if err != nil {
		return nil, err
	}
	job.Key = c.Key
	run, err := s.Load(ctx, job)
	upstream := s.MockAddr()
	if closeErr := s.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, err
	}
	return report(c, "inprocess", upstream, run.Result)
}

// runTarget puts the load on a gateway that somebody else runs. The mock is
// served all the same, for that gateway to use.
func runTarget(ctx context.Context, c Config, job loadgen.Job, listen string) (*Report, error) {
	mock, err := mockupstream.New(mockupstream.Options{Listen: listen, Script: mockupstream.Script{Frames: 16, Model: c.Model}})
	if err != nil {
		return nil, err
	}
	if err := mock.Start(); err != nil {
		if c.Upstream != 0 {
			err = fmt.Errorf("%w: bench serves the mock itself, on the port that %s names; stop what listens there", err, EnvUpstream)
		}
		return nil, err
	}
	defer mock.Close()
	job.Target, job.Key, job.Nonce = c.Target, c.Key, uint32(os.Getpid())
	if strings.HasPrefix(c.Target, "https:") {
		job.Client = loadgen.ClientVegeta
	}
	res, err := loadgen.Run(ctx, job, nil)
	if err != nil {
		return nil, err
	}
	if res.Interrupted {
		return nil, fmt.Errorf("load: %w", context.Cause(ctx))
	}
	return report(c, "target", mock.Addr(), res)
}

func requestBody(model string) ([]byte, error) {
	return json.Marshal(map[string]any{
		"model":    model,
		"messages": []map[string]string{{"role": "user", "content": "Name one thing worth measuring."}},
	})
}

func report(c Config, mode, upstream string, res *loadgen.Result) (*Report, error) {
	r := &Report{
		Mode: mode, Target: c.Target, Upstream: upstream, Requests: c.Requests, Concurrency: c.Conc, StreamEvery: c.StreamEvery,
		Outcomes: res.Outcomes, Errors: res.Errors, Warnings: res.Warnings, SamplesBeyond: make(map[string]int64),
	}
	streams := 0
	for seq := range c.Requests {
		if contract.StreamedAt(c.StreamEvery, uint64(seq)) {
			streams++
		}
	}
	r.StreamShare = float64(streams) / float64(c.Requests)
	r.Seconds = float64(res.Finished-res.Started) / 1e9
	answered := res.Outcomes[contract.Answered.String()]
	r.Failures = res.Scheduled - answered
	if r.Seconds > 0 {
		r.RequestsPerS = float64(answered) / r.Seconds
	}
	text, ok := res.Histograms[loadgen.ServiceTime]
	if !ok {
		return r, nil
	}
	h, err := results.Histogram(text).Decode()
	if err != nil {
		return nil, err
	}
	const ms = 1e6
	r.Max = float64(h.Max()) / ms
	for _, p := range []struct {
		name string
		at   float64
		dst  *float64
	}{{"p50", 50, &r.P50}, {"p95", 95, &r.P95}, {"p99", 99, &r.P99}} {
		q := results.PercentileOf(h, p.at)
		*p.dst = float64(q.ValueNs) / ms
		r.SamplesBeyond[p.name] = q.Beyond
		if !q.Stands() {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s rests on %d samples beyond it; %d are needed for a figure that holds", p.name, q.Beyond, results.MinBeyond))
		}
	}
	return r, nil
}
