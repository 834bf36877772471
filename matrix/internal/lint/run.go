package lint

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"slices"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// Run checks the records of a run, each repetition by itself and against those
// of its block. File is what findings name as the file. Lines are not known
// here; see File.
func Run(file string, run *results.Run) ([]Finding, error) {
	return check(file, run, nil)
}

// check also takes the line of each repetition, when they are known.
func check(file string, run *results.Run, lines []int) ([]Finding, error) {
	v := newRunView(file, run, lines)
	var out []Finding
	for _, r := range Rules() {
		if r.run != nil {
			out = append(out, r.run(v)...)
		}
	}
	if v.err != nil {
		return nil, fmt.Errorf("lint %s: %w", file, v.err)
	}
	return inOrder(out), nil
}

// runView is a run as rules need it.
type runView struct {
	run      *results.Run
	file     string
	sections []sectionView
	line     map[*results.Repetition]int
	decoded  map[histogramKey]*results.Distribution
	err      error // the first histogram that could not be read
}

type sectionView struct {
	name   string
	series []*results.Series
}

type histogramKey struct {
	rep  *results.Repetition
	name string
}

func newRunView(file string, run *results.Run, lines []int) *runView {
	v := &runView{run: run, file: file, line: map[*results.Repetition]int{}, decoded: map[histogramKey]*results.Distribution{}}
	var names []string
	for i := range run.Repetitions {
		r := &run.Repetitions[i]
		if i < len(lines) {
			v.line[r] = lines[i]
		}
		if !slices.Contains(names, r.Cell.Section) {
			names = append(names, r.Cell.Section)
		}
	}
	for _, name := range names {
		v.sections = append(v.sections, sectionView{name, results.SeriesOf(run, name)})
	}
	return v
}

// distribution decodes one histogram of one repetition; nil when it has none.
func (v *runView) distribution(r *results.Repetition, name string) *results.Distribution {
	key := histogramKey{r, name}
	if d, ok := v.decoded[key]; ok {
		return d
	}
	var d *results.Distribution
	if text := r.Histograms[name]; text != "" {
		one := results.Series{Cell: r.Cell, Reps: []*results.Repetition{r}}
		merged, _, err := one.Distributions(name)
		if err != nil && v.err == nil {
			v.err = err
		}
		d = merged
	}
	v.decoded[key] = d
	return d
}

// each calls f with every repetition that was measured.
func (v *runView) each(f func(*results.Repetition) []Finding) (out []Finding) {
	for i := range v.run.Repetitions {
		if r := &v.run.Repetitions[i]; r.Skipped == nil && r.MeasuredNs > 0 {
			out = append(out, f(r)...)
		}
	}
	return out
}

// finding begins a finding at a repetition.
func (v *runView) finding(rule string, r *results.Repetition, column string) Finding {
	return Finding{
		Rule: rule, File: v.file, Line: v.line[r], Table: r.Cell.Section, Column: column,
		Row: fmt.Sprintf("%s, block %d, repetition %d", r.Cell.Key(), r.Block, r.Rep),
	}
}

// sameLoad reports whether two cells put the same load on what they measure.
func sameLoad(a, b *contract.Cell) bool {
	return a.Shape == b.Shape && a.Surface == b.Surface && a.Body == b.Body && a.StreamEvery == b.StreamEvery &&
		a.Frames == b.Frames && a.Coalesce == b.Coalesce && a.Conc == b.Conc && a.RatePerS == b.RatePerS &&
		a.Arrivals == b.Arrivals && a.Client == b.Client
}

// blockOf is the series' repetition in the same block and of the same number.
func blockOf(s *results.Series, r *results.Repetition) *results.Repetition {
	for _, o := range s.Reps {
		if o.Block == r.Block && o.Rep == r.Rep {
			return o
		}
	}
	return nil
}

// repetitionLines is the line of each repetition in a run's file, from 1, in
// file order.
func repetitionLines(path string) ([]int, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var lines []int
	br := bufio.NewReaderSize(f, 1<<16)
	for number := 1; ; number++ {
		start, err := br.Peek(len(repetitionMark))
		if err != nil && len(start) == 0 {
			return lines, nil
		}
		if bytes.Equal(start, []byte(repetitionMark)) {
			lines = append(lines, number)
		}
		for {
			_, err := br.ReadSlice('\n')
			if err == bufio.ErrBufferFull {
				continue
			}
			if err != nil {
				return lines, nil
			}
			break
		}
	}
}

// repetitionMark is how the writer begins the line of a repetition.
const repetitionMark = `{"repetition":`
