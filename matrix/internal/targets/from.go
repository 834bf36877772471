package targets

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// From says where a run of the matrix holds a target's figure.
type From struct {
	Section string `yaml:"section"`
	// Cell is parts of the cell's key that must be there, name → value; an empty
	// value: the part must be absent.
	Cell map[string]string `yaml:"cell"`
	// Beside is the same for the other side of a ratio. Ratios are taken within
	// a block.
	Beside map[string]string `yaml:"beside"`
	// Figure is the path of a number in a record of the run, names joined by dots.
	// Behind a colon: p50 and the like for a histogram, per_request to divide by
	// the requests sent.
	Figure string `yaml:"figure"`
}

// A figure is a From's, taken apart.
type figure struct {
	path       []string
	percentile float64 // 0: the number itself
	perRequest bool
}

func (f *From) figure() (fig figure, err error) {
	path, how, _ := strings.Cut(f.Figure, ":")
	fig.path = strings.Split(path, ".")
	for _, name := range fig.path {
		if name == "" {
			return fig, fmt.Errorf("from.figure %q: want names joined by dots", f.Figure)
		}
	}
	switch p, isP := strings.CutPrefix(how, "p"); {
	case how == "":
	case how == "per_request":
		fig.perRequest = true
	case isP:
		if fig.percentile, err = strconv.ParseFloat(p, 64); err == nil && fig.percentile > 0 && fig.percentile < 100 {
			break
		}
		fallthrough
	default:
		return fig, fmt.Errorf("from.figure %q: behind the colon want p50 and the like, or per_request", f.Figure)
	}
	return fig, nil
}

// scales is how many of a figure's own unit make up one of a bound's.
var scales = map[string]map[string]float64{
	"ns":    {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9},
	"bytes": {"bytes": 1, "KB": 1e3, "MB": 1e6, "MiB": 1 << 20},
}

// unit is what the figure is in; "" for a bare number.
func (f *figure) unit() string {
	last := f.path[len(f.path)-1]
	switch {
	case f.percentile > 0 || strings.HasSuffix(last, "_ns"):
		return "ns"
	case strings.HasSuffix(last, "_bytes"):
		return "bytes"
	}
	return ""
}

func (f *From) validate(b *Bound) error {
	if f.Section == "" || f.Figure == "" {
		return errors.New("from: want section and figure")
	}
	fig, err := f.figure()
	if err != nil {
		return err
	}
	if (b.Ratio != nil) != (f.Beside != nil) {
		return errors.New("from.beside: for a ratio, and for nothing else")
	}
	if a := b.Absolute; a != nil && scales[fig.unit()][a.Unit] == 0 {
		return fmt.Errorf("from.figure %q is in %q, which is no %q", f.Figure, fig.unit(), a.Unit)
	}
	if b.Count != nil && fig.unit() != "" {
		return fmt.Errorf("from.figure %q is in %s, and a count has no unit", f.Figure, fig.unit())
	}
	return nil
}

// matches reports whether a cell is what parts ask for.
func matches(c *contract.Cell, parts map[string]string) bool {
	_, key, _ := strings.Cut(c.Key(), "/")
	have := make(map[string]string)
	for part := range strings.SplitSeq(key, "/") {
		name, value, ok := strings.Cut(part, "=")
		if ok {
			have[name] = value
		}
	}
	for name, want := range parts {
		if have[name] != want {
			return false
		}
	}
	return true
}
