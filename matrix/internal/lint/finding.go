package lint

import (
	"cmp"
	"slices"
)

// Finding is one figure, or claim, that its surroundings contradict.
type Finding struct {
	Rule string `json:"rule"` // the name of one of Rules
	// Hint marks a likely cause to look at, not a contradiction. Hints leave the
	// exit status alone.
	Hint   bool   `json:"hint,omitempty"`
	File   string `json:"file"`
	Line   int    `json:"line"`             // from 1; 0 is the file as a whole
	Table  string `json:"table,omitempty"`  // its caption, or the heading above it
	Row    string `json:"row,omitempty"`    // the cells that identify it
	Column string `json:"column,omitempty"` // its heading
	Read   string `json:"read"`             // what stands there
	Why    string `json:"why"`              // why it cannot be
	Fits   string `json:"fits"`             // what would be consistent
}

// Contradictions is the number of findings that are no hints.
func Contradictions(list []Finding) (n int) {
	for _, f := range list {
		if !f.Hint {
			n++
		}
	}
	return n
}

// inOrder sorts by place, then rule, and drops exact repetitions.
func inOrder(list []Finding) []Finding {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Column, b.Column),
		)
	})
	return slices.Compact(list)
}
