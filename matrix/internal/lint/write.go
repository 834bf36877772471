package lint

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Text writes findings for a terminal, one paragraph each.
func Text(w io.Writer, list []Finding) error {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%s: %s%s\n", place(f), f.Rule, hintMark(f))
		for _, line := range [][2]string{{"table", f.Table}, {"row", f.Row}, {"column", f.Column}, {"read", f.Read}, {"why", f.Why}, {"fits", f.Fits}} {
			if line[1] != "" {
				fmt.Fprintf(&b, "  %-6s  %s\n", line[0], line[1])
			}
		}
	}
	fmt.Fprintln(&b, Summary(list))
	_, err := io.WriteString(w, b.String())
	return err
}

// Summary counts findings in words.
func Summary(list []Finding) string {
	n := Contradictions(list)
	text := fmt.Sprintf("%d findings", n)
	if n == 1 {
		text = "1 finding"
	}
	if h := len(list) - n; h == 1 {
		text += ", 1 hint"
	} else if h > 1 {
		text += fmt.Sprintf(", %d hints", h)
	}
	return text
}

func place(f Finding) string {
	if f.Line == 0 {
		return f.File
	}
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

func hintMark(f Finding) string {
	if f.Hint {
		return " (hint)"
	}
	return ""
}

// Markdown writes findings as a table.
func Markdown(w io.Writer, list []Finding) error {
	var b strings.Builder
	b.WriteString("| where | rule | table | row | column | read | why | what would fit |\n|---|---|---|---|---|---|---|---|\n")
	for _, f := range list {
		fmt.Fprintf(&b, "| %s | %s%s | %s | %s | %s | %s | %s | %s |\n", escaped(place(f)), f.Rule, hintMark(f),
			escaped(f.Table), escaped(f.Row), escaped(f.Column), escaped(f.Read), escaped(f.Why), escaped(f.Fits))
	}
	fmt.Fprintf(&b, "\n%s\n", Summary(list))
	_, err := io.WriteString(w, b.String())
	return err
}

func escaped(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "*", `\*`, "<", "&lt;").Replace(s)
}

// JSON writes findings as one object.
func JSON(w io.Writer, list []Finding) error {
	if list == nil {
		list = []Finding{}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(struct {
		Findings []Finding `json:"findings"`
	}{list})
}
