package lint

import (
	"fmt"
	"regexp"

	"github.com/tollgate-lab/tollgate/results"
)

const ruleSamples = "percentile-samples"

var (
	samplesInText = regexp.MustCompile(`(?i)(?:\b(\d[\d,']*) to )?\b(\d[\d,']*[kM]?) (?:measured )?(?:requests|samples|calls)\b|\b[Nn]\s?=\s?(\d[\d,']*[kM]?)\b|\s-n\s?(\d+)\b`)
	repeatsInText = regexp.MustCompile(`(?i)\b(\d+) (?:interleaved )?(?:repetitions|runs|blocks|rounds|repeats|iterations of each)\b`)
)

// samplesTables: a percentile rests on the samples beyond it.
func samplesTables(d *Document) []Finding {
	return d.eachTable(func(t *Table) (out []Finding) {
		for i, c := range t.Columns {
			if (c.Kind != Latency && c.Kind != Toll) || c.Stat != Percentile {
				continue
			}
			if f, ok := tooFew(t, i, c.P); ok {
				out = append(out, f)
			}
		}
		return out
	})
}

// tooFew is one finding for a column, at the first of its rows.
func tooFew(t *Table, at int, p float64) (Finding, bool) {
	var f Finding
	rows := 0
	for i := range t.Rows {
		r := &t.Rows[i]
		if q, ok := r.Figure(at); !ok || q.Dim != Time && q.Dim != Plain {
			continue
		}
		n, source, ok := r.samples()
		if !ok || results.Beyond(int64(n), p) >= results.MinBeyond {
			continue
		}
		rows++
		if rows > 1 {
			continue
		}
		f = r.finding(ruleSamples, at)
		f.Read = fmt.Sprintf("%s from %s (%s)", r.read(at), grouped(n)+" samples", source)
		f.Why = fmt.Sprintf("only %d of them lie beyond p%g; with fewer than %d the figure is the luck of a few requests", results.Beyond(int64(n), p), p, results.MinBeyond)
		f.Fits = fmt.Sprintf("%s samples, or a lower percentile", grouped(results.MinBeyond*100/(100-p)))
	}
	switch {
	case rows == 2:
		f.Why += "; so in 1 more row"
	case rows > 2:
		f.Why += fmt.Sprintf("; so in %d more rows", rows-1)
	}
	return f, rows > 0
}

// samples is how many requests a row's percentiles rest on: its column, else
// the largest number that the section says, times the repetitions, which may
// have been merged.
func (r *Row) samples() (n float64, source string, ok bool) {
	t := r.table
	if i, found := t.only(Samples); found {
		q, fine := r.Figure(i)
		n, source, ok = q.Value, "column "+t.Columns[i].Name, fine && q.Dim == Plain
	}
	if !ok {
		n = once(t.Section, "samples", t.Section.samplesSaid)
		source, ok = "said in the text", n > 0
	}
	if !ok || n <= 0 || n > 1e15 {
		return 0, "", false
	}
	times := once(t.Section, "repetitions", t.Section.repeatsSaid)
	if i, found := t.only(Repeats); found {
		if q, fine := r.Figure(i); fine && q.Value >= 1 {
			times = q.Value
		}
	}
	if times > 1 {
		n *= times
		source += fmt.Sprintf(", times %g repetitions", times)
	}
	return n, source, true
}

// samplesSaid is the largest number of requests that the text says, 0 for none.
func (s *Section) samplesSaid() (n float64) {
	s.within(func(s *Section) bool {
		for _, m := range samplesInText.FindAllStringSubmatch(s.text(), -1) {
			for _, text := range m[1:] {
				if q, fine := ParseQuantity(text); fine && q.Value > n {
					n = q.Value
				}
			}
		}
		return n > 0
	})
	return n
}

func (s *Section) repeatsSaid() (times float64) {
	times = 1
	s.within(func(s *Section) bool {
		for _, m := range repeatsInText.FindAllStringSubmatch(s.text(), -1) {
			if n, ok := scanNumber(m[1]); ok && n.value > times && n.value < 1e6 {
				times = n.value
			}
		}
		return times > 1
	})
	return times
}
