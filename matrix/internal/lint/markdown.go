package lint

import (
	"strings"
)

// Document is a Markdown file, as far as rules need it.
type Document struct {
	File     string
	Sections []*Section // in file order; the first is what stands before any heading
}

// Section is a heading with what follows up to the next one.
type Section struct {
	Heading string
	Level   int // 0 before any heading
	Parent  *Section
	Prose   []Paragraph
	Tables  []*Table
	said    map[string]any // what once read of the prose, by question
}

// Paragraph is a paragraph or a list item, markup removed.
type Paragraph struct {
	Text string // lines joined by "\n"
	Line int    // of its first line, from 1
}

// Limits on what is parsed: a file beyond them is not a report.
const (
	maxColumns = 200
	maxRows    = 20_000
)

// Parse reads a Markdown file. It never fails: what is no table and no heading
// is prose, and code blocks and comments are nothing.
func Parse(file, text string) *Document {
	p := parser{doc: &Document{File: file}}
	p.section = &Section{}
	p.doc.Sections = append(p.doc.Sections, p.section)
	p.lines = strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for p.at < len(p.lines) {
		p.step()
	}
	p.flush()
	return p.doc
}

type parser struct {
	doc     *Document
	section *Section
	lines   []string
	at      int
	open    []string // lines of the paragraph being read
	from    int      // line of the first of them
	caption string   // last paragraph, if a table may follow at once
}

func (p *parser) step() {
	line := p.lines[p.at]
	trimmed := strings.TrimSpace(line)
	switch {
	case trimmed == "":
		p.flush()
	case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
		p.flush()
		p.skipTo(func(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), trimmed[:3]) })
	case strings.HasPrefix(trimmed, "<!--"):
		p.flush()
		if !strings.Contains(trimmed, "-->") {
			p.skipTo(func(s string) bool { return strings.Contains(s, "-->") })
		}
	case heading(trimmed) > 0:
		p.flush()
		p.begin(heading(trimmed), strings.Trim(trimmed, "# "))
	case p.tableBegins():
		p.flush()
		p.table()
		return // table moved on
	default:
		if item(trimmed) {
			p.flush()
		}
		if len(p.open) == 0 {
			p.from = p.at + 1
		}
		p.open = append(p.open, strings.TrimLeft(trimmed, "> "))
	}
	p.at++
}

// skipTo leaves at on the first later line for which end holds.
func (p *parser) skipTo(end func(string) bool) {
	for p.at++; p.at < len(p.lines) && !end(p.lines[p.at]); p.at++ {
	}
}

func heading(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "#"))
	if n > 0 && n <= 6 && len(s) > n && s[n] == ' ' {
		return n
	}
	return 0
}

func item(s string) bool {
	for _, p := range []string{"- ", "* ", "+ "} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	n := countDigits(s)
	return n > 0 && strings.HasPrefix(s[n:], ". ")
}

func (p *parser) begin(level int, name string) {
	parent := p.section
	for parent != nil && parent.Level >= level {
		parent = parent.Parent
	}
	p.section = &Section{Heading: plain(name), Level: level, Parent: parent}
	p.doc.Sections = append(p.doc.Sections, p.section)
	p.caption = ""
}

func (p *parser) flush() {
	if len(p.open) == 0 {
		return
	}
	text := strings.Join(p.open, "\n")
	p.section.Prose = append(p.section.Prose, Paragraph{Text: plain(text), Line: p.from})
	p.caption = ""
	if len(p.open) == 1 && isCaption(text) {
		p.caption = strings.TrimRight(plain(text), ": ")
	}
	p.open = nil
}

// isCaption reports whether a line alone names the table under it: set in
// bold, or announced by its colon.
func isCaption(s string) bool {
	bold := strings.HasPrefix(s, "**") && strings.HasSuffix(strings.TrimRight(s, ".:"), "**")
	return len(s) < 120 && (bold || strings.HasSuffix(s, ":"))
}

// tableBegins reports whether this line is a table's head: the next one is
// made of dashes and has as many cells.
func (p *parser) tableBegins() bool {
	if !strings.Contains(p.lines[p.at], "|") || p.at+1 >= len(p.lines) {
		return false
	}
	rule := cells(p.lines[p.at+1])
	for _, c := range rule {
		if strings.Trim(c, ":-") != "" || !strings.Contains(c, "-") {
			return false
		}
	}
	return len(rule) > 0 && len(rule) <= maxColumns && len(cells(p.lines[p.at])) == len(rule)
}

func (p *parser) table() {
	head := cells(p.lines[p.at])
	g := grid{head: head, line: p.at + 1}
	for p.at += 2; p.at < len(p.lines) && strings.Contains(p.lines[p.at], "|"); p.at++ {
		if len(g.rows) == maxRows {
			continue
		}
		row := make([]Cell, len(head))
		for i, text := range cells(p.lines[p.at]) {
			if i < len(row) {
				row[i].Text = plain(text)
			}
		}
		for i := range row {
			row[i].Line = p.at + 1
		}
		g.rows = append(g.rows, row)
	}
	for i := range g.head {
		g.head[i] = plain(g.head[i])
	}
	title := p.caption
	if title == "" {
		title = p.section.Heading
	}
	p.caption = ""
	p.section.Tables = append(p.section.Tables, newTable(p.section, title, g))
}

// cells splits a table's line at the bars that are neither escaped nor inside
// code.
func cells(line string) []string {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "|")
	var out []string
	var b strings.Builder
	code, escaped := false, false
	for _, r := range line {
		switch {
		case escaped:
			if r != '|' {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
			escaped = false
			continue
		case r == '\\':
			escaped = true
			continue
		case r == '`':
			code = !code
		case r == '|' && !code:
			out = append(out, strings.TrimSpace(b.String()))
			b.Reset()
			continue
		}
		b.WriteRune(r)
	}
	if escaped {
		b.WriteByte('\\')
	}
	if rest := strings.TrimSpace(b.String()); rest != "" {
		out = append(out, rest)
	}
	return out
}

// plain removes markup: emphasis, code marks, links, images, marks of
// agreement.
func plain(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '`', c == '*' && marks(s, i, '*'), c == '_' && marks(s, i, '_'):
			i++
		case c == '!' && strings.HasPrefix(s[i:], "!["):
			i++
		case c == '[':
			text, size := link(s[i:])
			if size == 0 {
				b.WriteByte(c)
				i++
				continue
			}
			b.WriteString(plain(text))
			i += size
		default:
			b.WriteByte(c)
			i++
		}
	}
	return strings.TrimSpace(strings.NewReplacer("✅", "", "❌", "", "⚠️", "", "&nbsp;", " ", "<br>", " ").Replace(b.String()))
}

// marks reports whether the mark at s[i] is emphasis: not a bullet or a
// product between spaces, not an underscore inside a word.
func marks(s string, i int, mark byte) bool {
	before, after := byte(' '), byte(' ')
	if i > 0 {
		before = s[i-1]
	}
	if i+1 < len(s) {
		after = s[i+1]
	}
	if before == mark || after == mark {
		return true
	}
	return (before == ' ') != (after == ' ') || (mark == '*' && before != ' ')
}

// maxLink bounds a link's text and target, in bytes.
const maxLink = 2000

// link reads "[text](target)"; size 0 is none.
func link(s string) (text string, size int) {
	s = s[:min(len(s), maxLink)]
	end := strings.Index(s, "](")
	if end < 0 || strings.ContainsAny(s[1:end], "[\n") {
		return "", 0
	}
	closing := strings.IndexByte(s[end:], ')')
	if closing < 0 {
		return "", 0
	}
	return s[1:end], end + closing + 1
}
