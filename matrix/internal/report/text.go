package report

import (
	"fmt"
	"io"
	"strings"
)

// text is what a section says, before it is known where: in Markdown or on a
// terminal.
type text struct{ parts []part }

type part struct {
	paragraph string
	items     []string
	table     *table
	heading   string // of a part of a section
	image     string // path, shown in Markdown only
	minor     bool   // left out on a terminal
}

func (t *text) say(format string, args ...any) {
	t.parts = append(t.parts, part{paragraph: fmt.Sprintf(format, args...)})
}

func (t *text) list(items []string) {
	if len(items) > 0 {
		t.parts = append(t.parts, part{items: items})
	}
}

func (t *text) minorList(items []string) {
	if len(items) > 0 {
		t.parts = append(t.parts, part{items: items, minor: true})
	}
}

func (t *text) show(heading string, tb *table) {
	if len(tb.rows) > 0 {
		t.parts = append(t.parts, part{heading: heading, table: tb})
	}
}

func (t *text) markdown(w io.Writer) error {
	for _, p := range t.parts {
		switch {
		case p.table != nil:
			if p.heading != "" {
				fmt.Fprintf(w, "**%s**\n\n", p.heading)
			}
			if err := p.table.markdown(w); err != nil {
				return err
			}
			fmt.Fprintln(w)
		case p.items != nil:
			for _, item := range p.items {
				fmt.Fprintf(w, "- %s\n", oneLine(item))
			}
			fmt.Fprintln(w)
		case p.image != "":
			fmt.Fprintf(w, "![%s](%s)\n\n", p.paragraph, p.image)
		default:
			fmt.Fprintf(w, "%s\n\n", p.paragraph)
		}
	}
	return nil
}

func (t *text) terminal(w io.Writer) error {
	for _, p := range t.parts {
		switch {
		case p.minor || p.image != "":
		case p.table != nil:
			if p.heading != "" {
				fmt.Fprintf(w, "%s\n", p.heading)
			}
			if err := p.table.terminal(w); err != nil {
				return err
			}
			fmt.Fprintln(w)
		case p.items != nil:
			for _, item := range p.items {
				fmt.Fprintf(w, "- %s\n", unmark(item))
			}
			fmt.Fprintln(w)
		default:
			fmt.Fprintf(w, "%s\n\n", unmark(p.paragraph))
		}
	}
	return nil
}

// unmark drops the two marks of Markdown that texts here use.
func unmark(s string) string {
	return strings.NewReplacer("`", "", "**", "").Replace(oneLine(s))
}
