package report

import (
	"fmt"

	"github.com/tollgate-lab/tollgate/results"
)

// maxNotes is how many warnings of one kind a section lists before it says
// how many more there are.
const maxNotes = 6

// notes are what has to be known to read the section's tables: failed sums,
// failures in words, warnings, repeated attempts, skipped cells.
func (v *view) notes() []string {
	by := varying(cellsOf(v.load, v.without))
	var failed, errors, warnings, skipped counted
	superseded := 0
	absent := v.absent()
	for _, s := range v.load {
		name := cellName(&s.Cell, by)
		if s.Skipped != nil {
			skipped.add(skippedText(skippedName(name, s, absent), s.Skipped, len(s.Reps)))
		}
		superseded += s.Superseded
		for _, r := range s.Reps {
			for _, c := range r.Audit.Failed() {
				text := fmt.Sprintf("Audit failed in %s, repetition %d.%d: %s: want %s, got %s", name, r.Block, r.Rep, c.Name, integer(c.Want), integer(c.Got))
				if c.Detail != "" {
					text += " (" + c.Detail + ")"
				}
				failed.add(text)
			}
			for _, e := range r.Errors {
				errors.add("Failure in " + name + ": " + e)
			}
			for _, w := range r.Warnings {
				warnings.add("Warning in " + name + ": " + w)
			}
		}
	}
	for _, s := range v.without {
		name := cellName(&s.Cell, by)
		if s.Skipped != nil {
			skipped.add(skippedText(name, s.Skipped, len(s.Records)))
		}
		for _, r := range s.Records {
			for _, w := range r.Warnings {
				warnings.add("Warning in " + name + ": " + w)
			}
			if r.Direct != nil && r.Direct.Failures > 0 {
				errors.add(fmt.Sprintf("Failure in %s: %s of the direct calls failed: %s", name, integer(r.Direct.Failures), r.Direct.FirstFailure))
			}
		}
	}
	// Failed sums and skipped cells are all listed: leaving one out would hide it.
	out := failed.texts(len(failed.order))
	out = append(out, errors.texts(maxNotes)...)
	out = append(out, warnings.texts(maxNotes)...)
	if superseded > 0 {
		out = append(out, fmt.Sprintf("%s on a noisy host run again; the run's file keeps all of them", plural(superseded, "attempt")))
	}
	return append(out, skipped.texts(len(skipped.order))...)
}

// absent is the targets that are not there at all, each with the reason that
// all of its cells have: naming every cell would say one thing many times.
func (v *view) absent() map[string]results.Skipped {
	out := make(map[string]results.Skipped)
	ran := make(map[string]bool)
	for _, s := range v.load {
		t := s.Cell.Target
		reason, seen := out[t]
		switch {
		case t == results.TargetGateway || isFloor(&s.Cell):
		case s.Skipped == nil || len(s.Reps) > 0 || seen && reason != *s.Skipped:
			ran[t] = true
		default:
			out[t] = *s.Skipped
		}
	}
	for t := range ran {
		delete(out, t)
	}
	return out
}

// skippedName is a cell's name, or that of a target none of whose cells ran.
func skippedName(name string, s *results.Series, absent map[string]results.Skipped) string {
	if _, all := absent[s.Cell.Target]; all {
		return s.Cell.Target + ", every cell"
	}
	return name
}

// skippedText says why a cell did not run, or, where ran repetitions of it
// did, why another did not.
func skippedText(name string, s *results.Skipped, ran int) string {
	text := "Skipped: "
	if ran > 0 {
		text = fmt.Sprintf("Skipped in part, %s ran: ", plural(ran, "repetition"))
	}
	text += name + ": " + s.Reason
	if s.Install != "" {
		text += ". To run it: `" + s.Install + "`"
	}
	return text
}

// counted is texts in order of first appearance, with how often each came.
type counted struct {
	order []string
	times map[string]int
}

func (c *counted) add(s string) {
	if c.times == nil {
		c.times = make(map[string]int)
	}
	if c.times[s] == 0 {
		c.order = append(c.order, s)
	}
	c.times[s]++
}

func (c *counted) texts(limit int) []string {
	var out []string
	for i, s := range c.order {
		if i == limit {
			out = append(out, fmt.Sprintf("%d more of this kind are in the run's file", len(c.order)-limit))
			break
		}
		if n := c.times[s]; n > 1 {
			s = fmt.Sprintf("%s (%d times)", s, n)
		}
		out = append(out, s)
	}
	return out
}
