package drive

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate-lab/tollgate/matrix/internal/plan"
	"github.com/tollgate-lab/tollgate/results/contract"
)

const profiledSpec = `name: t
repetitions: 2
defaults: { shape: external, body: 90B, requests: 1 }
sections:
  - name: one
    cells:
      - { engine: [conn, epoll] }
      - { target: [nginx, haproxy] }
      - { workers: 2 }
      - { shape: inprocess }
      - { shape: direct }
      - { surface: boot }
      - { engine: nethttp, conc: 2, body: data }
`

func profiledPlan(t *testing.T) *plan.Plan {
	t.Helper()
	return planOf(t, profiledSpec, plan.Facts{Bodies: []string{"a b.json"}})
}

// TestOnlyGatewaysOfOneProcessAreProfiled: nobody else has a control listener
// that serves what the load goes through.
func TestOnlyGatewaysOfOneProcessAreProfiled(t *testing.T) {
	var got []string
	for _, c := range Profiled(profiledPlan(t)) {
		got = append(got, c.Engine)
		if c.Target != "gateway" || c.Workers != 1 || c.Shape != contract.External || c.Surface == "boot" {
			t.Errorf("%s is profiled", c.Key())
		}
	}
	slices.Sort(got)
	if d := cmp.Diff([]string{"conn", "epoll", "nethttp"}, got); d != "" {
		t.Error(d)
	}
}

func TestProfilesComeAfterTheLastBlock(t *testing.T) {
	b := new(book)
	d := quiet(profiledPlan(t), b, clean)
	d.ProfileDir = filepath.Join(t.TempDir(), "profiles")
	d.Plan.Blocks[0] = loads(d.Plan.Blocks[0])
	d.Plan.Blocks[1] = loads(d.Plan.Blocks[1])
	written := -1
	d.Profile = func(_ context.Context, c *contract.Cell) ([]byte, error) {
		if written < 0 {
			written = len(b.reps)
		}
		if c.Engine == "epoll" {
			return nil, errors.New("no answer")
		}
		return []byte(c.Engine), nil
	}
	s, err := d.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(b.reps) != written || written == 0 {
		t.Errorf("%d repetitions written at the first profile, %d at the end: profiled ones are no results", written, len(b.reps))
	}
	if len(s.Profiles) != 2 || len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "no answer") {
		t.Errorf("profiles %q, warnings %q", s.Profiles, s.Warnings)
	}
	for _, file := range s.Profiles {
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(file, "engine="+string(text)) {
			t.Errorf("%s holds the profile of %q: %v", file, text, err)
		}
		if strings.ContainsAny(filepath.Base(file), "/ |") {
			t.Errorf("%q is no name for a file", filepath.Base(file))
		}
	}
}

// loads is the items that run under load.
func loads(items []plan.Item) []plan.Item {
	return slices.DeleteFunc(slices.Clone(items), func(it plan.Item) bool {
		return it.Cell.Surface == "boot" || it.Cell.Shape == contract.Direct
	})
}

func TestAnInterruptedRunTakesNoProfile(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d := quiet(planOf(t, "name: t\nrepetitions: 1\ndefaults: {shape: external, body: 90B, requests: 1}\nsections: [{name: one}]\n", plan.Facts{}), new(book), clean)
	d.ProfileDir = t.TempDir()
	d.Profile = func(ctx context.Context, _ *contract.Cell) ([]byte, error) {
		cancel()
		return nil, ctx.Err()
	}
	s, err := d.Run(ctx)
	if err != nil || !s.Interrupted || len(s.Profiles) != 0 {
		t.Errorf("%+v %v", s, err)
	}
}
