package spec

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

var nameRE = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// validate reports every fault at once, so that a file is mended in one go.
func (s *Spec) validate() error {
	var faults []error
	bad := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if !nameRE.MatchString(s.Name) {
		bad("name %q: want lower-case letters, digits and dashes", s.Name)
	}
	if s.Repetitions < 1 || s.Repetitions > 1000 {
		bad("repetitions %d: want 1 to 1000", s.Repetitions)
	}
	if s.Budget < 0 || s.Budget > 48*time.Hour {
		bad("budget %v: want 0 to 48h", s.Budget)
	}
	if s.CanaryLimit < 1 {
		bad("canary_limit %g: want at least 1", s.CanaryLimit)
	}
	if len(s.Sections) == 0 {
		bad("no sections")
	}
	seen := make(map[string]bool)
	for i := range s.Sections {
		sec := &s.Sections[i]
		if !nameRE.MatchString(sec.Name) {
			bad("section %d: name %q: want lower-case letters, digits and dashes", i+1, sec.Name)
		}
		if seen[sec.Name] {
			bad("section %q: name is used twice", sec.Name)
		}
		seen[sec.Name] = true
		if sec.Floor != "" && sec.Floor != "auto" && sec.Floor != "none" {
			bad("section %q: floor %q: want auto or none", sec.Name, sec.Floor)
		}
		for j, a := range s.Products(sec) {
			for _, err := range a.faults() {
				bad("section %q, cells %d: %w", sec.Name, j+1, err)
			}
		}
	}
	return errors.Join(faults...)
}

// faults checks axes that are complete.
func (a *Axes) faults() (faults []error) {
	bad := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	oneOf := func(axis string, vs []string, allowed ...string) {
		for _, v := range vs {
			if !slices.Contains(allowed, v) {
				bad("%s %q: want one of %s", axis, v, strings.Join(allowed, ", "))
			}
		}
	}
	need := func(axis string, n int) {
		if n == 0 {
			bad("%s is not set", axis)
		}
	}
	need("shape", len(a.Shape))
	need("body", len(a.Body))
	oneOf("shape", a.Shape, string(contract.InProcess), string(contract.Direct), string(contract.External))
	oneOf("target", a.Target, Targets()...)
	oneOf("engine", a.Engine, "conn", "epoll", "nethttp")
	oneOf("profile", a.Profile, string(contract.Bare), string(contract.Auth), string(contract.Governed))
	oneOf("surface", a.Surface, "chat", "embeddings", "boot", "waterfall")
	oneOf("arrivals", a.Arrivals, "constant", "poisson")
	oneOf("log", a.Log, Logs()...)
	oneOf("client", a.Client, "lean", "vegeta")
	oneOf("kill", a.Kill, "", "worker")
	between := func(axis string, vs []int, lo, hi int) {
		for _, v := range vs {
			if v < lo || v > hi {
				bad("%s %d: want %d to %d", axis, v, lo, hi)
			}
		}
	}
	between("stream_every", a.StreamEvery, 0, 1_000_000)
	between("frames", a.Frames, 1, 100_000)
	between("conc", a.Conc, 1, 10_000)
	between("workers", a.Workers, 1, 128)
	for _, r := range a.RatePerS {
		if r < 0 || r > 1e6 {
			bad("rate_per_s %g: want 0 to 1e6", r)
		}
	}
	if a.Requests == nil || *a.Requests < 1 || *a.Requests > 100_000_000 {
		bad("requests: want 1 to 1e8 measured requests per repetition")
	}
	if a.Warmup != nil && (*a.Warmup < 0 || *a.Warmup > 100_000_000) {
		bad("warmup: want 0 to 1e8")
	}
	return faults
}

// Targets is the values of the target axis.
func Targets() []string {
	return []string{results.TargetGateway, results.TargetFloor, results.TargetNginx, results.TargetHaproxy}
}

// Logs is the values of the log axis.
func Logs() []string {
	return []string{
		"off", "memory/async",
		"sqlite/sync", "sqlite/group", "sqlite/async",
		"postgres/sync", "postgres/group", "postgres/async",
	}
}
