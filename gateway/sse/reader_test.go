package sse

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// frames reads s in pieces of at most n bytes.
func frames(s string, n int) (out []string, r Reader) {
	add := func(f Frame) { out = append(out, string(f.Event)+"|"+string(f.Data)) }
	for piece := range slices.Chunk([]byte(s), max(1, n)) {
		for len(piece) > 0 {
			f, k, ok := r.Next(piece)
			if ok {
				add(f)
			}
			piece = piece[k:]
		}
	}
	if f, ok := r.End(); ok {
		add(f)
	}
	return out, r
}

func TestFrames(t *testing.T) {
	for _, c := range []struct{ story, in, want string }{
		{"one", "data: a\n\n", "|a"},
		{"two together", "data: a\n\ndata: b\n\n", "|a |b"},
		{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", "|a |b"},
		{"CR", "data: a\r\rdata: b\r\r", "|a |b"},
		{"no space", "data:a\n\n", "|a"},
		{"a second space is data", "data:  a\n\n", "| a"},
		{"several data lines", "data: a\ndata: b\n\n", "|a\nb"},
		{"an event's name", "event: ping\ndata: a\n\ndata: b\n\n", "ping|a |b"},
		{"an event without data is none", "event: ping\n\ndata: b\n\n", "|b"},
		{"comments, retry and id", ": hello\nretry: 3\nid: 7\ndata: a\n\n", "|a"},
		{"a byte order mark", "\xEF\xBB\xBFdata: a\n\n", "|a"},
		{"no blank line at the end", "data: a\n\ndata: b", "|a |b"},
		{"one line feed at the end", "data: b\n", "|b"},
		{"a bare object", "{\"error\":1}\n\n", "|{\"error\":1}"},
		{"empty data", "data:\n\n", "|"},
		{"a name alone is empty data", "data\n\n", "|"},
		{"unknown fields", "foo: bar\ndata: a\n\n", "|a"},
		{"blank lines only", "\n\n\r\n", ""},
		{"mixed line ends", "data: a\r\ndata: b\n\r\n", "|a\nb"},
	} {
		for n := 1; n <= len(c.in); n++ {
			if got, _ := frames(c.in, n); strings.Join(got, " ") != c.want {
				t.Errorf("%s, in pieces of %d: %q, want %q", c.story, n, got, c.want)
			}
		}
	}
}

func TestFrameThatIsTooLong(t *testing.T) {
	var r Reader
	piece := bytes.Repeat([]byte{'x'}, 1<<20)
	r.Next([]byte("data: "))
	for range MaxFrame>>20 + 1 {
		r.Next(piece)
	}
	if !r.TooLong || cap(r.line) > 2*MaxFrame {
		t.Errorf("too long %v, %d bytes kept", r.TooLong, cap(r.line))
	}
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte("event: a\r\ndata: {}\r\n\r\n: c\ndata:x\rdata: y\n\n{\"error\":{}}\n"), 3)
	f.Fuzz(func(t *testing.T, b []byte, n int) {
		whole, _ := frames(string(b), len(b))
		split, _ := frames(string(b), 1+(n&0xff))
		bytewise, _ := frames(string(b), 1)
		if !slices.Equal(whole, split) || !slices.Equal(whole, bytewise) {
			t.Fatalf("whole %q, split %q, by bytes %q", whole, split, bytewise)
		}
	})
}

func BenchmarkNext(b *testing.B) {
	text := []byte("data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"mock-model\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"abcd\"},\"finish_reason\":null}]}\n\n")
	var r Reader
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		r.Next(text)
	}
}
