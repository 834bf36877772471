package targets

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// Verdict is what a run says of a target.
type Verdict struct {
	// Figure is the blocks' figures in the bound's unit; N is 0 when the run does
	// not hold it.
	Figure results.Spread
	Met    bool
	Why    string // why there is no figure; empty where there is one
}

// Measured reports whether the run holds the figure.
func (v *Verdict) Measured() bool { return v.Figure.N > 0 }

// Judge sets a target against a run: the median over its repetitions, or, of a
// ratio, over the ratios within its blocks.
func (t *Target) Judge(run *results.Run) Verdict {
	if t.From == nil {
		return Verdict{Why: "measured by its script alone"}
	}
	fig, err := t.From.figure()
	if err != nil {
		return Verdict{Why: err.Error()}
	}
	ours, err := t.From.read(run, &fig, t.From.Cell)
	if err != nil {
		return Verdict{Why: err.Error()}
	}
	var values []float64
	var atMost float64
	switch b := t.Bound; {
	case b.Ratio != nil:
		theirs, err := t.From.read(run, &fig, t.From.Beside)
		if err != nil {
			return Verdict{Why: b.Ratio.Theirs + ": " + err.Error()}
		}
		values, atMost = ratios(ours, theirs), b.Ratio.AtMost
	case b.Absolute != nil:
		values, atMost = all(ours, scales[fig.unit()][b.Absolute.Unit]), b.Absolute.AtMost
	case b.Count != nil:
		values, atMost = all(ours, 1), float64(b.Count.AtMost)
	}
	v := Verdict{Figure: results.SpreadOf(values)}
	if v.Figure.N == 0 {
		v.Why = "no block holds both sides"
		return v
	}
	v.Met = v.Figure.Median <= atMost
	if t.Bound.Count != nil {
		v.Met = v.Figure.Max <= atMost // an exact count holds in each repetition
	}
	return v
}

// throughput is the figure that leaves every comparison where the rig bound it.
const throughput = "requests_per_s"

// byBlock is a figure's values, by block.
type byBlock map[int][]float64

func ratios(ours, theirs byBlock) []float64 {
	var out []float64
	for block, values := range ours {
		a, b := results.SpreadOf(values), results.SpreadOf(theirs[block])
		if b.N > 0 && b.Median > 0 {
			out = append(out, a.Median/b.Median)
		}
	}
	return out
}

func all(values byBlock, scale float64) []float64 {
	var out []float64
	for _, v := range values {
		for _, x := range v {
			out = append(out, x/scale)
		}
	}
	return out
}

// read is the figure in every record of the run that is of the section and
// matches parts. All must be of one cell: else it says of which.
func (f *From) read(run *results.Run, fig *figure, parts map[string]string) (byBlock, error) {
	out := make(byBlock)
	var cells []string
	var samples int64
	one := func(c *contract.Cell, block int, sent int64, record any) error {
		if !slices.Contains(cells, c.Key()) {
			cells = append(cells, c.Key())
		}
		value, n, err := fig.of(record, sent)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Key(), err)
		}
		samples += n
		out[block] = append(out[block], value)
		return nil
	}
	for _, s := range results.SeriesOf(run, f.Section) {
		if !matches(&s.Cell, parts) {
			continue
		}
		for _, r := range s.Reps {
			if fig.path[0] == throughput && (r.Marked(results.MarkGeneratorBound) || r.Marked(results.MarkMockBound)) {
				continue // it says more of the rig
			}
			if err := one(&s.Cell, r.Block, r.Sent(), r); err != nil {
				return nil, err
			}
		}
	}
	for _, s := range results.SectionSeriesOf(run, f.Section) {
		if !matches(&s.Cell, parts) {
			continue
		}
		for _, r := range s.Records {
			if err := one(&s.Cell, r.Block, 0, r); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case len(cells) == 0:
		return nil, fmt.Errorf("the run holds no such cell in section %s", f.Section)
	case len(cells) > 1:
		return nil, fmt.Errorf("the run holds %d such cells, %s and %s among them: name more of the key", len(cells), cells[0], cells[1])
	case fig.percentile > 0 && results.Beyond(samples, fig.percentile) < results.MinBeyond:
		return nil, fmt.Errorf("%d samples are too few for p%g", samples, fig.percentile)
	}
	return out, nil
}

// of reads the figure in a record as its file holds it. samples is those of a
// histogram.
func (f *figure) of(record any, sent int64) (value float64, samples int64, err error) {
	text, err := json.Marshal(record)
	if err != nil {
		return 0, 0, err
	}
	for _, name := range f.path {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(text, &fields); err != nil || fields[name] == nil {
			return 0, 0, fmt.Errorf("the record has no %q", name)
		}
		text = fields[name]
	}
	if f.percentile > 0 {
		var h results.Histogram
		if err := json.Unmarshal(text, &h); err != nil {
			return 0, 0, fmt.Errorf("%q is no histogram: %w", f.path[len(f.path)-1], err)
		}
		var d *hdrhistogram.Histogram
		if d, err = h.Decode(); err != nil {
			return 0, 0, err
		}
		return float64(d.ValueAtPercentile(f.percentile)), d.TotalCount(), nil
	}
	if err := json.Unmarshal(text, &value); err != nil {
		return 0, 0, fmt.Errorf("%q is no number", f.path[len(f.path)-1])
	}
	if f.perRequest {
		if sent == 0 {
			return 0, 0, fmt.Errorf("no request was sent")
		}
		value /= float64(sent)
	}
	return value, 0, nil
}
