package report

import (
	"fmt"
	"strings"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// findingsText is what the published data says, computed.
func findingsText(in *data) (*text, error) {
	var items []string
	for _, name := range []string{"concurrency-external", "concurrency-inprocess"} {
		if v, ok := in.view(name); ok {
			items = append(items, concurrencyFindings(v)...)
		}
	}
	if v, ok := in.view("workers"); ok {
		items = append(items, workerFindings(v)...)
	}
	if v, ok := in.view("streaming"); ok {
		items = append(items, pairFindings(v, &streamPairing, "Streaming every request", atConc)...)
	}
	if v, ok := in.view("log-store"); ok {
		items = append(items, pairFindings(v, &logPairing, "The log store", withWorkers)...)
	}
	if v, ok := in.view("staged"); ok {
		more, err := stagedFindings(v)
		if err != nil {
			return nil, err
		}
		items = append(items, more...)
	}
	if v, ok := in.view("boot"); ok {
		items = append(items, bootFindings(v)...)
	}
	if v, ok := in.view(waterfallName); ok {
		items = append(items, waterfallFindings(v)...)
	}
	if v, ok := in.view("bodies"); ok {
		items = append(items, bodyFindings(v)...)
	}
	if v, ok := in.view("engines"); ok {
		items = append(items, engineFindings(v)...)
	}
	if v, ok := in.view("kill"); ok {
		items = append(items, killFindings(v))
	}
	items = append(items, in.failureFindings()...)
	t := new(text)
	t.list(items)
	return t, nil
}

// concurrencyFindings tells where throughput peaks and what waits.
func concurrencyFindings(v *view) []string {
	c := concCurve(v)
	top, knee := c.peak()
	if top == nil {
		return nil
	}
	where := "**Throughput over concurrency** (" + shapeOf(v) + "): "
	x := spreadText(top.Spread(comparable), asItIs)
	switch {
	case len(c.points) == 1:
		where += fmt.Sprintf("%s req/s at %d in flight, the only point", x, top.Cell.Conc)
	case !change(top, top).Decides():
		where += fmt.Sprintf("the highest median is %s req/s at %d in flight, of %s", x, top.Cell.Conc, plural(top.Spread(comparable).N, "comparable repetition"))
	case knee == top:
		where += fmt.Sprintf("it peaks at %d in flight with %s req/s", top.Cell.Conc, x)
	case knee.Cell.Conc < top.Cell.Conc:
		where += fmt.Sprintf("the highest median is %s req/s at %d in flight, but from %d in flight on the gain is within noise", x, top.Cell.Conc, knee.Cell.Conc)
	}
	last := c.last()
	if last != top {
		where += fmt.Sprintf("; at %d in flight it is %s", last.Cell.Conc, changeWords(change(top, last)))
	}
	if marks := marksText(top); marks != none {
		where += "; the highest is marked " + marks
	}
	out := []string{where + c.leftOut("in flight")}
	if l, ok := littleOf(v, last); ok && l.alone && last.Cell.Conc > 1 {
		out = append(out, fmt.Sprintf("**Queueing** (%s): at %d in flight a request takes %s ms longer in the mean than alone; by Little's law %s of the %s in flight are waiting, %.0f%%",
			shapeOf(v), last.Cell.Conc, toMs.of(l.waitNs), significant(l.waiting), significant(l.inFlight), 100*l.waiting/max(l.inFlight, 1e-9)))
	}
	return out
}

// changeWords says a change of throughput in words.
func changeWords(d results.Delta) string {
	share, ok := d.Relative()
	switch {
	case !ok:
		return "not comparable"
	case !d.Decides():
		return "not compared (" + undecided + ")"
	case !d.Stands():
		return "the same within noise"
	case share < 0:
		return percentText(share) + " lower"
	}
	return percentText(share) + " higher"
}

// workerFindings tells from which number of workers more buys nothing.
func workerFindings(v *view) []string {
	c := workersCurve(v)
	top, knee := c.peak()
	if top == nil || len(c.points) < 2 || !change(top, top).Decides() {
		return nil
	}
	first, last := c.points[0], c.last()
	text := fmt.Sprintf("**Worker knee** (%s, log store %s, %d in flight): ", shapeOf(v), logText(&top.Cell), top.Cell.Conc)
	if knee == first {
		text += fmt.Sprintf("no number of workers is faster than %d beyond noise", first.Cell.Workers)
	} else {
		text += fmt.Sprintf("%s, throughput %s than with %d; more gain nothing beyond noise",
			plural(knee.Cell.Workers, "worker"), changeWords(change(first, knee)), first.Cell.Workers)
	}
	if last != knee {
		text += fmt.Sprintf("; with %d throughput is %s", last.Cell.Workers, changeWords(change(knee, last)))
	}
	return []string{text + c.leftOut("workers") + sharedCores(v, top)}
}

// sharedCores says how far workers can show a gain on the run's host.
func sharedCores(v *view, s *results.Series) string {
	n := v.run.Header.Fingerprint.CPUs
	if n == 0 {
		return ""
	}
	pieces := []string{"generator", "mock"}
	if s.Cell.LogStore == "postgres" {
		pieces = append(pieces, "PostgreSQL")
	}
	return fmt.Sprintf("; %s share the host's %s, so more workers than that cannot show a gain",
		enumerate(append(pieces, "gateway")), plural(n, "core"))
}

func atConc(c *contract.Cell) string { return fmt.Sprintf("at %d in flight", c.Conc) }

func withWorkers(c *contract.Cell) string {
	return fmt.Sprintf("with %s and %s", plural(c.Workers, "worker"), logText(c))
}

// pairFindings sums up what one switch costs along an axis.
func pairFindings(v *view, p *pairing, what string, at func(*contract.Cell) string) []string {
	var out []string
	for _, group := range shapesOf(p.pairs(v), func(m matched) *contract.Cell { return &m.to.Cell }) {
		var said []string
		for _, m := range group {
			// Of the shares of streams only the pure one prices a stream.
			if p == &streamPairing && m.to.Cell.StreamEvery != 1 {
				continue
			}
			said = append(said, fmt.Sprintf("%s %s (CPU per request %s)",
				at(&m.to.Cell), relativeDelta(m.throughput()), relativeDelta(m.cpu())))
		}
		if len(said) > 0 {
			out = append(out, fmt.Sprintf("**%s** (shape %s), change of throughput: %s", what, group[0].to.Cell.Shape, strings.Join(said, "; ")))
		}
	}
	return out
}

func stagedFindings(v *view) ([]string, error) {
	stages, err := stagesOf(v)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, group := range shapesOf(stages, func(s stage) *contract.Cell { return s.cell }) {
		var said []string
		for _, s := range steps {
			if d, ok := s.difference(group); ok {
				said = append(said, s.name+" "+withUnit(d.text(toUs), "µs"))
			}
		}
		if len(said) > 0 {
			out = append(out, fmt.Sprintf("**One request at a time** (shape %s), p50: %s", group[0].cell.Shape, strings.Join(said, "; ")))
		}
	}
	return out, nil
}

func bootFindings(v *view) []string {
	var most *results.SectionSeries
	for _, s := range v.without {
		if len(s.Records) > 0 && (most == nil || s.Cell.Workers > most.Cell.Workers) {
			most = s
		}
	}
	if most == nil {
		return nil
	}
	text := fmt.Sprintf("**Boot**: %s ms to /healthz with %s", spreadText(most.Spread(bootNs), toMs), plural(most.Cell.Workers, "worker"))
	if d, n, ok := perWorker(v.without, most); ok {
		s := medianShift(d)
		if why := s.refusal(); why == "" {
			text += fmt.Sprintf(", %s ms per further worker", s.by(n, toMs))
		} else {
			text += "; the difference to fewer workers: " + why
		}
	}
	return []string{text}
}

func killFindings(v *view) string {
	rows, counts := v.lost()
	failed := 0
	for _, s := range v.measured(false) {
		for _, r := range s.Reps {
			if !r.Audit.OK() {
				failed++
			}
		}
	}
	text := fmt.Sprintf("**A killed worker**: of %s requests %s were answered, %s failed; %s without a log row were in flight at the kill",
		integer(counts.Total()), integer(counts[contract.Answered]), integer(counts.Failures()), integer(rows))
	if failed > 0 {
		return text + fmt.Sprintf("; the audit of %s does not close", plural(failed, "repetition"))
	}
	return text + "; every audit closes"
}

// failureFindings sums failures and audits over all sections but the planned
// kills.
func (in *data) failureFindings() []string {
	var counts contract.Counts
	var bad []string
	reps, closed := 0, 0
	marks := make(map[string]int)
	for _, v := range in.views() {
		if v.name == "kill" {
			continue
		}
		for _, s := range v.load {
			c := s.Counts()
			counts.Add(c)
			if n := c.Failures(); n > 0 {
				bad = appendNew(bad, v.name)
			}
			for _, r := range s.Reps {
				reps++
				if r.Audit.OK() {
					closed++
				}
			}
			for m, n := range s.Marks() {
				marks[m] += n
			}
		}
	}
	if reps == 0 {
		return nil
	}
	text := fmt.Sprintf("**Failures**: %s of %s measured requests failed", integer(counts.Failures()), integer(counts.Total()))
	if _, ok := in.view("kill"); ok {
		text += ", the planned kills apart"
	}
	if len(bad) > 0 {
		text += " (in " + enumerate(bad) + ")"
	}
	text += fmt.Sprintf("; %s were rejected by policy; the audit closes in %d of %s", integer(counts[contract.Rejected]), closed, plural(reps, "repetition"))
	out := []string{text}
	if len(marks) > 0 {
		var said []string
		for _, m := range sortedKeys(marks) {
			said = append(said, fmt.Sprintf("%s %d", m, marks[m]))
		}
		out = append(out, "**Marks** over these repetitions: "+strings.Join(said, ", "))
	}
	return out
}
