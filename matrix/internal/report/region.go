package report

import (
	"bytes"
	"errors"
	"fmt"
)

// Generated regions stand between two comment lines, which Markdown viewers
// hide. What lies outside them belongs to people.
const (
	beginMark = "<!-- tollgate:begin "
	endMark   = "<!-- tollgate:end "
	markClose = " -->"
)

// region is a generated part of a text.
type region struct {
	name       string
	start, end int // of the content, without the two marker lines
}

// regions finds the generated regions of text in order. Markers stand on
// lines of their own; regions are not nested and no name occurs twice.
func regions(text []byte) ([]region, error) {
	var out []region
	seen := make(map[string]bool)
	open := -1
	number := 0
	for at := 0; at < len(text); {
		number++
		next := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		line := string(bytes.TrimRight(text[at:next], "\r\n"))
		begin, isBegin := markName(line, beginMark)
		end, isEnd := markName(line, endMark)
		switch {
		case isBegin && open >= 0:
			return nil, fmt.Errorf("line %d: region %q begins inside region %q", number, begin, out[open].name)
		case isBegin && seen[begin]:
			return nil, fmt.Errorf("line %d: region %q occurs twice", number, begin)
		case isBegin && next == len(text) && !bytes.HasSuffix(text, []byte("\n")):
			return nil, fmt.Errorf("line %d: region %q has no end", number, begin)
		case isBegin:
			seen[begin] = true
			open = len(out)
			out = append(out, region{name: begin, start: next})
		case isEnd && (open < 0 || out[open].name != end):
			return nil, fmt.Errorf("line %d: region %q ends but did not begin", number, end)
		case isEnd:
			out[open].end = at
			open = -1
		}
		at = next
	}
	if open >= 0 {
		return nil, fmt.Errorf("region %q has no end", out[open].name)
	}
	return out, nil
}

func markName(line, mark string) (string, bool) {
	if len(line) <= len(mark)+len(markClose) || line[:len(mark)] != mark || line[len(line)-len(markClose):] != markClose {
		return "", false
	}
	return line[len(mark) : len(line)-len(markClose)], true
}

// fill replaces the content of every region by what generated holds for it.
// A region that is unknown is an error, and so is generated text that has no
// region, unless it is optional: nothing may go missing silently.
func fill(text []byte, generated map[string][]byte, optional map[string]bool) ([]byte, error) {
	found, err := regions(text)
	if err != nil {
		return nil, err
	}
	var errs []error
	var out bytes.Buffer
	at := 0
	used := make(map[string]bool)
	for _, r := range found {
		g, ok := generated[r.name]
		if !ok {
			errs = append(errs, fmt.Errorf("region %q is unknown", r.name))
			continue
		}
		used[r.name] = true
		out.Write(text[at:r.start])
		out.WriteByte('\n')
		out.Write(bytes.TrimSpace(g))
		out.WriteString("\n\n")
		at = r.end
	}
	out.Write(text[at:])
	for _, name := range sortedKeys(generated) {
		if !used[name] && !optional[name] {
			errs = append(errs, fmt.Errorf("region %q is missing: add the lines %q and %q", name, beginMark+name+markClose, endMark+name+markClose))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
