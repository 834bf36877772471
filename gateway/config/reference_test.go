package config

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mustReference(t *testing.T) string {
	t.Helper()
	s, err := Reference()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// uncomment turns the reference's examples into config.
func uncomment(reference string) string {
	var b strings.Builder
	for line := range strings.Lines(reference) {
		if strings.HasSuffix(line, ": []\n") && !strings.HasPrefix(line, "#") {
			continue // its example follows
		}
		if !strings.HasPrefix(line, "##") {
			line = strings.TrimPrefix(line, "# ")
		}
		b.WriteString(line)
	}
	return b.String()
}

func TestTheReferenceIsTheDefault(t *testing.T) {
	c, err := Parse("reference", []byte(mustReference(t)))
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Providers, want.Models, want.Keys = []Provider{}, []Model{}, []Key{}
	if d := cmp.Diff(want, c, ignoreSource); d != "" {
		t.Error(d)
	}
}

func TestTheReferencesExamplesAreAValidConfig(t *testing.T) {
	c, err := Parse("reference", []byte(uncomment(mustReference(t))))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	if len(c.Providers) != 1 || len(c.Models) != 1 || len(c.Keys) != 1 {
		t.Errorf("%d providers, %d models, %d keys", len(c.Providers), len(c.Models), len(c.Keys))
	}
}

func TestEveryKeyIsDocumentedAndInTheReference(t *testing.T) {
	docs, err := fieldDocs(typesSource)
	if err != nil {
		t.Fatal(err)
	}
	text := uncomment(mustReference(t))
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		for i := range typ.NumField() {
			f := typ.Field(i)
			key := f.Tag.Get("yaml")
			if key == "" {
				if f.IsExported() {
					t.Errorf("%s.%s has no key", typ.Name(), f.Name)
				}
				continue
			}
			if docs[typ.Name()+"."+f.Name] == "" {
				t.Errorf("%s.%s has no comment", typ.Name(), f.Name)
			}
			if !strings.Contains(text, key+":") {
				t.Errorf("%s is not in the reference", key)
			}
			inner := f.Type
			for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct {
				walk(inner)
			}
		}
	}
	walk(reflect.TypeFor[Config]())
}

// TestOverridesAreDocumented: the comment of each key that a variable overrides
// names the variable.
func TestOverridesAreDocumented(t *testing.T) {
	text := mustReference(t)
	for _, o := range overrides {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), o.name+".") {
			t.Errorf("%s is not in the reference", o.name)
		}
	}
}
