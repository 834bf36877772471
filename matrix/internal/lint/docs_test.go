package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// TestDocs: the page has each rule with an example on which it fires, and no
// rule that does not exist.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "lint.md"))
	if err != nil {
		t.Fatal(err)
	}
	section := regexp.MustCompile("(?ms)^## ([a-z0-9-]+)\n(.*?)(?:\\z|^## )")
	example := regexp.MustCompile("(?s)```markdown\n(.*?)```")
	documented := map[string]string{}
	for at := 0; ; {
		m := section.FindSubmatchIndex(text[at:])
		if m == nil {
			break
		}
		documented[string(text[at+m[2]:at+m[3]])] = string(text[at+m[4] : at+m[5]])
		at += m[5]
	}
	for _, r := range Rules() {
		body, ok := documented[r.Name]
		if !ok {
			t.Errorf("docs/lint.md has no section %s", r.Name)
			continue
		}
		delete(documented, r.Name)
		m := example.FindStringSubmatch(body)
		if m == nil {
			t.Errorf("%s: no example", r.Name)
			continue
		}
		list := Check(Parse("example.md", m[1]))
		if !slices.ContainsFunc(list, func(f Finding) bool { return f.Rule == r.Name }) {
			t.Errorf("%s: its example does not make it fire; found is %+v", r.Name, list)
		}
	}
	for name := range documented {
		t.Errorf("docs/lint.md has a section %s, which is no rule", name)
	}
}
