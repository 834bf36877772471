package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// What a repetition says of one figure, for Series.Spread.

func perSecond(r *results.Repetition) (float64, bool) {
	return r.RequestsPerS, r.Counts()[contract.Answered] > 0
}

// comparable is perSecond without the repetitions whose throughput the
// generator or the mock bounded: those leave every comparison.
func comparable(r *results.Repetition) (float64, bool) {
	if bound(r) {
		return 0, false
	}
	return perSecond(r)
}

// bound reports whether the generator or the mock bounded r's throughput.
func bound(r *results.Repetition) bool {
	return r.Marked(results.MarkGeneratorBound) || r.Marked(results.MarkMockBound)
}

// unbound is s without the bounded repetitions, so that every figure beside a
// comparison is of the repetitions compared.
func unbound(s *results.Series) *results.Series {
	if !slices.ContainsFunc(s.Reps, bound) {
		return s
	}
	return &results.Series{Cell: s.Cell, Reps: slices.DeleteFunc(slices.Clone(s.Reps), bound)}
}

const togetherTitle = "frames together %"

// framesTogether is the share of content frames that came in the same read as
// the one before.
func framesTogether(r *results.Repetition) (float64, bool) {
	if r.ContentFrames == 0 {
		return 0, false
	}
	return float64(r.CoalescedFrames) / float64(r.ContentFrames), true
}

// bodyBytes is the size of a request's body.
func bodyBytes(r *results.Repetition) (float64, bool) {
	n := r.Sent()
	if n == 0 || r.BytesOut == 0 {
		return 0, false
	}
	return float64(r.BytesOut) / float64(n), true
}

func bodyBytesText(s *results.Series) string {
	b := s.Spread(bodyBytes)
	if b.N == 0 {
		return none
	}
	return integer(int64(math.Round(b.Median)))
}

func coresBusy(r *results.Repetition) (float64, bool) { return r.CoresBusy, r.CoresBusy > 0 }

type usageOf func(*results.Resources) *results.Usage

func gatewayUsage(r *results.Resources) *results.Usage   { return r.Gateway }
func generatorUsage(r *results.Resources) *results.Usage { return r.Generator }
func mockUsage(r *results.Resources) *results.Usage      { return r.Mock }
func postgresUsage(r *results.Resources) *results.Usage  { return r.Postgres }
func processUsage(r *results.Resources) *results.Usage   { return r.Process }

func cpuPerRequest(u usageOf) func(*results.Repetition) (float64, bool) {
	return func(r *results.Repetition) (float64, bool) { return r.CPUMicrosPerRequest(u(&r.Resources)) }
}

func peakRSS(u usageOf) func(*results.Repetition) (float64, bool) {
	return func(r *results.Repetition) (float64, bool) {
		usage := u(&r.Resources)
		if usage == nil || usage.PeakRSSBytes == 0 {
			return 0, false
		}
		return float64(usage.PeakRSSBytes), true
	}
}

// processesText is the number of processes counted in the gateway's tree.
func processesText(s *results.Series) string {
	var n ranged
	for _, r := range s.Reps {
		if u := r.Resources.Gateway; u != nil && u.Processes > 0 {
			n.add(int64(u.Processes))
		}
	}
	if !n.seen {
		return none
	}
	return n.String()
}

func failures(s *results.Series) int64 {
	counts := s.Counts()
	return counts.Failures()
}

// auditText is "ok", or which sums did not close.
func auditText(s *results.Series) string {
	var failed []string
	n := 0
	for _, r := range s.Reps {
		if r.Audit.OK() {
			continue
		}
		n++
		if r.Audit == nil || len(r.Audit.Checks) == 0 {
			failed = appendNew(failed, "no audit")
		}
		for _, c := range r.Audit.Failed() {
			failed = appendNew(failed, c.Name)
		}
	}
	if n == 0 {
		return "ok"
	}
	return fmt.Sprintf("**FAILED** %d of %d: %s", n, len(s.Reps), strings.Join(failed, "; "))
}

// marksText counts the repetitions that carry each mark.
func marksText(s *results.Series) string {
	var out []string
	marks := s.Marks()
	for _, m := range sortedKeys(marks) {
		if marks[m] == len(s.Reps) {
			out = append(out, m)
		} else {
			out = append(out, fmt.Sprintf("%s %d of %d", m, marks[m], len(s.Reps)))
		}
	}
	if len(out) == 0 {
		return none
	}
	return strings.Join(out, ", ")
}

func appendNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}
