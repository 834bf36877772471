package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate-lab/tollgate/matrix/internal/spec"
	"github.com/tollgate-lab/tollgate/results"
)

const proxySpec = `name: t
repetitions: 1
defaults: { shape: external, body: 90B, requests: 1, conc: 8, %s }
sections:
  - name: engines
    target: [gateway, nginx, haproxy]
    engine: [conn, epoll]
    profile: [auth, governed]
`

func expandText(t *testing.T, text string, facts Facts) (*Plan, error) {
	t.Helper()
	s, err := spec.Parse("t.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return Expand(s, facts, Options{})
}

// TestAProxyIsOneCellForEachLoad: engines and profiles are the gateway's own, so
// a proxy does not run once for each of them.
func TestAProxyIsOneCellForEachLoad(t *testing.T) {
	p, err := expandText(t, fmt.Sprintf(proxySpec, "workers: 1"), Facts{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, it := range p.Blocks[0] {
		got = append(got, strings.TrimPrefix(it.Cell.Key(), "engines/shape=external/"))
	}
	slices.Sort(got)
	want := []string{
		"target=floor/surface=chat/body=90B/stream_every=0/conc=8",
		"target=gateway/engine=conn/profile=auth/surface=chat/body=90B/stream_every=0/conc=8/workers=1/log=off",
		"target=gateway/engine=conn/profile=governed/surface=chat/body=90B/stream_every=0/conc=8/workers=1/log=sqlite/durability=async",
		"target=gateway/engine=epoll/profile=auth/surface=chat/body=90B/stream_every=0/conc=8/workers=1/log=off",
		"target=gateway/engine=epoll/profile=governed/surface=chat/body=90B/stream_every=0/conc=8/workers=1/log=sqlite/durability=async",
		"target=haproxy/surface=chat/body=90B/stream_every=0/conc=8/workers=1",
		"target=nginx/surface=chat/body=90B/stream_every=0/conc=8/workers=1",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestAnAbsentProxyIsListed(t *testing.T) {
	absent := &results.Skipped{Reason: "nginx was not found", Install: "package nginx-light"}
	p, err := expandText(t, fmt.Sprintf(proxySpec, "workers: 1"), Facts{NoProxy: map[string]*results.Skipped{"nginx": absent}})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range p.Blocks[0] {
		if (it.Skip == absent) != (it.Cell.Target == "nginx") || it.Skip != nil && it.Skip != absent {
			t.Errorf("%s: skip %v", it.Cell.Key(), it.Skip)
		}
	}
}

func TestWhatAProxyCannotBe(t *testing.T) {
	for _, axes := range []string{"target: nginx, shape: inprocess", "target: haproxy, shape: direct", "target: nginx, surface: boot", "target: haproxy, kill: worker, workers: 2, log: sqlite/group"} {
		text := "name: t\nrepetitions: 1\ndefaults: { body: 90B, requests: 1 }\nsections:\n  - { name: s, shape: external, " + axes + " }\n"
		if strings.Contains(axes, "shape") {
			text = strings.Replace(text, "shape: external, ", "", 1)
		}
		if _, err := expandText(t, text, Facts{}); err == nil || !strings.Contains(err.Error(), "process of its own") {
			t.Errorf("%s: error %v", axes, err)
		}
	}
}
