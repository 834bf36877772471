package targets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../../.."

func TestCommittedTargets(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "matrix", "targets.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := Parse("targets.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range f.Targets {
		script, _, _ := strings.Cut(target.Script, " ")
		st, err := os.Stat(filepath.Join(root, filepath.FromSlash(script)))
		if err != nil {
			t.Errorf("%s: %v", target.ID, err)
		} else if st.Mode()&0o111 == 0 {
			t.Errorf("%s: %s cannot be executed", target.ID, script)
		}
		if got, ok := f.Find(target.ID); !ok || got.ID != target.ID {
			t.Errorf("%s is not found by its id", target.ID)
		}
	}
	if _, ok := f.Find("no such"); ok {
		t.Error("found a target that is not there")
	}
}

func TestFaults(t *testing.T) {
	const good = "id: a-b\nmetric: m\nwhy: w\nscript: s\n"
	for _, c := range []struct{ story, entry, want string }{
		{"no bound", good, "exactly one of"},
		{"two bounds", good + "bound: {count: {at_most: 1}, ratio: {ours: a, theirs: b, at_most: 1}}", "exactly one of"},
		{"ratio without sides", good + "bound: {ratio: {at_most: 1}}", "bound.ratio"},
		{"absolute without machine", good + "bound: {absolute: {at_most: 1, unit: ms}}", "reference"},
		{"absolute without unit", good + "reference: r\nbound: {absolute: {at_most: 1}}", "bound.absolute"},
		{"negative count", good + "bound: {count: {at_most: -1}}", "bound.count"},
		{"bad id", strings.Replace(good, "a-b", "A b", 1) + "bound: {count: {at_most: 1}}", "id:"},
		{"no reason", strings.Replace(good, "why: w", "why: ''", 1) + "bound: {count: {at_most: 1}}", "why is empty"},
		{"unknown key", good + "bond: {}", "bond"},
	} {
		t.Run(c.story, func(t *testing.T) {
			text := "targets:\n  - " + strings.ReplaceAll(c.entry, "\n", "\n    ") + "\n"
			_, err := Parse("t.yaml", []byte(text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one about %q", err, c.want)
			}
		})
	}
	if _, err := Parse("t.yaml", []byte("targets: []\n")); err == nil {
		t.Error("a file without targets passes")
	}
	one := "  - {id: a, metric: m, why: w, script: s, bound: {count: {at_most: 1}}}\n"
	if _, err := Parse("t.yaml", []byte("targets:\n"+one+one)); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("error %v, want one about the id standing twice", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("targets:\n  - {id: a, metric: m, why: w, script: s, bound: {count: {at_most: 1}}}\n"))
	f.Add([]byte("targets:\n  - {id: a, metric: m, why: w, script: s, bound: {ratio: {ours: a, theirs: b, at_most: 1}}, from: {section: s, cell: {conc: 50}, beside: {target: nginx}, figure: 'a.b_ns:per_request'}}\n"))
	f.Add([]byte("targets: 7"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, err := Parse("t.yaml", b); err == nil && len(got.Targets) == 0 {
			t.Error("an empty file passes")
		}
	})
}
