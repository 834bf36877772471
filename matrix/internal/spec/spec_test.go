package spec

import (
	"slices"
	"strings"
	"testing"
	"time"
)

const small = `name: small
title: A small one
repetitions: 2
budget: 90s
defaults: { shape: external, body: 90B, requests: 10 }
sections:
  - name: one
    conc: [1, 2]
  - name: two
    profile: bare
    cells:
      - { conc: 5, stream_every: [0, 1] }
      - { conc: 6, body: [90B, 52KB], requests: 3 }
`

func TestParse(t *testing.T) {
	s, err := Parse("small.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	if s.Budget != 90*time.Second || s.CanaryLimit != 1.5 || s.Repetitions != 2 {
		t.Errorf("%+v", s)
	}
	one, two := s.Products(&s.Sections[0]), s.Products(&s.Sections[1])
	if len(one) != 1 || len(one[0].Conc) != 2 || *one[0].Requests != 10 {
		t.Errorf("section one: %+v", one)
	}
	if len(two) != 2 || two[0].Profile[0] != "bare" || *two[0].Requests != 10 || *two[1].Requests != 3 || len(two[1].Body) != 2 {
		t.Errorf("section two: %+v", two)
	}
}

func TestEmbeddedSpecs(t *testing.T) {
	names := Embedded()
	if !slices.Contains(names, "default") || !slices.Contains(names, "full") || !slices.Contains(names, "quick") || !slices.IsSorted(names) {
		t.Errorf("embedded %q", names)
	}
	for _, name := range names {
		s, err := Load(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if s.Name != name || s.Title == "" {
			t.Errorf("%s: name %q, title %q", name, s.Name, s.Title)
		}
		for _, sec := range s.Sections {
			if sec.Title == "" || sec.Why == "" {
				t.Errorf("%s: section %s lacks a title or a reason", name, sec.Name)
			}
		}
	}
}

func TestRepetitionsAreEnoughForASpread(t *testing.T) {
	for name, least := range map[string]int{"quick": 3, "default": 5, "full": 5, "waterfall": 10} {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if s.Repetitions < least {
			t.Errorf("%s: %d repetitions, want at least %d", name, s.Repetitions, least)
		}
	}
}

func TestFaults(t *testing.T) {
	change := func(from, to string) string {
		if !strings.Contains(small, from) {
			t.Fatalf("the spec holds no %q", from)
		}
		return strings.Replace(small, from, to, 1)
	}
	for _, c := range []struct{ story, text, want string }{
		{"a key mistyped at the top", change("repetitions:", "repetition:"), `small.yaml:3: unknown key "repetition"; did you mean "repetitions"?`},
		{"a key mistyped in a section", change("profile:", "profil:"), `small.yaml:10: unknown key "profil"; did you mean "profile"?`},
		{"a key mistyped in a cell", change("stream_every:", "stream_evry:"), `small.yaml:12: unknown key "stream_evry"; did you mean "stream_every"?`},
		{"a key like none", change("title:", "zzzzzzzz:"), `small.yaml:2: unknown key "zzzzzzzz"; known keys: budget,`},
		{"a word where a number belongs", change("repetitions: 2", "repetitions: two"), "line 3"},
		{"a profile that is none", change("profile: bare", "profile: bear"), `section "two", cells 1: profile "bear": want one of bare, auth, governed`},
		{"no shape", change("shape: external, ", ""), "shape is not set"},
		{"no requests", change(", requests: 10", ""), "requests: want 1 to"},
		{"a section twice", change("name: two", "name: one"), `section "one": name is used twice`},
		{"concurrency of none", change("conc: [1, 2]", "conc: [0]"), "conc 0: want 1 to"},
		{"no repetitions", change("repetitions: 2", "repetitions: 0"), "repetitions 0: want 1"},
		{"a log that is none", change("profile: bare", "log: sqlite"), `log "sqlite": want one of`},
		{"a floor that is none", change("profile: bare", "floor: maybe"), `floor "maybe"`},
		{"an alias", change("conc: [1, 2]", "conc: &a [1, 2]\n    workers: *a"), "aliases are not allowed"},
		{"two documents", small + "---\nname: other\n", "more than one YAML document"},
		{"nothing", "", "empty spec"},
		{"a list", "- 1\n", "cannot unmarshal"},
	} {
		t.Run(c.story, func(t *testing.T) {
			_, err := Parse("small.yaml", []byte(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestLoadNamesWhatThereIs(t *testing.T) {
	_, err := Load("no-such-spec")
	if err == nil || !strings.Contains(err.Error(), strings.Join(Embedded(), ", ")) {
		t.Errorf("error %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("name: x\nsections: [{name: a, cells: [{conc: 1}]}]"))
	f.Add([]byte("{a: &x [*x]}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Parse("f.yaml", b)
		if err == nil && (len(s.Sections) == 0 || s.Repetitions < 1) {
			t.Errorf("a spec without sections or repetitions passes: %q", b)
		}
	})
}
