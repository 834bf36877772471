package sse

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// readPieces gives the events of a stream that comes in pieces.
func readPieces(t testing.TB, p *Parser, pieces ...string) (events []string) {
	p.Reset()
	for _, piece := range pieces {
		b := []byte(piece)
		for len(b) > 0 {
			data, n, ok, err := p.Next(b)
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				events = append(events, string(data))
			} else if n != len(b) {
				t.Fatalf("no event, yet only %d of %d bytes consumed", n, len(b))
			}
			// The parser may keep nothing of the caller's bytes.
			for i := range b[:n] {
				b[i] = '#'
			}
			b = b[n:]
		}
	}
	return events
}

var streams = []struct {
	story      string
	in         string
	want       []string
	unfinished bool
}{
	{"one event", "data: a\n\n", []string{"a"}, false},
	{"no space after the colon", "data:a\n\n", []string{"a"}, false},
	{"only the first space is taken off", "data:  a \n\n", []string{" a "}, false},
	{"lines that end in CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"a", "b"}, false},
	{"lines that end in CR", "data: a\r\rdata: b\r\r", []string{"a", "b"}, false},
	{"all line ends mixed", "data: a\r\n\ndata: b\n\r\ndata: c\r\n\rdata: d\r\n\r\n", []string{"a", "b", "c", "d"}, false},
	{"several data lines", "data: a\ndata: b\r\ndata\ndata: c\n\n", []string{"a\nb\n\nc"}, false},
	{"a byte order mark", "\xef\xbb\xbfdata: a\n\ndata: b\n\n", []string{"a", "b"}, false},
	{"a second byte order mark is no mark", "data: a\n\n\xef\xbb\xbfdata: b\n\ndata: c\n\n", []string{"a", "c"}, false},
	{"comments and other fields", ": hi\nevent: x\nid: 1\nretry: 10\ndata: a\n: in between\ndata: b\n\n:\n\n", []string{"a\nb"}, false},
	{"an event without data", "event: ping\n\ndata: a\n\n", []string{"a"}, false},
	{"empty data", "data\n\ndata:\n\ndata\ndata\n\n", []string{"", "", "\n"}, false},
	{"a field whose name only begins with data", "database: x\ndata-x: y\ndata: a\n\n", []string{"a"}, false},
	{"colons in the data", "data: {\"a\":1}\n\n", []string{`{"a":1}`}, false},
	{"many empty lines", "\n\n\r\n\rdata: a\n\n\n\n", []string{"a"}, false},
	{"no empty line at the end", "data: a\n\ndata: [DONE]\n", []string{"a"}, true},
	{"no line end at the end", "data: a\n\ndata: [DONE]", []string{"a"}, true},
	{"nothing", "", nil, false},
	{"characters of several bytes", "data: grüße 🌍\n\n", []string{"grüße 🌍"}, false},
}

func TestStreams(t *testing.T) {
	var p Parser
	for _, tt := range streams {
		t.Run(tt.story, func(t *testing.T) {
			check := func(how string, pieces ...string) {
				if got := readPieces(t, &p, pieces...); !slices.Equal(got, tt.want) {
					t.Errorf("%s: got %q, want %q", how, got, tt.want)
				}
				if got := p.Unfinished(); got != tt.unfinished {
					t.Errorf("%s: unfinished %v, want %v", how, got, tt.unfinished)
				}
			}
			check("whole", tt.in)
			for i := range tt.in {
				check("split", tt.in[:i], tt.in[i:])
			}
			check("byte by byte", strings.Split(tt.in, "")...)
		})
	}
}

func TestEventsAreBounded(t *testing.T) {
	piece := []byte("data: " + strings.Repeat("x", 1<<20) + "\n")
	for story, next := range map[string][]byte{
		"a line without end":         piece[:len(piece)-1],
		"an event of too many lines": piece,
	} {
		t.Run(story, func(t *testing.T) {
			var p Parser
			for range 8 {
				if _, _, _, err := p.Next(next); err != nil {
					if !errors.Is(err, ErrTooLong) {
						t.Fatal(err)
					}
					return
				}
			}
			t.Error("8 MB were taken for one event")
		})
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	in := []byte("data: {\"a\":1}\n\ndata: {\"a\":2}\ndata: x\n\ndata: [DONE]\n\n")
	var p Parser
	once := func() {
		p.Reset()
		for _, b := range [][]byte{in[:20], in[20:33], in[33:]} {
			for len(b) > 0 {
				_, n, _, err := p.Next(b)
				if err != nil {
					t.Fatal(err)
				}
				b = b[n:]
			}
		}
	}
	once()
	if n := testing.AllocsPerRun(100, once); n != 0 {
		t.Errorf("%v allocations for a stream", n)
	}
}

// readAtOnce is the standard's algorithm over a whole stream, written for
// shortness.
func readAtOnce(in string) (events []string) {
	in = strings.TrimPrefix(in, "\xef\xbb\xbf")
	in = strings.ReplaceAll(strings.ReplaceAll(in, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(in, "\n")
	var data []string
	for _, line := range lines[:len(lines)-1] { // the last one has no end
		if line == "" {
			if data != nil {
				events = append(events, strings.Join(data, "\n"))
			}
			data = nil
			continue
		}
		if name, value, _ := strings.Cut(line, ":"); name == "data" {
			data = append(data, strings.TrimPrefix(value, " "))
		}
	}
	return events
}

func FuzzParser(f *testing.F) {
	for _, s := range streams {
		f.Add(s.in, uint16(len(s.in)/2), uint16(len(s.in)/3))
	}
	f.Fuzz(func(t *testing.T, in string, i, j uint16) {
		a := min(int(i), len(in))
		b := min(a+int(j), len(in))
		want := readAtOnce(in)
		var p Parser
		if got := readPieces(t, &p, in); !slices.Equal(got, want) {
			t.Fatalf("whole: got %q, want %q", got, want)
		}
		if got := readPieces(t, &p, in[:a], in[a:b], in[b:]); !slices.Equal(got, want) {
			t.Fatalf("split at %d and %d: got %q, want %q", a, b, got, want)
		}
	})
}
