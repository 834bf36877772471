package mockupstream

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// post is a chat request; headers end in CRLF each.
func post(path, version, headers, body string) string {
	return fmt.Sprintf("POST %s %s\r\nHost: mock\r\n%sContent-Length: %d\r\n\r\n%s", path, version, headers, len(body), body)
}

const (
	chat       = "/v1/chat/completions"
	plainBody  = `{"model":"m-1","messages":[{"role":"user","content":"hello"}]}`
	streamBody = `{"model":"m-1","stream":true,"messages":[{"role":"user","content":"hello"}]}`
	usageBody  = `{"model":"m-1","stream":true,"stream_options":{"include_usage":true},"messages":[]}`
)

// exchanges are raw dialogues; each has a golden file with the mock's side.
var exchanges = []struct {
	name, story, input string
}{
	{"plain", "an answer that is not streamed", post(chat, "HTTP/1.1", "", plainBody)},
	{"stream", "a stream without usage", post(chat, "HTTP/1.1", "", streamBody)},
	{"stream-usage", "a stream whose usage was asked for", post(chat, "HTTP/1.1", "", usageBody)},
	{"stream-close", "a stream on a connection that ends", post(chat, "HTTP/1.1", "Connection: close\r\n", streamBody)},
	{"stream-http10", "HTTP/1.0 knows no chunks: the stream ends with the connection", post(chat, "HTTP/1.0", "Connection: Keep-Alive\r\n", streamBody)},
	{"http10-keepalive", "ab's dialect: keep-alive is answered in words, twice", strings.Repeat(post(chat, "HTTP/1.0", "Connection: Keep-Alive\r\n", plainBody), 2)},
	{"http10", "HTTP/1.0 without keep-alive ends; the second request is not read", strings.Repeat(post(chat, "HTTP/1.0", "", plainBody), 2)},
	{"pipelined", "four requests at once are answered in order", post(chat, "HTTP/1.1", "", plainBody) + "GET /v1/models HTTP/1.1\r\nHost: mock\r\n\r\n" + post(chat, "HTTP/1.1", "", streamBody) + "GET /nowhere HTTP/1.1\r\nHost: mock\r\n\r\n"},
	{"chunked", "a chunked body with an extension and a trailer", "POST " + chat + " HTTP/1.1\r\nHost: mock\r\ntransfer-ENCODING: Chunked\r\n\r\n" +
		"5;a=b\r\n{\"mod\r\n" + fmt.Sprintf("%X\r\n%s\r\n", len(streamBody)-5, streamBody[5:]) + "0\r\nTrailer: x\r\n\r\n"},
	{"continue", "a body held back until 100 Continue", post(chat, "HTTP/1.1", "Expect: 100-continue\r\n", plainBody)},
	{"continue-http10", "HTTP/1.0 knows no expectation", post(chat, "HTTP/1.0", "Expect: 100-continue\r\n", plainBody)},
	{"head", "HEAD has the head of GET", "HEAD /v1/models HTTP/1.1\r\nHost: mock\r\n\r\nGET /v1/models?limit=1 HTTP/1.1\r\nHost: mock\r\n\r\n"},
	{"head-unknown", "HEAD of an unknown route has no body either", "HEAD / HTTP/1.1\r\nHost: mock\r\n\r\nGET http://mock/v1/models HTTP/1.1\r\nHost: mock\r\n\r\n"},
	{"embeddings", "one vector", post("/v1/embeddings", "HTTP/1.1", "", `{"model":"e","input":"hello"}`)},
	{"empty-lines", "empty lines before a request are skipped", "\r\n\r\nGET /v1/models HTTP/1.1\r\nHost: mock\r\n\r\n\r\n"},
	{"wrong-method", "a route knows its methods", "GET " + chat + " HTTP/1.1\r\nHost: mock\r\n\r\n" + post("/v1/models", "HTTP/1.1", "", "x")},
	{"not-json", "a body that is no object", post(chat, "HTTP/1.1", "", `["stream",true]`) + post(chat, "HTTP/1.1", "", ``)},
	{"get-with-body", "a body where none is expected is skipped", "GET /v1/models HTTP/1.1\r\nHost: mock\r\nContent-Length: 3\r\n\r\nabcGET /v1/models HTTP/1.1\r\nHost: mock\r\n\r\n"},
	{"bad-line", "refusals end the connection", "GET  /v1/models HTTP/1.1\r\nHost: mock\r\n\r\nGET /v1/models HTTP/1.1\r\nHost: mock\r\n\r\n"},
	{"head-refused", "the refusal of a HEAD has no body", "HEAD /v1/models HTTP/1.1\r\n\r\n"},
}

func TestExchanges(t *testing.T) {
	for _, e := range exchanges {
		t.Run(e.name, func(t *testing.T) {
			t.Log(e.story)
			got := talk(t, newServer(t, Script{}), e.input, 0).output.Bytes()
			file := filepath.Join("testdata", "exchanges", e.name+".golden")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// However a dialogue is cut into reads, the answer is the same, but for the
// leave to go on, which depends on what has arrived.
func TestExchangesInPieces(t *testing.T) {
	for _, e := range exchanges {
		t.Run(e.name, func(t *testing.T) {
			whole := talk(t, newServer(t, Script{}), e.input, 0)
			strip := func(c *memConn) string { return strings.ReplaceAll(c.output.String(), string(continueLine), "") }
			for step := 1; step <= len(e.input); step++ {
				if got := talk(t, newServer(t, Script{}), e.input, step); strip(got) != strip(whole) {
					t.Fatalf("in reads of %d bytes:\n%s\nwhole:\n%s", step, got.output.Bytes(), whole.output.Bytes())
				}
			}
		})
	}
}

// The standard client's reader finds in each dialogue the answers that the
// golden files hold, and nothing after them.
func TestExchangesReadBack(t *testing.T) {
	method := map[string]string{"head": "HEAD", "head-unknown": "HEAD", "head-refused": "HEAD"}
	wantAnswers := map[string]int{"http10-keepalive": 2, "pipelined": 4, "head": 2, "head-unknown": 2, "wrong-method": 2, "not-json": 2, "get-with-body": 2}
	for _, e := range exchanges {
		t.Run(e.name, func(t *testing.T) {
			out := talk(t, newServer(t, Script{}), e.input, 0).output.String()
			r := bufio.NewReader(strings.NewReader(strings.TrimPrefix(out, string(continueLine))))
			n := 0
			for ; ; n++ {
				if _, err := r.Peek(1); errors.Is(err, io.EOF) {
					break
				}
				req := &http.Request{Method: "POST"}
				if n == 0 && method[e.name] != "" {
					req.Method = method[e.name]
				}
				resp, err := http.ReadResponse(r, req)
				if err != nil {
					t.Fatalf("answer %d: %v", n, err)
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					t.Fatalf("answer %d: %v", n, err)
				}
			}
			if want := max(1, wantAnswers[e.name]); n != want {
				t.Errorf("%d answers, want %d", n, want)
			}
		})
	}
}

// A peer that sends the head, and the body only after leave, gets the leave.
func TestContinueIsSentBeforeTheBody(t *testing.T) {
	input := post(chat, "HTTP/1.1", "Expect: 100-continue\r\n", plainBody)
	head := len(input) - len(plainBody)
	out := talk(t, newServer(t, Script{}), input, head).output.String()
	if !strings.HasPrefix(out, string(continueLine)+"HTTP/1.1 200 ") {
		t.Errorf("got %q", out)
	}
}

func TestLargeBodies(t *testing.T) {
	text := strings.Repeat("long, ", 100_000)
	body := `{"messages":[{"role":"user","content":"` + text + `"}],"stream":true}`
	for _, step := range []int{1000, 4096, 0} {
		out := talk(t, newServer(t, Script{}), strings.Repeat(post(chat, "HTTP/1.1", "", body), 2), step).output.String()
		if n := strings.Count(out, "data: [DONE]"); n != 2 {
			t.Errorf("in reads of %d bytes: %d streams, want 2", step, n)
		}
	}
}

func TestLimits(t *testing.T) {
	srv, err := New(Options{MaxHeadBytes: 200, MaxBodyBytes: 100})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 300)
	for _, tc := range []struct {
		name, input string
		status      int
	}{
		{"a body at the limit", post(chat, "HTTP/1.1", "", `{"m":"`+strings.Repeat("x", 92)+`"}`), 200},
		{"a body beyond the limit", post(chat, "HTTP/1.1", "", `{"m":"`+strings.Repeat("x", 93)+`"}`), 413},
		{"a chunked body beyond the limit", "POST / HTTP/1.1\r\nHost: m\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n", 413},
		{"a header beyond the limit", "GET / HTTP/1.1\r\nHost: m\r\nX: " + long + "\r\n\r\n", 431},
		{"a header without end", "GET / HTTP/1.1\r\nHost: m\r\nX: " + long, 431},
		{"many headers", "GET / HTTP/1.1\r\nHost: m\r\n" + strings.Repeat("X: y\r\n", 50) + "\r\n", 431},
		{"trailers beyond the limit", "POST / HTTP/1.1\r\nHost: m\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + strings.Repeat("X: y\r\n", 50) + "\r\n", 431},
		{"many small chunks are no large head", "POST / HTTP/1.1\r\nHost: m\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1\r\nx\r\n", 90) + "0\r\n\r\n", 404},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out := talk(t, srv, tc.input, 0).output.String()
			if want := fmt.Sprintf("HTTP/1.1 %d ", tc.status); !strings.HasPrefix(out, want) {
				t.Errorf("got %q, want %s", out, want)
			}
		})
	}
}
