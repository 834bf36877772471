package compare

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tollgate-lab/tollgate/loadgen"
	"github.com/tollgate-lab/tollgate/matrix/bodies"
	"github.com/tollgate-lab/tollgate/matrix/internal/host"
	"github.com/tollgate-lab/tollgate/matrix/internal/proc"
	"github.com/tollgate-lab/tollgate/matrix/internal/proxy"
	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
	"github.com/tollgate-lab/tollgate/matrix/internal/targets"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// warmup is the requests before a measured part, for each connection.
const warmup = 20

// Proxies compares our gateway with nginx.
func Proxies(ctx context.Context, site *stack.Site, o Options, t *targets.File, say func(string, ...any)) (*Report, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	file, err := proxy.Find(proxy.Nginx)
	if err != nil {
		return nil, err
	}
	o = o.WithDefaults()
	ld, _ := load(o.Load)
	gatewayCell := func(conc int) *contract.Cell { return cellOf(&o, ld, "compare-nginx", conc) }
	ours := side{"gateway", func(ctx context.Context, conc int) (Sample, error) {
		s, err := site.Start(ctx, gatewayCell(conc))
		if err != nil {
			return Sample{}, err
		}
		return underLoad(ctx, s, &o, conc)
	}}
	theirs := side{"nginx", func(ctx context.Context, conc int) (Sample, error) {
		c := gatewayCell(conc)
		c.Target, c.Engine, c.Profile, c.LogStore, c.Durability = proxy.Nginx, "", "", "", ""
		s, err := site.Start(ctx, c)
		if err != nil {
			return Sample{}, err
		}
		return underLoad(ctx, s, &o, conc)
	}}
	r := &Report{
		Name: "nginx", Started: time.Now().UTC(), Fingerprint: host.Fingerprint(),
		Ours: fmt.Sprintf("gateway (engine %s, profile %s)", o.Engine, o.Profile), Theirs: proxy.Version(ctx, proxy.Nginx, file) + " (plain keep-alive reverse proxy)",
		Conditions: []string{
			fmt.Sprintf("same mock, same load (our generator, closed loop, %s), fresh processes for each measured part", ld.Words),
			fmt.Sprintf("%d blocks, sides in turn, order swapped from block to block; %v measured after %d requests a connection", o.Blocks, o.Duration, warmup),
			fmt.Sprintf("%d worker process(es) on either side; CPU time of the whole process tree over the measured part", o.Workers),
		},
	}
	r.Samples, err = blocks(ctx, &o, ours, theirs, say)
	r.Rows = rows(r.Samples, o.Conc, ours.name, theirs.name, func(c int) []*targets.Target {
		return t.Family(TargetID(&o, c))
	})
	return r, err
}

// TargetID is the id of the target at a concurrency:
// "proxy-cpu-conn-governed-plain-c50".
func TargetID(o *Options, conc int) string {
	return strings.ToLower(fmt.Sprintf("proxy-cpu-%s-%s-%s-c%d", o.Engine, o.Profile, o.Load, conc))
}

// underLoad measures what is in front of the mock, and takes the stack down.
func underLoad(ctx context.Context, s *stack.Stack, o *Options, conc int) (x Sample, err error) {
	return underLoadThen(ctx, s, o, conc, func() error { return nil })
}

// underLoadThen is underLoad with something to be done before the stack goes.
func underLoadThen(ctx context.Context, s *stack.Stack, o *Options, conc int, then func() error) (x Sample, err error) {
	defer func() {
		if closeErr := s.Close(); err == nil {
			err = closeErr
		}
	}()
	body, _ := bodies.Embedded(s.Cell.Body)
	job := loadgen.Job{
		Path: "/v1/chat/completions", Body: body, Join: contract.JoinHeader, Conc: conc, StreamEvery: s.Cell.StreamEvery,
		Warmup: warmup * conc, Duration: o.Duration, ExpectContent: stack.Content(&s.Cell),
	}
	root := map[string]int{"proxy": s.GatewayPID()}
	sampler := proc.StartSampler(root, proc.SampleEvery)
	run, err := s.Load(ctx, job)
	series := sampler.Stop()
	if err != nil {
		return x, err
	}
	after, err := proc.Read(s.GatewayPID())
	if err != nil {
		return x, err
	}
	use, err := proc.Between(after, after)
	if err != nil {
		return x, err
	}
	x.PeakRSSBytes, x.Processes = use.PeakRSSBytes, use.Processes
	if err := then(); err != nil {
		return x, err
	}
	cpu, ok := series.Between("proxy", run.Started, run.Finished)
	if !ok {
		return x, fmt.Errorf("no CPU time over the measured part")
	}
	return fill(x, run.Result, cpu)
}

// fill takes what the generator says.
func fill(x Sample, res *loadgen.Result, cpuNs int64) (Sample, error) {
	x.Requests = res.Outcomes[contract.Answered.String()]
	x.Failures = res.Scheduled - x.Requests
	if x.Failures > 0 {
		return x, fmt.Errorf("%d of %d requests failed: %v", x.Failures, res.Scheduled, res.Errors)
	}
	if x.Requests == 0 || res.Finished <= res.Started {
		return x, fmt.Errorf("nothing was measured")
	}
	x.CPUUs = float64(cpuNs) / 1e3 / float64(x.Requests)
	x.RequestsPerS = float64(x.Requests) * 1e9 / float64(res.Finished-res.Started)
	h, err := results.Histogram(res.Histograms[loadgen.ServiceTime]).Decode()
	if err != nil {
		return x, err
	}
	x.P50Ns, x.P99Ns = h.ValueAtPercentile(50), h.ValueAtPercentile(99)
	return x, nil
}
