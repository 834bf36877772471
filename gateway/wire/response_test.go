package wire

import (
	"errors"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

func TestResponse(t *testing.T) {
	for _, c := range []struct {
		story, in string
		noBody    bool
		ok        bool
		status    int
		body      Kind
		length    int64
		keep      bool
	}{
		{"length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", false, true, 200, BodyLength, 5, true},
		{"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", false, true, 200, BodyChunked, -1, true},
		{"neither: to the close", "HTTP/1.1 200 OK\r\n\r\n", false, true, 200, BodyClose, -1, false},
		{"1.0 closes", "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n", false, true, 200, BodyLength, 5, false},
		{"1.0 keep-alive", "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 5\r\n\r\n", false, true, 200, BodyLength, 5, true},
		{"close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\n", false, true, 200, BodyLength, 5, false},
		{"no reason", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", false, true, 200, BodyNone, 0, true},
		{"204 with a length", "HTTP/1.1 204 \r\nContent-Length: 5\r\n\r\n", false, true, 204, BodyNone, 0, true},
		{"answer to HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", true, true, 200, BodyNone, 0, true},
		{"interim", "HTTP/1.1 100 Continue\r\n\r\n", false, true, 100, BodyNone, 0, true},

		{"both framings", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", false, false, 0, 0, 0, false},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", false, false, 0, 0, 0, false},
		{"bare LF", "HTTP/1.1 200 OK\nContent-Length: 5\n\n", false, false, 0, 0, 0, false},
		{"status of two digits", "HTTP/1.1 20 OK\r\n\r\n", false, false, 0, 0, 0, false},
		{"status of four digits", "HTTP/1.1 2000\r\n\r\n", false, false, 0, 0, 0, false},
		{"status 600", "HTTP/1.1 600 X\r\n\r\n", false, false, 0, 0, 0, false},
		{"another protocol", "SSH-2.0-OpenSSH_9\r\n", false, false, 0, 0, 0, false},
		{"gzip as a transfer coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", false, false, 0, 0, 0, false},
	} {
		t.Run(c.story, func(t *testing.T) {
			var r Response
			n, err := r.Parse([]byte(c.in), limits, c.noBody)
			if !c.ok {
				if err == nil {
					t.Fatalf("accepted: %d", n)
				}
				return
			}
			if err != nil || n != len(c.in) {
				t.Fatalf("Parse = %d, %v", n, err)
			}
			if r.Status != c.status || r.Body != c.body || r.ContentLength != c.length || r.KeepAlive != c.keep {
				t.Errorf("got %d body %d length %d keep %v", r.Status, r.Body, r.ContentLength, r.KeepAlive)
			}
		})
	}
}

func TestResponseTooLarge(t *testing.T) {
	var r Response
	_, err := r.Parse([]byte("HTTP/1.1 200 OK\r\nX: 0123456789\r\n"), Limits{Bytes: 30}, false)
	var e *Error
	if !errors.As(err, &e) || !e.TooLarge() {
		t.Errorf("err = %v", err)
	}
}

func TestWriteHeads(t *testing.T) {
	fields := []exchange.Field{{Name: []byte("Content-Type"), Value: []byte("text/plain")}}
	got := string(AppendRequestHead(nil, "POST", []byte("/v1/x"), "up:1", fields, 3))
	want := "POST /v1/x HTTP/1.1\r\nHost: up:1\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\n"
	if got != want {
		t.Errorf("request head %q", got)
	}
	line := ResponseLine{Status: 429, Body: BodyChunked, Connection: ConnectionClose, Date: []byte("now")}
	got = string(AppendResponseHead(nil, &line, fields))
	want = "HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/plain\r\nDate: now\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
	if got != want {
		t.Errorf("response head %q", got)
	}
	dated := append(fields, exchange.Field{Name: []byte("date"), Value: []byte("then")})
	line = ResponseLine{Status: 200, Body: BodyLength, Length: 0, Date: []byte("now"), Connection: ConnectionKeepAlive}
	got = string(AppendResponseHead(nil, &line, dated))
	want = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\ndate: then\r\nContent-Length: 0\r\nConnection: Keep-Alive\r\n\r\n"
	if got != want {
		t.Errorf("response head %q", got)
	}
}
