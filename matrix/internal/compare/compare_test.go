package compare

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/matrix/internal/targets"
	"github.com/tollgate-lab/tollgate/results/contract"
)

func target(atMost ...float64) func(int) []*targets.Target {
	return func(int) []*targets.Target {
		var out []*targets.Target
		for i, m := range atMost {
			out = append(out, &targets.Target{ID: "t" + strings.Repeat("-near", i), Bound: targets.Bound{Ratio: &targets.Ratio{Ours: "a", Theirs: "b", AtMost: m}}})
		}
		return out
	}
}

func TestRatiosAreTakenWithinABlock(t *testing.T) {
	// The host is twice as slow in block 1: each block's ratio is 1.2 all the same.
	samples := []Sample{
		{Block: 0, Conc: 50, Side: "a", CPUUs: 12},
		{Block: 0, Conc: 50, Side: "b", CPUUs: 10},
		{Block: 1, Conc: 50, Side: "b", CPUUs: 20},
		{Block: 1, Conc: 50, Side: "a", CPUUs: 24},
		{Block: 2, Conc: 50, Side: "a", CPUUs: 12},
		{Block: 2, Conc: 50, Side: "b", CPUUs: 10},
		{Block: 0, Conc: 256, Side: "a", CPUUs: 99},
		{Block: 0, Conc: 256, Side: "b", CPUUs: 1},
	}
	for _, c := range []struct {
		story  string
		atMost float64
		met    bool
	}{{"under the bound", 1.25, true}, {"over it", 1.1, false}} {
		t.Run(c.story, func(t *testing.T) {
			r := rows(samples, []int{50}, "a", "b", target(c.atMost))[0]
			if r.Ratio.N != 3 || r.Ratio.Min < 1.199 || r.Ratio.Max > 1.201 || r.Met != c.met || r.Target != "t" {
				t.Errorf("%+v", r)
			}
		})
	}
	none := func(int) []*targets.Target { return nil }
	if r := rows(samples, []int{256}, "a", "b", none)[0]; !r.Met || r.AtMost != 0 {
		t.Errorf("a row without target: %+v", r)
	}
	if r := rows(samples[:1], []int{50}, "a", "b", target(2))[0]; r.Met {
		t.Error("a target is met without a measurement of both sides")
	}
}

func TestOrderSwapsFromBlockToBlock(t *testing.T) {
	var order []string
	s := func(name string) side {
		return side{name, func(context.Context, int) (Sample, error) {
			order = append(order, name)
			return Sample{CPUUs: 1}, nil
		}}
	}
	o := Options{Blocks: 3, Conc: []int{1}}
	got, err := blocks(t.Context(), &o, s("a"), s("b"), func(string, ...any) {})
	if err != nil || len(got) != 6 || strings.Join(order, "") != "abbaab" {
		t.Errorf("%q, %d samples, %v", order, len(got), err)
	}
	bad := side{"bad", func(context.Context, int) (Sample, error) { return Sample{}, errors.New("ended") }}
	if _, err := blocks(t.Context(), &o, bad, s("b"), func(string, ...any) {}); err == nil || !strings.Contains(err.Error(), "block 1, bad, 1 connections: ended") {
		t.Errorf("error %v", err)
	}
}

func TestOptions(t *testing.T) {
	good := Options{Blocks: 5, Duration: time.Second, Conc: []int{1}, Workers: 1}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Options){
		"blocks 4":       func(o *Options) { o.Blocks = 4 },
		"duration":       func(o *Options) { o.Duration = 0 },
		"no concurrency": func(o *Options) { o.Conc = nil },
		"concurrency 0":  func(o *Options) { o.Conc = []int{0} },
		"workers 0":      func(o *Options) { o.Workers = 0 },
	} {
		o := good
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %q", err, want)
		}
	}
}

const wrkText = `Running 3s test @ http://127.0.0.1:9090/v1/chat/completions
  1 threads and 50 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   654.21us  300.00us   9.00ms   90.00%
  226021 requests in 3.00s, 100.00MB read
Requests/sec:  75340.33
Transfer/sec:     33.33MB
`

func TestParseWrk(t *testing.T) {
	x, err := parseWrk(wrkText)
	if err != nil || x.Requests != 226021 || x.RequestsPerS != 75340.33 {
		t.Errorf("%+v %v", x, err)
	}
	for story, text := range map[string]string{
		"nothing":         "",
		"socket errors":   wrkText + "  Socket errors: connect 0, read 3, write 0, timeout 0\n",
		"refused answers": wrkText + "  Non-2xx or 3xx responses: 12\n",
		"no answer":       strings.Replace(wrkText, "226021", "0", 1),
	} {
		if _, err := parseWrk(text); err == nil {
			t.Errorf("%s: no error", story)
		}
	}
}

func FuzzParseWrk(f *testing.F) {
	f.Add(wrkText)
	f.Fuzz(func(t *testing.T, s string) {
		if x, err := parseWrk(s); err == nil && x.Requests <= 0 {
			t.Errorf("%d requests from %q", x.Requests, s)
		}
	})
}

func TestMarkdown(t *testing.T) {
	r := &Report{Ours: "ours", Theirs: "theirs", Conditions: []string{"one condition"}}
	r.Rows = rows([]Sample{{Conc: 50, Side: "a", CPUUs: 12}, {Conc: 50, Side: "b", CPUUs: 10}}, []int{50}, "a", "b", target(1.1))
	var b bytes.Buffer
	if err := r.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ours against theirs", "- one condition", "| 50 | 12.0 | 10.0 | 1.20 (1.20 to 1.20, 1 blocks) | t ≤ 1.1 | **missed** |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	if r.Met() {
		t.Error("a missed target counts as met")
	}
	r.Rows = rows([]Sample{{Conc: 50, Side: "a", CPUUs: 12}, {Conc: 50, Side: "b", CPUUs: 10}}, []int{50}, "a", "b", target(1.5, 1.1))
	b.Reset()
	if err := r.Markdown(&b); err != nil || !strings.Contains(b.String(), "| t ≤ 1.5; t-near ≤ 1.1 | met; **missed** |") || r.Met() {
		t.Errorf("two targets of one figure: %v\n%s", err, b.String())
	}
	if err := r.Save(filepath.Join(t.TempDir(), "new", "x.json")); err != nil {
		t.Error(err)
	}
}

// TestEveryTargetOfNginxCanBeMeasured: each id in targets.yaml is what its own
// command looks up.
func TestEveryTargetOfNginxCanBeMeasured(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "targets.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := targets.Parse("targets.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	ids := make(map[string]bool)
	for _, e := range []string{"conn", "epoll", "nethttp"} {
		for _, p := range []contract.Profile{contract.Bare, contract.Auth, contract.Governed} {
			for _, l := range Loads() {
				o := Options{Blocks: 5, Duration: time.Second, Conc: []int{1}, Workers: 1, Engine: e, Profile: p, Load: l.Name}
				if err := o.Validate(); err != nil {
					t.Error(err)
				}
				for _, c := range []int{50, 256} {
					ids[TargetID(&o, c)] = true
				}
			}
		}
	}
	looked := make(map[string]bool)
	for id := range ids {
		for _, target := range f.Family(id) {
			looked[target.ID] = true
		}
	}
	for _, target := range f.Targets {
		if strings.HasPrefix(target.ID, "proxy-cpu-") && !looked[target.ID] {
			t.Errorf("%s: no comparison looks it up", target.ID)
		}
	}
	for _, bad := range []Options{{Engine: "warp"}, {Profile: "best"}, {Load: "heavy"}} {
		bad.Blocks, bad.Duration, bad.Conc, bad.Workers = 5, time.Second, []int{1}, 1
		if bad.Validate() == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}
