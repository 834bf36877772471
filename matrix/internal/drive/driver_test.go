package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate-lab/tollgate/matrix/internal/plan"
	"github.com/tollgate-lab/tollgate/matrix/internal/spec"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// book keeps what a run writes and says.
type book struct {
	reps     []*results.Repetition
	sections []*results.Section
	said     []string
	begun    []string
	full     bool // Repetition fails
	onBegin  func(done int)
}

func (b *book) Repetition(r *results.Repetition) error {
	if b.full {
		return errors.New("no space")
	}
	b.reps = append(b.reps, r)
	return nil
}

func (b *book) Section(s *results.Section) error {
	b.sections = append(b.sections, s)
	return nil
}

func (b *book) Begin(cell string, done, _ int, _ time.Duration) {
	b.begun = append(b.begun, cell)
	if b.onBegin != nil {
		b.onBegin(done)
	}
}

func (b *book) Say(format string, args ...any) { b.said = append(b.said, fmt.Sprintf(format, args...)) }

const twoSections = `name: t
repetitions: 2
defaults: { shape: inprocess, body: 90B, requests: 1 }
sections:
  - name: one
    conc: [2, 3]
  - name: two
    profile: bare
`

func planOf(t *testing.T, text string, facts plan.Facts) *plan.Plan {
	t.Helper()
	s, err := spec.Parse("t.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Expand(s, facts, plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// quiet is a driver whose host is quiet and whose cells are measured by fake.
func quiet(p *plan.Plan, b *book, fake func(c *contract.Cell) (*results.Repetition, error)) *Driver {
	return &Driver{
		Plan: p, Sink: b, Report: b,
		Canary: func() (time.Duration, error) { return 10 * time.Microsecond, nil },
		Measure: func(_ context.Context, c *contract.Cell) (*results.Repetition, error) {
			return fake(c)
		},
	}
}

func clean(c *contract.Cell) (*results.Repetition, error) {
	return &results.Repetition{Cell: *c, RequestsPerS: 1, Audit: &results.Audit{Checks: []results.Check{{Name: "a", OK: true}}}}, nil
}

func TestEveryItemIsWrittenOnce(t *testing.T) {
	b := new(book)
	s, err := quiet(planOf(t, twoSections, plan.Facts{}), b, clean).Run(t.Context())
	if err != nil || !s.Clean() || s.Interrupted {
		t.Fatalf("%+v %v", s, err)
	}
	var got []string
	for _, r := range b.reps {
		got = append(got, fmt.Sprintf("%d/%d/%d %s", r.Block, r.Rep, r.Order, r.Cell.Target))
	}
	if len(b.reps) != 2*6 || s.Ran != 12 {
		t.Errorf("%d repetitions, %d ran, want 12: %v", len(b.reps), s.Ran, got)
	}
}

func TestNoisyCellsRunAgain(t *testing.T) {
	for _, c := range []struct {
		story  string
		budget time.Duration
		// noise is the canary after each run of a cell; before all others it is 1.
		noise []time.Duration
		want  []string // attempts of the first cell with their marks
	}{
		{"quiet at once", 0, []time.Duration{1}, []string{"0 []"}},
		{"noisy once", 0, []time.Duration{9, 1, 1}, []string{"0 [noisy]", "1 [retry noisy]", "2 [retry]"}},
		{"noisy for ever: twice again and no more", 0, []time.Duration{9, 9, 9, 9}, []string{"0 [noisy]", "1 [retry noisy]", "2 [retry noisy]"}},
		{"no budget left: not again", time.Nanosecond, []time.Duration{9, 9, 9}, []string{"0 [noisy]"}},
	} {
		t.Run(c.story, func(t *testing.T) {
			b := new(book)
			p := planOf(t, strings.Replace(twoSections, "repetitions: 2", "repetitions: 1", 1), plan.Facts{})
			p.Spec.Budget = c.budget
			d := quiet(p, b, clean)
			readings := 0
			d.Canary = func() (time.Duration, error) {
				readings++
				n := readings - firstCanaries - 1
				if n < 0 || n >= len(c.noise) {
					return 100, nil
				}
				return 100 * c.noise[n], nil
			}
			if _, err := d.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			var got []string
			first := b.reps[0].Cell.Key()
			for _, r := range b.reps {
				if r.Cell.Key() == first {
					got = append(got, fmt.Sprintf("%d %v", r.Attempt, r.Marks))
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestAFailedAuditIsNamedAndTheRunGoesOn(t *testing.T) {
	b := new(book)
	s, err := quiet(planOf(t, twoSections, plan.Facts{}), b, func(c *contract.Cell) (*results.Repetition, error) {
		r, _ := clean(c)
		if c.Profile == contract.Bare {
			r.Audit.Checks[0] = results.Check{Name: "answered", Want: 2, Got: 1}
		}
		return r, nil
	}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.Clean() || len(s.AuditFailures) != 2 || s.Ran != 12 {
		t.Errorf("%+v", s)
	}
	if len(b.said) != 2 || !strings.Contains(b.said[0], "answered: want 2, got 1") {
		t.Errorf("said %q", b.said)
	}
}

func TestABrokenCellIsSkippedAloud(t *testing.T) {
	b := new(book)
	s, err := quiet(planOf(t, twoSections, plan.Facts{}), b, func(c *contract.Cell) (*results.Repetition, error) {
		if c.Profile == contract.Bare {
			return nil, errors.New("gateway: ended\nits log")
		}
		return clean(c)
	}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.Clean() || len(s.Broken) != 2 || s.Skipped != 2 || s.Ran != 10 {
		t.Errorf("%+v", s)
	}
	n := 0
	for _, r := range b.reps {
		if r.Skipped != nil {
			n++
			if r.Skipped.Reason != "could not be run: gateway: ended" {
				t.Errorf("reason %q", r.Skipped.Reason)
			}
		}
	}
	if n != 2 || !strings.Contains(b.said[0], "its log") {
		t.Errorf("%d skipped, said %q", n, b.said)
	}
}

func TestPlannedSkipsAreWrittenAndListedOnce(t *testing.T) {
	b := new(book)
	why := &results.Skipped{Reason: "no PostgreSQL", Install: "postgresql"}
	text := strings.Replace(twoSections, "profile: bare", "log: postgres/group", 1)
	s, err := quiet(planOf(t, text, plan.Facts{NoPostgres: why}), b, clean).Run(t.Context())
	if err != nil || !s.Clean() || s.Skipped != 2 || len(s.Skips) != 1 {
		t.Errorf("%+v %v", s, err)
	}
}

func TestInterruptKeepsWhatWasMeasured(t *testing.T) {
	b := new(book)
	ctx, cancel := context.WithCancel(t.Context())
	d := quiet(planOf(t, twoSections, plan.Facts{}), b, clean)
	b.onBegin = func(done int) {
		if done == 3 {
			cancel()
		}
	}
	d.Measure = func(ctx context.Context, c *contract.Cell) (*results.Repetition, error) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return clean(c)
	}
	s, err := d.Run(ctx)
	if err != nil || !s.Interrupted {
		t.Fatalf("%+v %v", s, err)
	}
	if len(b.reps) != 3 || len(s.Broken) != 0 {
		t.Errorf("%d repetitions kept, want the 3 that were through; broken %v", len(b.reps), s.Broken)
	}
}

func TestAFullDiskEndsTheRun(t *testing.T) {
	b := &book{full: true}
	_, err := quiet(planOf(t, twoSections, plan.Facts{}), b, clean).Run(t.Context())
	if !errors.Is(err, errSink) {
		t.Errorf("error %v", err)
	}
}

func TestJobs(t *testing.T) {
	for _, c := range []struct {
		story string
		cell  contract.Cell
		path  string
		fails bool
	}{
		{"chat", contract.Cell{Surface: "chat", Body: "52KB", Conc: 1, Requests: 1}, "/v1/chat/completions", false},
		{"embeddings", contract.Cell{Surface: "embeddings", Body: "90B", Conc: 1, Requests: 1}, "/v1/embeddings", false},
		{"an embedding of 52 KB", contract.Cell{Surface: "embeddings", Body: "52KB"}, "", true},
		{"a body that is not there", contract.Cell{Surface: "chat", Body: "x.json"}, "", true},
		{"no load", contract.Cell{Surface: "boot"}, "", true},
	} {
		t.Run(c.story, func(t *testing.T) {
			j, err := job(&c.cell, "")
			if c.fails {
				if err == nil {
					t.Error("no error")
				}
				return
			}
			j.Target = "http://127.0.0.1:1"
			if err == nil {
				err = j.Validate()
			}
			if err != nil || j.Path != c.path {
				t.Errorf("path %q, error %v", j.Path, err)
			}
		})
	}
	if n := len(embeddingBody); n != 90 {
		t.Errorf("the embeddings request is %d bytes, its cells say 90B", n)
	}
}

func TestOrderOfCells(t *testing.T) {
	b := new(book)
	if _, err := quiet(planOf(t, twoSections, plan.Facts{}), b, clean).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var written []string
	for _, r := range b.reps {
		written = append(written, r.Cell.Key())
	}
	if !slices.Equal(b.begun, written) {
		t.Errorf("ran   %v\nwrote %v", b.begun, written)
	}
}
