package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"

	"github.com/tollgate-lab/tollgate/results"
)

// Template is the first BENCHMARKS.md: every region, and the prose around
// them, which is the readers' to change afterwards.
//
//go:embed template.md
var template []byte

// Render fills the generated regions of existing (the template when it is
// empty) from the published runs. Prose outside the regions stays as it is.
func Render(existing []byte, in Input) ([]byte, error) {
	if err := in.Published.Validate(in.Runs); err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	if len(bytes.TrimSpace(existing)) == 0 {
		existing = template
	}
	generated, unfed, err := generate(newData(in))
	if err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	out, err := fill(existing, generated, unfed)
	if err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	return out, nil
}

// generate makes the content of every region. unfed is the sections that no
// run feeds: they need no region.
func generate(in *data) (out map[string][]byte, unfed map[string]bool, err error) {
	out, unfed = make(map[string][]byte), make(map[string]bool)
	put := func(name string, make func() (*text, error)) error {
		t, err := make()
		if err != nil {
			return fmt.Errorf("region %s: %w", name, err)
		}
		var b bytes.Buffer
		if err := t.markdown(&b); err != nil {
			return fmt.Errorf("region %s: %w", name, err)
		}
		out[name] = b.Bytes()
		return nil
	}
	for _, whole := range []struct {
		name string
		text func(*data) (*text, error)
	}{
		{"heading", headingText}, {"key-results", keyText}, {"findings", findingsText}, {"skipped", skippedCells},
	} {
		if err := put(whole.name, func() (*text, error) { return whole.text(in) }); err != nil {
			return nil, nil, err
		}
	}
	for _, s := range sections {
		if _, fed := in.view(s.name); !fed {
			unfed[s.name] = true
			out[s.name] = []byte("No published run holds this section.")
		}
	}
	for _, v := range in.views() {
		err := put(v.name, func() (*text, error) {
			_, t, err := sectionText(v)
			if err == nil {
				t.plots(v)
			}
			return t, err
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return out, unfed, nil
}

// skippedCells lists every cell that did not run, with the reason.
func skippedCells(in *data) (*text, error) {
	var all counted
	for _, v := range in.views() {
		by := varying(cellsOf(v.load, v.without))
		absent := v.absent()
		for _, s := range v.load {
			if s.Skipped != nil {
				all.add(v.name + ": " + skippedText(skippedName(cellName(&s.Cell, by), s, absent), s.Skipped, len(s.Reps)))
			}
		}
		for _, s := range v.without {
			if s.Skipped != nil {
				all.add(v.name + ": " + skippedText(cellName(&s.Cell, by), s.Skipped, len(s.Records)))
			}
		}
	}
	t := new(text)
	if len(all.order) == 0 {
		t.say("The published runs skipped no cell.")
	}
	t.list(all.texts(len(all.order)))
	return t, nil
}

// Run writes report.md of one run: its sections, whatever it holds of them.
func Run(w io.Writer, run *results.Run) error {
	in := newData(Single(run))
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Run %s\n\n", run.Header.Name)
	part := func(title string, t *text, err error) error {
		if err != nil {
			return fmt.Errorf("report of run %s: %s: %w", run.Header.Name, title, err)
		}
		if len(t.parts) == 0 {
			return nil
		}
		if title != "" {
			fmt.Fprintf(&b, "## %s\n\n", title)
		}
		return t.markdown(&b)
	}
	heading, err := headingOf(run)
	if err := part("", heading, err); err != nil {
		return err
	}
	reading := new(text)
	reading.say("%s", howToRead)
	if err := part("How to read it", reading, nil); err != nil {
		return err
	}
	for _, v := range in.views() {
		title, t, err := sectionText(v)
		if err := part(title, t, err); err != nil {
			return err
		}
	}
	findings, err := findingsText(in)
	if err := part("Findings", findings, err); err != nil {
		return err
	}
	_, err = w.Write(append(bytes.TrimRight(b.Bytes(), "\n"), '\n'))
	return err
}

// headingOf is the heading of a run even when it holds no section.
func headingOf(run *results.Run) (*text, error) {
	t := new(text)
	t.list(runFacts(run))
	return t, nil
}

const howToRead = "A figure is the median over repetitions, or a percentile of their merged histograms; ± is the distance to the farthest repetition, in percent of the figure. " +
	"A percentile stands with at least 100 samples beyond it, else it reads n/a. " +
	"A change is printed where the ranges of the repetitions lie apart (at least three on each side), else it is within noise. " +
	"A difference is that of the figures in the table, the range in parentheses the least and the most between two repetitions. " +
	"The floor is the same load sent straight to the mock; the toll is what one request took longer between client and mock, joined by request id."

// Terminal prints the run's tables at the end of a run: fewer columns, the
// same figures.
func Terminal(w io.Writer, run *results.Run) error {
	in := newData(Single(run))
	for _, v := range in.views() {
		title, t, err := sectionText(v)
		if err != nil {
			return fmt.Errorf("tables of run %s: %s: %w", run.Header.Name, v.name, err)
		}
		if len(t.parts) == 0 {
			continue
		}
		fmt.Fprintf(w, "== %s (%s)\n\n", title, v.name)
		if err := t.terminal(w); err != nil {
			return fmt.Errorf("tables of run %s: %s: %w", run.Header.Name, v.name, err)
		}
	}
	findings, err := findingsText(in)
	if err != nil {
		return fmt.Errorf("findings of run %s: %w", run.Header.Name, err)
	}
	if len(findings.parts) > 0 {
		fmt.Fprintf(w, "== Findings\n\n")
	}
	return findings.terminal(w)
}
