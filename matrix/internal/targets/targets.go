// Package targets reads matrix/targets.yaml: the figures that the project set
// itself, each with the script that measures it.
package targets

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// File is the whole of targets.yaml.
type File struct {
	Targets []Target `yaml:"targets"`
}

// Target is one figure to reach.
type Target struct {
	ID     string `yaml:"id"`     // "proxy-cpu-c50"
	Metric string `yaml:"metric"` // what is measured, in words
	Bound  Bound  `yaml:"bound"`
	// Reference is the machine on which an absolute bound is judged. Ratios
	// and counts hold everywhere.
	Reference string `yaml:"reference"`
	Why       string `yaml:"why"`    // one sentence
	Script    string `yaml:"script"` // the command that measures it, from the module's root
	// From says where a run of the matrix holds the figure. Nil: only the script
	// tells.
	From *From `yaml:"from"`
}

// Bound is the most that is allowed; exactly one is set.
type Bound struct {
	Ratio    *Ratio    `yaml:"ratio"`
	Absolute *Absolute `yaml:"absolute"`
	Count    *Count    `yaml:"count"`
}

// Ratio bounds ours ÷ theirs, measured in one run.
type Ratio struct {
	Ours   string  `yaml:"ours"`
	Theirs string  `yaml:"theirs"`
	AtMost float64 `yaml:"at_most"`
}

// Absolute bounds a figure with a unit, on the reference machine.
type Absolute struct {
	AtMost float64 `yaml:"at_most"`
	Unit   string  `yaml:"unit"`
}

// Count bounds an exact count, such as allocations.
type Count struct {
	AtMost int64 `yaml:"at_most"`
}

var idRE = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Parse reads and checks the file. source names it in errors.
func Parse(source string, text []byte) (*File, error) {
	f := new(File)
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(f); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	var faults []error
	var ids []string
	for i := range f.Targets {
		t := &f.Targets[i]
		if err := t.validate(); err != nil {
			faults = append(faults, fmt.Errorf("%s: target %d (%q): %w", source, i+1, t.ID, err))
		}
		if slices.Contains(ids, t.ID) {
			faults = append(faults, fmt.Errorf("%s: target %q stands twice", source, t.ID))
		}
		ids = append(ids, t.ID)
	}
	if len(f.Targets) == 0 {
		faults = append(faults, fmt.Errorf("%s: no targets", source))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return f, nil
}

func (t *Target) validate() error {
	var faults []error
	bad := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if !idRE.MatchString(t.ID) {
		bad("id: want lower-case words joined by dashes")
	}
	for name, v := range map[string]string{"metric": t.Metric, "why": t.Why, "script": t.Script} {
		if v == "" {
			bad("%s is empty", name)
		}
	}
	n := 0
	if r := t.Bound.Ratio; r != nil {
		n++
		if r.Ours == "" || r.Theirs == "" || r.AtMost <= 0 {
			bad("bound.ratio: want ours, theirs and at_most above 0")
		}
	}
	if a := t.Bound.Absolute; a != nil {
		n++
		if a.AtMost <= 0 || a.Unit == "" {
			bad("bound.absolute: want at_most above 0 and a unit")
		}
		if t.Reference == "" {
			bad("reference: an absolute bound needs the machine that it is judged on")
		}
	}
	if c := t.Bound.Count; c != nil {
		n++
		if c.AtMost < 0 {
			bad("bound.count: want at_most of 0 or more")
		}
	}
	if n != 1 {
		bad("bound: want exactly one of ratio, absolute, count")
	}
	if t.From != nil && n == 1 {
		if err := t.From.validate(&t.Bound); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

// Family is the targets of one figure: the one with this id and those whose ids
// go on from it after a dash, in the file's order.
func (f *File) Family(id string) []*Target {
	var out []*Target
	for i := range f.Targets {
		if t := &f.Targets[i]; t.ID == id || strings.HasPrefix(t.ID, id+"-") {
			out = append(out, t)
		}
	}
	return out
}

// Find is the target with an id.
func (f *File) Find(id string) (*Target, bool) {
	for i := range f.Targets {
		if f.Targets[i].ID == id {
			return &f.Targets[i], true
		}
	}
	return nil, false
}

func (b Bound) String() string {
	switch {
	case b.Ratio != nil:
		return fmt.Sprintf("%s ≤ %g × %s", b.Ratio.Ours, b.Ratio.AtMost, b.Ratio.Theirs)
	case b.Absolute != nil:
		return fmt.Sprintf("≤ %g %s", b.Absolute.AtMost, b.Absolute.Unit)
	case b.Count != nil:
		return fmt.Sprintf("≤ %d", b.Count.AtMost)
	}
	return "no bound"
}
