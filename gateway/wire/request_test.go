package wire

import (
	"strings"
	"testing"
)

var limits = Limits{Bytes: 8 << 10, Fields: 64}

func TestRequest(t *testing.T) {
	const host = "Host: a\r\n"
	for _, c := range []struct {
		story, in string
		status    int // 0: accepted
		target    string
		body      Kind
		length    int64
		keep      bool
	}{
		{"plain GET", "GET /v1/models HTTP/1.1\r\n" + host + "\r\n", 0, "/v1/models", BodyNone, 0, true},
		{"query is kept", "GET /a?b=c%zz HTTP/1.1\r\n" + host + "\r\n", 0, "/a?b=c%zz", BodyNone, 0, true},
		{"length", "POST /a HTTP/1.1\r\n" + host + "content-LENGTH: 5\r\n\r\n", 0, "/a", BodyLength, 5, true},
		{"length zero is no body", "POST /a HTTP/1.1\r\n" + host + "Content-Length: 0\r\n\r\n", 0, "/a", BodyNone, 0, true},
		{"chunked", "POST /a HTTP/1.1\r\n" + host + "Transfer-Encoding: Chunked\r\n\r\n", 0, "/a", BodyChunked, -1, true},
		{"close", "GET / HTTP/1.1\r\n" + host + "Connection: foo, Close\r\n\r\n", 0, "/", BodyNone, 0, false},
		{"1.0 closes", "GET / HTTP/1.0\r\n\r\n", 0, "/", BodyNone, 0, false},
		{"1.0 keep-alive", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 0, "/", BodyNone, 0, true},
		{"absolute form", "GET http://a/x HTTP/1.1\r\n" + host + "\r\n", 0, "/x", BodyNone, 0, true},
		{"absolute form without a path", "GET HTTP://A HTTP/1.1\r\n" + host + "\r\n", 0, "/", BodyNone, 0, true},
		{"options of the server", "OPTIONS * HTTP/1.1\r\n" + host + "\r\n", 0, "*", BodyNone, 0, true},
		{"empty Host is a Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 0, "/", BodyNone, 0, true},

		{"absolute form against Host", "GET http://b/x HTTP/1.1\r\n" + host + "\r\n", 400, "", 0, 0, false},
		{"absolute form with user", "GET http://u@a/x HTTP/1.1\r\nHost: u@a\r\n\r\n", 400, "", 0, 0, false},
		{"authority form", "CONNECT a:443 HTTP/1.1\r\n" + host + "\r\n", 400, "", 0, 0, false},
		{"star of GET", "GET * HTTP/1.1\r\n" + host + "\r\n", 400, "", 0, 0, false},
		{"no target", "GET HTTP/1.1\r\n" + host + "\r\n", 400, "", 0, 0, false},
		{"empty target", "GET  HTTP/1.1\r\n" + host + "\r\n", 400, "", 0, 0, false},
		{"two spaces", "GET  / HTTP/1.1\r\n" + host + "\r\n", 400, "", 0, 0, false},
		{"space behind the target", "GET /  HTTP/1.1\r\n" + host + "\r\n", 400, "", 0, 0, false},
		{"bad escape", "GET /%zz HTTP/1.1\r\n" + host + "\r\n", 400, "", 0, 0, false},
		{"fragment", "GET /a#b HTTP/1.1\r\n" + host + "\r\n", 400, "", 0, 0, false},
		{"method with a slash", "G/T / HTTP/1.1\r\n" + host + "\r\n", 400, "", 0, 0, false},
		{"HTTP/2.0", "GET / HTTP/2.0\r\n" + host + "\r\n", 505, "", 0, 0, false},
		{"HTTP/1.2", "GET / HTTP/1.2\r\n" + host + "\r\n", 505, "", 0, 0, false},
		{"lower-case version", "GET / http/1.1\r\n" + host + "\r\n", 400, "", 0, 0, false},
		{"empty line first", "\r\nGET / HTTP/1.1\r\n" + host + "\r\n", 400, "", 0, 0, false},
		{"bare LF in the request line", "GET / HTTP/1.1\n" + host + "\r\n", 400, "", 0, 0, false},
		{"bare LF in a field", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", 400, "", 0, 0, false},
		{"bare LF as the end", "GET / HTTP/1.1\r\n" + host + "\n", 400, "", 0, 0, false},
		{"bare CR in a value", "GET / HTTP/1.1\r\n" + host + "X: a\rb\r\n\r\n", 400, "", 0, 0, false},
		{"NUL in a value", "GET / HTTP/1.1\r\n" + host + "X: a\x00b\r\n\r\n", 400, "", 0, 0, false},
		{"DEL far into a value", "GET / HTTP/1.1\r\n" + host + "X: aaaaaaaaaaaaaaaaaaaaaaaa\x7fb\r\n\r\n", 400, "", 0, 0, false},
		{"fold", "GET / HTTP/1.1\r\n" + host + "X: a\r\n b\r\n\r\n", 400, "", 0, 0, false},
		{"fold first", "GET / HTTP/1.1\r\n X: a\r\n" + host + "\r\n", 400, "", 0, 0, false},
		{"space before the colon", "GET / HTTP/1.1\r\n" + host + "X : a\r\n\r\n", 400, "", 0, 0, false},
		{"no colon", "GET / HTTP/1.1\r\n" + host + "X\r\n\r\n", 400, "", 0, 0, false},
		{"empty name", "GET / HTTP/1.1\r\n" + host + ": a\r\n\r\n", 400, "", 0, 0, false},
		{"no Host", "GET / HTTP/1.1\r\n\r\n", 400, "", 0, 0, false},
		{"two Hosts", "GET / HTTP/1.1\r\n" + host + host + "\r\n", 400, "", 0, 0, false},
		{"Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400, "", 0, 0, false},
		{"length twice, equal", "POST / HTTP/1.1\r\n" + host + "Content-Length: 1\r\nContent-Length: 1\r\n\r\n", 400, "", 0, 0, false},
		{"length list", "POST / HTTP/1.1\r\n" + host + "Content-Length: 1, 1\r\n\r\n", 400, "", 0, 0, false},
		{"length signed", "POST / HTTP/1.1\r\n" + host + "Content-Length: +1\r\n\r\n", 400, "", 0, 0, false},
		{"length empty", "POST / HTTP/1.1\r\n" + host + "Content-Length:\r\n\r\n", 400, "", 0, 0, false},
		{"length too long", "POST / HTTP/1.1\r\n" + host + "Content-Length: 1111111111111111111\r\n\r\n", 400, "", 0, 0, false},
		{"length and coding", "POST / HTTP/1.1\r\n" + host + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "", 0, 0, false},
		{"coding list", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501, "", 0, 0, false},
		{"coding identity", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: identity\r\n\r\n", 501, "", 0, 0, false},
		{"coding twice", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "", 0, 0, false},
		{"coding with a vertical tab", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: \x0bchunked\r\n\r\n", 400, "", 0, 0, false},
		{"coding in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "", 0, 0, false},
		{"other expectation", "POST / HTTP/1.1\r\n" + host + "Expect: tea\r\n\r\n", 417, "", 0, 0, false},
		{"too many fields", "GET / HTTP/1.1\r\n" + host + strings.Repeat("X: a\r\n", 64) + "\r\n", 431, "", 0, 0, false},
		{"too many bytes", "GET / HTTP/1.1\r\n" + host + "X: " + strings.Repeat("a", 8<<10) + "\r\n\r\n", 431, "", 0, 0, false},
		{"too many bytes, no end", "GET /" + strings.Repeat("a", 8<<10), 431, "", 0, 0, false},
	} {
		t.Run(c.story, func(t *testing.T) {
			var r Request
			n, err := r.Parse([]byte(c.in), limits)
			if c.status != 0 {
				e, ok := err.(*Error)
				if !ok || e.Status != c.status {
					t.Fatalf("Parse = %d, %v; want status %d", n, err, c.status)
				}
				return
			}
			if err != nil || n != len(c.in) {
				t.Fatalf("Parse = %d, %v; want %d", n, err, len(c.in))
			}
			if string(r.Target) != c.target || r.Body != c.body || r.ContentLength != c.length || r.KeepAlive != c.keep {
				t.Errorf("got %q body %d length %d keep %v", r.Target, r.Body, r.ContentLength, r.KeepAlive)
			}
		})
	}
}

// TestRequestByteByByte: a head that comes one byte at a time is read as one
// that comes whole, and what follows it is left alone.
func TestRequestByteByByte(t *testing.T) {
	in := "POST /v1/x HTTP/1.1\r\nHost: a\r\nX-A:  b c \t\r\nContent-Length: 3\r\n\r\nabcGET"
	want := strings.Index(in, "abc")
	var r Request
	for i := range want {
		if n, err := r.Parse([]byte(in[:i]), limits); n != 0 || err != nil {
			t.Fatalf("Parse of %d bytes = %d, %v", i, n, err)
		}
	}
	n, err := r.Parse([]byte(in), limits)
	if n != want || err != nil {
		t.Fatalf("Parse = %d, %v; want %d", n, err, want)
	}
	if f := r.Fields[1]; string(f.Name) != "X-A" || string(f.Value) != "b c" {
		t.Errorf("field %q: %q", f.Name, f.Value)
	}
}

func TestCleanValue(t *testing.T) {
	for pos := range 20 {
		for c := range 256 {
			v := []byte(strings.Repeat("\x20", 20))
			v[pos] = byte(c)
			want := c >= 0x20 && c != 0x7f || c == '\t'
			if cleanValue(v) != want {
				t.Fatalf("cleanValue with %#x at %d = %v", c, pos, !want)
			}
		}
	}
}

func TestParseAllocatesNothing(t *testing.T) {
	in := []byte(benchHead)
	var r Request
	var s Response
	answer := []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n")
	if n := testing.AllocsPerRun(100, func() {
		if _, err := r.Parse(in, limits); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Parse(answer, limits, false); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

const benchHead = "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Type: application/json\r\n" +
	"Authorization: Bearer tg-0123456789abcdef0123456789abcdef\r\nX-Request-Id: 0123456789abcdef\r\n" +
	"Accept: */*\r\nUser-Agent: bench/1.0\r\nContent-Length: 90\r\n\r\n"

func BenchmarkRequestHead(b *testing.B) {
	var r Request
	in := []byte(benchHead)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Parse(in, limits); err != nil {
			b.Fatal(err)
		}
	}
}
