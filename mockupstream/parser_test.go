package mockupstream

import (
	"bytes"
	"strings"
	"testing"
)

func newParser() *parser {
	p := &parser{limits: limits{head: 1 << 10, body: 1 << 16}}
	p.reset()
	return p
}

// parse feeds input in pieces that end at the cuts, as a connection does.
func parse(p *parser, input []byte, cuts ...int) (used int, done bool, err *refusal) {
	for _, end := range append(cuts, len(input)) {
		n, done, err := p.feed(input[used:end])
		used += n
		if done || err != nil {
			return used, done, err
		}
	}
	return used, false, nil
}

func TestParserRefuses(t *testing.T) {
	const head = "POST / HTTP/1.1\r\nHost: m\r\n"
	for _, tc := range []struct {
		name, input string
		want        *refusal
	}{
		{"a line that ends in LF alone", "GET / HTTP/1.1\nHost: m\r\n\r\n", bareLF},
		{"a lone LF", "\n", bareLF},
		{"no target", "GET HTTP/1.1\r\n", badLine},
		{"two spaces", "GET  / HTTP/1.1\r\n", badLine},
		{"a space in the target", "GET / / HTTP/1.1\r\n", badLine},
		{"a control character in the target", "GET /\x01 HTTP/1.1\r\n", badLine},
		{"a method that is no token", "G(T / HTTP/1.1\r\n", badLine},
		{"HTTP/2 in words", "PRI * HTTP/2.0\r\n", unknownVersion},
		{"no version", "GET / FTP/1.1\r\n", badLine},
		{"no Host", "GET / HTTP/1.1\r\n\r\n", noHost},
		{"two Hosts", head + "host: n\r\n\r\n", noHost},
		{"a folded header", head + "X: a\r\n b\r\n\r\n", badHeader},
		{"a space before the colon", head + "Content-Length : 1\r\n\r\n", badHeader},
		{"no colon", head + "Content-Length\r\n\r\n", badHeader},
		{"an empty name", head + ": x\r\n\r\n", badHeader},
		{"a CR within a name", head + "X\rY: x\r\n\r\n", badHeader},
		{"a signed length", head + "Content-Length: +1\r\n\r\n", badLength},
		{"an empty length", head + "Content-Length: \r\n\r\n", badLength},
		{"a list of lengths", head + "Content-Length: 1, 1\r\n\r\n", badLength},
		{"a length that overflows", head + "Content-Length: 9999999999999999999\r\n\r\n", badLength},
		{"two lengths", head + "Content-Length: 1\r\nContent-Length: 1\r\n\r\n", badLength},
		{"a length and chunks", head + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", badLength},
		{"chunks twice", head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", badLength},
		{"chunks in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", badLength},
		{"another coding", head + "Transfer-Encoding: gzip, chunked\r\n\r\n", unknownCoding},
		{"another expectation", head + "Expect: tea\r\n\r\n", badExpectation},
		{"a chunk without size", head + "Transfer-Encoding: chunked\r\n\r\n\r\n", badChunk},
		{"a chunk with a signed size", head + "Transfer-Encoding: chunked\r\n\r\n-1\r\n", badChunk},
		{"a chunk size in 0x", head + "Transfer-Encoding: chunked\r\n\r\n0x1\r\n", badChunk},
		{"a chunk size that overflows", head + "Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n", badChunk},
		{"a chunk longer than its size", head + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", badChunk},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for cut := range len(tc.input) + 1 {
				_, done, err := parse(newParser(), []byte(tc.input), cut)
				if done || err != tc.want {
					t.Fatalf("cut at %d: done %v, refused %v, want %v", cut, done, err, tc.want)
				}
			}
		})
	}
}

func TestParserReads(t *testing.T) {
	const id = "00000000000000ab"
	for _, tc := range []struct {
		name, input string
		id          uint64
		mode        mode
		framing     framing
	}{
		{"the id comes in the header", "POST /v1/chat/completions HTTP/1.1\r\nHost: m\r\nx-REQUEST-id:  " + id + " \r\nContent-Length: 2\r\n\r\n{}", 0xab, keepAlive, chunked},
		{"the header wins over the body", post(chat, "HTTP/1.1", "X-Request-Id: "+id+"\r\n", `{"user":"00000000000000cd"}`), 0xab, keepAlive, chunked},
		{"the body is asked when the header holds no id", post(chat, "HTTP/1.1", "X-Request-Id: abc\r\n", `{"user":"00000000000000cd"}`), 0xcd, keepAlive, chunked},
		{"an id in upper case is none of the lab's", post(chat, "HTTP/1.1", "X-Request-Id: 00000000000000AB\r\n", `{}`), 0, keepAlive, chunked},
		{"close among other options", post(chat, "HTTP/1.1", "Connection: foo, Close\r\n", `{}`), 0, closing, chunkedClose},
		{"close wins over keep-alive", post(chat, "HTTP/1.0", "Connection: keep-alive\r\nConnection: close\r\n", `{}`), 0, closing, unframed},
		{"HTTP/1.0 alone", post(chat, "HTTP/1.0", "", `{}`), 0, closing, unframed},
		{"HTTP/1.0 with keep-alive", post(chat, "HTTP/1.0", "Connection: keep-alive\r\n", `{}`), 0, keepAlive10, unframed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for cut := range len(tc.input) {
				p := newParser()
				used, done, err := parse(p, []byte(tc.input), cut)
				r := &p.req
				if !done || err != nil || used != len(tc.input) {
					t.Fatalf("cut at %d: took %d of %d, done %v, refused %v", cut, used, len(tc.input), done, err)
				}
				if r.id() != tc.id || r.mode() != tc.mode || r.framing() != tc.framing || r.route != routeChat || !r.body.ok() {
					t.Fatalf("cut at %d: id %x, mode %d, framing %d, route %d, body ok %v", cut, r.id(), r.mode(), r.framing(), r.route, r.body.ok())
				}
			}
		})
	}
}

// The parser finds the same request however its input is cut, never takes
// more than it was given, and leaves the next request alone.
func FuzzParser(f *testing.F) {
	for _, e := range exchanges {
		f.Add([]byte(e.input), uint16(len(e.input)/2), uint16(len(e.input)/3))
	}
	f.Add([]byte("POST / HTTP/1.1\r\nHost: m\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"), uint16(60), uint16(2))
	f.Add([]byte(strings.Repeat("a", 2000)), uint16(7), uint16(7))
	f.Fuzz(func(t *testing.T, input []byte, a, b uint16) {
		whole, cut := newParser(), newParser()
		used, done, refused := parse(whole, input)
		if used > len(input) || done && refused != nil {
			t.Fatalf("took %d of %d, done %v, refused %v", used, len(input), done, refused)
		}
		i, j := min(int(a), len(input)), min(int(b), len(input))
		used2, done2, refused2 := parse(cut, input, min(i, j), max(i, j))
		if done != done2 || refused != refused2 || refused == nil && used != used2 {
			t.Fatalf("whole: %d %v %v; cut at %d and %d: %d %v %v", used, done, refused, i, j, used2, done2, refused2)
		}
		if !done {
			return
		}
		x, y := &whole.req, &cut.req
		if x.route != y.route || x.method != y.method || x.mode() != y.mode() || x.id() != y.id() ||
			x.body.ok() != y.body.ok() || x.body.stream != y.body.stream || x.body.usage != y.body.usage ||
			!bytes.Equal(x.body.modelName(), y.body.modelName()) {
			t.Fatalf("whole: %+v; cut at %d and %d: %+v", x, i, j, y)
		}
		// What follows a whole request plays no part in it.
		again := newParser()
		if n, ok, _ := again.feed(input[:used]); !ok || n != used {
			t.Fatalf("without the rest: took %d of %d, done %v", n, used, ok)
		}
	})
}
