package http1

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// reading is what a parser made of an answer.
type reading struct {
	status    int
	keepAlive bool
	marked    bool
	mark      string
	body      string
	done      bool
	err       string
	rest      int // bytes after the answer's end
}

// readPieces feeds an answer in pieces, and the end of the connection when
// closed.
func readPieces(p *Parser, head, closed bool, pieces ...string) (r reading) {
	p.Mark = "x-tollgate-error"
	p.Reset(head)
	var body []byte
	for _, piece := range pieces {
		b := []byte(piece)
		for len(b) > 0 {
			part, n, err := p.Next(b)
			if err != nil {
				r.err = err.Error()
				return r
			}
			body = append(body, part...)
			if n == 0 {
				r.rest += len(b)
				break
			}
			b = b[n:]
		}
	}
	if closed {
		if err := p.EOF(); err != nil {
			r.err = err.Error()
		}
	}
	h := p.Head
	r.status, r.keepAlive, r.marked, r.mark = h.Status, h.KeepAlive, h.Marked, string(h.Mark)
	r.body, r.done = string(body), p.Done()
	return r
}

var answers = []struct {
	story  string
	in     string
	closed bool // the server closes the connection after in
	head   bool
	want   reading
}{
	{story: "a body of announced length", in: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", want: reading{status: 200, keepAlive: true, body: "hello", done: true}},
	{story: "an empty body", in: "HTTP/1.1 200 OK\r\ncontent-length:0\r\n\r\n", want: reading{status: 200, keepAlive: true, done: true}},
	{story: "no reason phrase", in: "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", want: reading{status: 200, keepAlive: true, done: true}},
	{story: "equal lengths twice", in: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", want: reading{status: 200, keepAlive: true, body: "x", done: true}},
	{story: "chunks with an extension and a trailer", in: "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5;a=b\r\nhello\r\n06\r\n world\r\n0\r\nX: y\r\n\r\n", want: reading{status: 200, keepAlive: true, body: "hello world", done: true}},
	{story: "hexadecimal chunk sizes of both cases", in: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n", want: reading{status: 200, keepAlive: true, body: "01234567890123456789", done: true}},
	{story: "until the connection closes", in: "HTTP/1.1 200 OK\r\n\r\nall of it", closed: true, want: reading{status: 200, body: "all of it", done: true}},
	{story: "connection: close is honoured", in: "HTTP/1.1 200 OK\r\nConnection: foo, Close\r\nContent-Length: 1\r\n\r\nx", want: reading{status: 200, body: "x", done: true}},
	{story: "HTTP/1.0 closes unless told otherwise", in: "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", want: reading{status: 200, body: "x", done: true}},
	{story: "HTTP/1.0 with keep-alive", in: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx", want: reading{status: 200, keepAlive: true, body: "x", done: true}},
	{story: "interim answers are skipped", in: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", want: reading{status: 200, keepAlive: true, body: "x", done: true}},
	{story: "204 has no body", in: "HTTP/1.1 204 No Content\r\n\r\n", want: reading{status: 204, keepAlive: true, done: true}},
	{story: "an answer to HEAD has no body", head: true, in: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", want: reading{status: 200, keepAlive: true, done: true}},
	{story: "the marked header", in: "HTTP/1.1 502 Bad Gateway\r\nX-Tollgate-Error:  upstream_refused \r\nContent-Length: 0\r\n\r\n", want: reading{status: 502, keepAlive: true, marked: true, mark: "upstream_refused", done: true}},
	{story: "bytes after the end", in: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxyz", want: reading{status: 200, keepAlive: true, body: "x", done: true, rest: 2}},

	{story: "closed before any byte", closed: true, want: reading{err: "EOF"}},
	{story: "closed inside the head", in: "HTTP/1.1 200 OK\r\nConte", closed: true, want: reading{err: "unexpected EOF"}},
	{story: "closed after an interim answer", in: "HTTP/1.1 100 Continue\r\n\r\n", closed: true, want: reading{err: "unexpected EOF"}},
	{story: "a short body", in: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", closed: true, want: reading{status: 200, keepAlive: true, body: "hel", err: "unexpected EOF"}},
	{story: "no last chunk", in: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", closed: true, want: reading{status: 200, keepAlive: true, body: "hello", err: "unexpected EOF"}},
	{story: "no empty line after the last chunk", in: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", closed: true, want: reading{status: 200, keepAlive: true, err: "unexpected EOF"}},
}

func TestAnswers(t *testing.T) {
	for _, tt := range answers {
		t.Run(tt.story, func(t *testing.T) {
			var p Parser
			if got := readPieces(&p, tt.head, tt.closed, tt.in); got != tt.want {
				t.Errorf("whole:\n got %+v\nwant %+v", got, tt.want)
			}
			for i := range tt.in {
				if got := readPieces(&p, tt.head, tt.closed, tt.in[:i], tt.in[i:]); got != tt.want {
					t.Errorf("split at %d:\n got %+v\nwant %+v", i, got, tt.want)
				}
			}
			if got := readPieces(&p, tt.head, tt.closed, strings.Split(tt.in, "")...); got != tt.want {
				t.Errorf("byte by byte:\n got %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestMalformedAnswersAreSyntaxErrors(t *testing.T) {
	const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	for story, in := range map[string]string{
		"not HTTP":                       "SSH-2.0-x\r\n\r\n",
		"HTTP/2 in words":                "HTTP/2.0 200 OK\r\n\r\n",
		"a status of two digits":         "HTTP/1.1 20 OK\r\n\r\n",
		"a status of four digits":        "HTTP/1.1 2000\r\n\r\n",
		"a status below 100":             "HTTP/1.1 099 x\r\n\r\n",
		"an upgrade nobody asked for":    "HTTP/1.1 101 Switching\r\n\r\n",
		"LF alone":                       "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
		"CR inside a line":               "HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n",
		"a folded line":                  "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n",
		"a header without a colon":       "HTTP/1.1 200 OK\r\nnothing\r\n\r\n",
		"a space before the colon":       "HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n",
		"two lengths":                    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
		"a signed length":                "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\nx",
		"a list of lengths":              "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\nx",
		"an empty length":                "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n",
		"a huge length":                  "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
		"length and chunks":              "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"another transfer encoding":      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
		"chunks twice":                   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
		"chunks in HTTP/1.0":             "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"no chunk size":                  chunked + "\r\nhello\r\n",
		"a chunk size that is no number": chunked + "5g\r\nhello",
		"a chunk size with a space":      chunked + "5 \r\nhello\r\n",
		"a chunk size of 17 digits":      chunked + "00000000000000005\r\nhello\r\n",
		"a huge chunk":                   chunked + "fffffffffff\r\n",
		"a chunk size line with LF":      chunked + "5\nhello\r\n",
		"a chunk longer than it says":    chunked + "5\r\nhelloo\r\n",
		"an extension with LF":           chunked + "5;a\nhello\r\n",
		"a trailer line with LF":         chunked + "0\r\nA: b\n\r\n",
		"too many interim answers":       strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", maxHints+1),
		"a head without end":             "HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", MaxHead/6+1),
		"an extension without end":       chunked + "5;" + strings.Repeat("a", maxLine+1),
	} {
		t.Run(story, func(t *testing.T) {
			for _, pieces := range [][]string{{in}, strings.Split(in, "")} {
				p := Parser{}
				var err error
				for _, piece := range pieces {
					b := []byte(piece)
					for len(b) > 0 && err == nil && !p.Done() {
						var n int
						_, n, err = p.Next(b)
						b = b[n:]
					}
				}
				if !errors.Is(err, ErrSyntax) {
					t.Errorf("in %d pieces: error %v, want a syntax error", len(pieces), err)
				}
			}
		})
	}
}

// A parser that was in the middle of anything is as new after Reset.
func TestResetForgetsTheAnswerBefore(t *testing.T) {
	const next = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n"
	want := readPieces(new(Parser), false, false, next)
	for _, before := range answers {
		for cut := range len(before.in) + 1 {
			var p Parser
			readPieces(&p, before.head, false, before.in[:cut])
			if got := readPieces(&p, false, false, next); got != want {
				t.Fatalf("after %q: got %+v, want %+v", before.in[:cut], got, want)
			}
		}
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	answer := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
	var p Parser
	once := func() {
		p.Reset(false)
		for _, b := range [][]byte{answer[:20], answer[20:]} {
			for len(b) > 0 {
				_, n, err := p.Next(b)
				if err != nil {
					t.Fatal(err)
				}
				b = b[n:]
			}
		}
		if !p.Done() {
			t.Fatal("answer not read whole")
		}
	}
	once()
	if n := testing.AllocsPerRun(100, once); n != 0 {
		t.Errorf("%v allocations for an answer", n)
	}
}

// What this parser reads, net/http reads the same; and where it is split does
// not matter.
func FuzzParser(f *testing.F) {
	for _, a := range answers {
		f.Add([]byte(a.in), uint16(len(a.in)/2))
	}
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloo\r\n"), uint16(50))
	f.Fuzz(func(t *testing.T, in []byte, at uint16) {
		whole := readPieces(new(Parser), false, true, string(in))
		cut := min(int(at), len(in))
		split := readPieces(new(Parser), false, true, string(in[:cut]), string(in[cut:]))
		if (whole.err == "") != (split.err == "") || whole.err == "" && whole != split {
			t.Fatalf("split at %d:\nwhole %+v\nsplit %+v", cut, whole, split)
		}
		if whole.err != "" {
			return
		}
		rd := bufio.NewReader(bytes.NewReader(in))
		resp, err := http.ReadResponse(rd, &http.Request{Method: "GET"})
		for err == nil && resp.StatusCode < 200 {
			resp, err = http.ReadResponse(rd, &http.Request{Method: "GET"})
		}
		if err != nil {
			t.Skip("net/http is stricter about something that the generator does not use")
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return // a trailer that net/http does not like
		}
		if resp.StatusCode != whole.status || string(body) != whole.body {
			t.Fatalf("net/http reads status %d body %q, we read %+v", resp.StatusCode, body, whole)
		}
	})
}
