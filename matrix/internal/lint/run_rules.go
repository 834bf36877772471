package lint

import (
	"fmt"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// littleRun: over a window at whose ends nothing is under way, the service
// times of all requests add up to at most the connections times the window,
// exactly, in every repetition. They fall short by the generator's own time
// between two requests, which the 5 % are for, and by connections that wait at
// the end for the last answers, at most the longest request per window; that is
// judged over all repetitions of a cell, as tables show it.
func littleRun(v *runView) (out []Finding) {
	for _, s := range v.sections {
		for _, cell := range s.series {
			if cell.Cell.Conc == 0 || cell.Cell.RatePerS > 0 {
				continue
			}
			var whole loop
			for _, r := range cell.Reps {
				one, ok := v.loopOf(r)
				if !ok {
					continue
				}
				whole.add(one)
				if one.inFlight() > one.n*(1+Tolerance) {
					out = append(out, one.finding(v.finding(ruleLittle, r, results.ServiceTime)))
				}
			}
			if whole.clean && whole.inFlight() < whole.n*(1-Tolerance-whole.longest/whole.window) {
				f := v.finding(ruleLittle, cell.Reps[0], results.ServiceTime)
				f.Row = cell.Cell.Key()
				out = append(out, whole.finding(f))
			}
		}
	}
	return out
}

// loop is a closed loop over one repetition or more; times in ns.
type loop struct {
	n       float64 // connections
	spent   float64 // the sum of all service times
	window  float64
	longest float64 // the longest request of each repetition, summed
	answers int64
	clean   bool // every request was answered, so every time is known
}

func (v *runView) loopOf(r *results.Repetition) (loop, bool) {
	service := v.distribution(r, results.ServiceTime)
	if service == nil || r.MeasuredNs <= 0 {
		return loop{}, false
	}
	c := r.Counts()
	l := loop{
		n: float64(r.Cell.Conc), window: float64(r.MeasuredNs), answers: service.Samples,
		spent: service.MeanNs * float64(service.Samples), longest: float64(service.MaxNs), clean: c[contract.Answered] == c.Total(),
	}
	if d := v.distribution(r, results.ErrorTime); d != nil {
		l.spent += d.MeanNs * float64(d.Samples)
		l.longest = max(l.longest, float64(d.MaxNs))
	}
	return l, true
}

func (l *loop) add(o loop) {
	l.clean = o.clean && (l.clean || l.window == 0)
	l.n = o.n
	l.spent += o.spent
	l.window += o.window
	l.longest += o.longest
	l.answers += o.answers
}

func (l *loop) inFlight() float64 { return l.spent / l.window }

func (l *loop) finding(f Finding) Finding {
	mean := l.spent / float64(max(l.answers, 1))
	f.Read = fmt.Sprintf("%s answers of %s in the mean within %s", grouped(float64(l.answers)), seconds(mean/1e9), seconds(l.window/1e9))
	f.Why = fmt.Sprintf("that is %s requests in flight; there were %s connections", short(l.inFlight()), short(l.n))
	f.Fits = "a mean of " + seconds(l.n*l.window/float64(max(l.answers, 1))/1e9)
	return f
}

// partsRun: a part of a request is not longer than the whole, percentile by
// percentile, where both were recorded for the same requests.
func partsRun(v *runView) []Finding {
	parts := []struct{ part, whole string }{
		{results.Toll, results.ServiceTime},
		{results.FirstByte, results.ServiceTime},
		{results.TTFT, results.ServiceStream},
		{results.ServiceTime, results.ResponseTime},
	}
	return v.each(func(r *results.Repetition) (out []Finding) {
		for _, p := range parts {
			a, b := v.distribution(r, p.part), v.distribution(r, p.whole)
			if a == nil || b == nil || a.Samples != b.Samples {
				continue
			}
			for _, at := range results.Percentiles {
				x, errX := a.Percentile(at)
				y, errY := b.Percentile(at)
				// Both lie in buckets of three digits.
				if errX != nil || errY != nil || float64(x.ValueNs) <= float64(y.ValueNs)*1.002+1 {
					continue
				}
				f := v.finding(rulePercentiles, r, p.part)
				f.Read = fmt.Sprintf("p%g of %s %s, of %s %s", at, p.part, seconds(float64(x.ValueNs)/1e9), p.whole, seconds(float64(y.ValueNs)/1e9))
				f.Why = "it is a part of the other, of the same requests"
				f.Fits = "at most " + seconds(float64(y.ValueNs)/1e9)
				out = append(out, f)
				break
			}
		}
		return out
	})
}

// unitsRun: answers ÷ time is the throughput, and no more cores were busy than
// there are.
func unitsRun(v *runView) []Finding {
	return v.each(func(r *results.Repetition) (out []Finding) {
		c := r.Counts()
		if is := float64(c[contract.Answered]) / (float64(r.MeasuredNs) / 1e9); r.RequestsPerS > is*1.001+1e-9 || r.RequestsPerS < is*0.999-1e-9 {
			f := v.finding(ruleUnits, r, "requests_per_s")
			f.Read = fmt.Sprintf("%s; %d answers in %s", inUnit(PerSecond, r.RequestsPerS), c[contract.Answered], seconds(float64(r.MeasuredNs)/1e9))
			f.Why = "answers ÷ time is another rate"
			f.Fits = inUnit(PerSecond, is)
			out = append(out, f)
		}
		if cpus := float64(v.run.Header.Fingerprint.CPUs); cpus > 0 && r.CoresBusy > cpus*(1+Tolerance) {
			f := v.finding(ruleUnits, r, "cores_busy")
			f.Read = short(r.CoresBusy) + " cores busy"
			f.Why = fmt.Sprintf("the host has %s", short(cpus))
			f.Fits = "at most " + short(cpus)
			out = append(out, f)
		}
		return out
	})
}

// tollRun points at tolls near 40 ms.
func tollRun(v *runView) []Finding {
	return v.each(func(r *results.Repetition) []Finding {
		d := v.distribution(r, results.Toll)
		if d == nil || r.Cell.Target == results.TargetFloor {
			return nil
		}
		p50, err50 := d.Percentile(50)
		p99, err99 := d.Percentile(99)
		if err50 != nil || err99 != nil {
			return nil
		}
		typical := float64(p50.ValueNs) / 1e9
		for _, p := range []results.Percentile{p50, p99} {
			if nearDelay(float64(p.ValueNs)/1e9, typical) {
				f := v.finding(ruleToll, r, results.Toll)
				f.Read = fmt.Sprintf("p%g of the toll %s", p.P, seconds(float64(p.ValueNs)/1e9))
				return []Finding{tollHint(f)}
			}
		}
		return nil
	})
}
