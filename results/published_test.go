package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func publish(t *testing.T, dir, name string, status string, sections ...string) *Run {
	t.Helper()
	w, err := Create(filepath.Join(dir, RunsDir), header(name))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sections {
		if err := w.Repetition(repetition(t, cell(s, 50), 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(&Final{Status: status}); err != nil {
		t.Fatal(err)
	}
	run, err := ReadFile(w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestPublishedSectionsMoveToTheNewRun(t *testing.T) {
	dir := t.TempDir()
	p, err := LoadPublished(dir)
	if err != nil {
		t.Fatal(err)
	}
	old := publish(t, dir, "old", Complete, "bodies", "workers")
	young := publish(t, dir, "young", Complete, "workers")
	for _, run := range []*Run{old, young} {
		if err := p.Update(run); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Save(dir); err != nil {
		t.Fatal(err)
	}
	back, err := LoadPublished(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := &Published{Version: 1, Sections: map[string]string{"bodies": "old", "workers": "young"}}
	if diff := cmp.Diff(want, back); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	runs, err := back.Load(dir)
	if err != nil || len(runs) != 2 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
	if err := p.Update(publish(t, dir, "cut", Interrupted, "bodies")); err == nil {
		t.Error("an interrupted run was published")
	}
}

func TestValidatePublished(t *testing.T) {
	dir := t.TempDir()
	good := publish(t, dir, "good", Complete, "bodies")
	cut := publish(t, dir, "cut", Interrupted, "workers")
	runs := map[string]*Run{"good": good, "cut": cut, "moved": good}
	for _, test := range []struct {
		story    string
		sections map[string]string
		want     string
	}{
		{"all is well", map[string]string{"bodies": "good"}, ""},
		{"a run that is gone", map[string]string{"bodies": "gone"}, "section bodies: run gone is missing"},
		{"an interrupted run", map[string]string{"workers": "cut"}, "section workers: run cut: the run is interrupted"},
		{"a section that the run lacks", map[string]string{"boot": "good"}, "section boot: run good has no such section"},
		{"a folder that was renamed", map[string]string{"bodies": "moved"}, "the folder moved holds run good"},
	} {
		t.Run(test.story, func(t *testing.T) {
			err := (&Published{Version: 1, Sections: test.sections}).Validate(runs)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestParsePublishedRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "version 0, want 1",
		"version: 2\n":                         "version 2, want 1",
		"version: 1\nsection: {}\n":            "field section not found",
		"version: 1\nsections: {a: ../b}\n":    "no run's name",
		"version: 1\nsections: {a: \"\"}\n":    "no run's name",
		"version: 1\nsections: {a: b, a: c}\n": "already defined",
		"version: 1\nsections: [a]\n":          "cannot unmarshal",
	} {
		if _, err := ParsePublished([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func FuzzParsePublished(f *testing.F) {
	f.Add([]byte("version: 1\nsections:\n  bodies: 20260314T092653Z-host-0123\n"))
	f.Add([]byte("version: 2\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := ParsePublished(text)
		if err != nil {
			return
		}
		dir := t.TempDir()
		if err := p.Save(dir); err != nil {
			t.Fatal(err)
		}
		saved, err := os.ReadFile(filepath.Join(dir, PublishedFile))
		if err != nil {
			t.Fatal(err)
		}
		back, err := ParsePublished(saved)
		if err != nil {
			t.Fatalf("what was parsed and saved does not parse: %v\n%s", err, saved)
		}
		if diff := cmp.Diff(p, back); diff != "" {
			t.Fatalf("(-parsed +saved and parsed):\n%s", diff)
		}
	})
}
