package lint

import (
	"regexp"
	"strings"
)

// sentence is a sentence of prose, or a cell that makes a claim.
type sentence struct {
	text string
	line int
}

var sentenceEnd = regexp.MustCompile(`[.!?;](?:\s+|$)`)

// sentences splits the section's prose.
func (s *Section) sentences() []sentence { return once(s, "sentences", s.split) }

func (s *Section) split() (out []sentence) {
	for _, p := range s.Prose {
		at := 0
		add := func(to int) {
			text := strings.TrimSpace(p.Text[at:to])
			if text != "" {
				lead := len(p.Text[at:to]) - len(strings.TrimLeft(p.Text[at:to], " \n"))
				line := p.Line + strings.Count(p.Text[:at+lead], "\n")
				out = append(out, sentence{strings.ReplaceAll(text, "\n", " "), line})
			}
			at = to
		}
		for _, end := range sentenceEnd.FindAllStringIndex(p.Text, -1) {
			add(end[1])
		}
		add(len(p.Text))
	}
	return out
}

// within calls f with the section and those around it, nearest first, until
// it reports true.
func (s *Section) within(f func(*Section) bool) {
	for ; s != nil; s = s.Parent {
		if f(s) {
			return
		}
	}
}

// once answers a question about the section's prose a single time, since every
// row of a table asks it. The prose is whole by then.
func once[T any](s *Section, question string, answer func() T) T {
	if v, ok := s.said[question].(T); ok {
		return v
	}
	v := answer()
	if s.said == nil {
		s.said = map[string]any{}
	}
	s.said[question] = v
	return v
}

// text is the section's prose in one string.
func (s *Section) text() string { return once(s, "text", s.join) }

func (s *Section) join() string {
	var b strings.Builder
	for _, p := range s.Prose {
		b.WriteString(strings.ReplaceAll(p.Text, "\n", " "))
		b.WriteString("\n")
	}
	return b.String()
}

// figures reads every figure with a unit in a text.
func figures(text string) (out []Quantity) {
	for i := 0; i < len(text); {
		if text[i] < '0' || text[i] > '9' || i > 0 && (isWord(text[i-1]) || text[i-1] == '.') {
			i++
			continue
		}
		q, ok := ParseQuantity(text[i:])
		if ok && q.Dim != Plain {
			out = append(out, q)
			i = len(text) - len(q.Rest) // Rest is what follows
			if q.Note != "" {
				i -= len(q.Note)
			}
			continue
		}
		i += max(1, countDigits(text[i:]))
	}
	return out
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// words are the distinctive words of a text, in lower case.
func words(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	}) {
		if len(w) >= 4 {
			out[w] = true
		}
	}
	return out
}
