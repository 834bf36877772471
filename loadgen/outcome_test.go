package loadgen

import (
	"maps"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// always gives every request the same reply.
func always(then ending, pieces ...string) func(int, *http.Request, []byte) reply {
	return func(int, *http.Request, []byte) reply { return reply{pieces, then} }
}

var outcomes = []struct {
	story    string
	streamed bool
	timeout  time.Duration // 0: long
	script   func(int, *http.Request, []byte) reply
	want     contract.Outcome
	words    string // part of the first failure's words
}{
	{story: "a whole answer", script: good, want: contract.Answered},
	{story: "a whole stream", streamed: true, script: good, want: contract.Answered},
	{story: "an answer in chunks", script: always(keep, streamHead+chunked(chat(hello)[:9], chat(hello)[9:])+lastChunk), want: contract.Answered},
	{story: "an answer until the connection closes", script: always(end, "HTTP/1.1 200 OK\r\n\r\n"+chat(hello)), want: contract.Answered},
	{story: "an answer that closes the connection", script: always(end, length(200, chat(hello), "Connection: close")), want: contract.Answered},
	{story: "an interim answer first", script: always(keep, "HTTP/1.1 103 Early Hints\r\n\r\n", length(200, chat(hello))), want: contract.Answered},

	{story: "400", script: always(keep, length(400, `{"error":{"message":"bad"}}`)), want: contract.Rejected},
	{story: "401", script: always(keep, length(401, `{}`)), want: contract.Rejected},
	{story: "403", script: always(keep, length(403, `{}`)), want: contract.Rejected},
	{story: "413 that closes the connection", script: always(end, length(413, `{}`, "Connection: close")), want: contract.Rejected},
	{story: "429 made by the gateway is a rejection all the same", script: always(keep, length(429, `{}`, "X-Tollgate-Error: budget")), want: contract.Rejected},
	{story: "500 of the upstream", script: always(keep, length(500, `{"error":"oops"}`)), want: contract.UpstreamError, words: "oops"},
	{story: "502 made by the gateway", script: always(keep, length(502, `{}`, "X-Tollgate-Error: upstream_refused")), want: contract.GatewayError, words: "upstream_refused"},
	{story: "404", script: always(keep, length(404, `{}`)), want: contract.UpstreamError, words: "status 404"},
	{story: "a redirect is not followed", script: always(keep, length(302, `{}`, "Location: /elsewhere")), want: contract.UpstreamError},
	{story: "500 instead of a stream", streamed: true, script: always(keep, length(500, `{}`)), want: contract.UpstreamError},
	{story: "an error inside a stream", streamed: true, script: always(keep, streamHead+chunked("data: {\"error\":{\"message\":\"overloaded\"}}\n\n")+lastChunk), want: contract.UpstreamError, words: "overloaded"},

	{story: "closed before any byte", script: always(end), want: contract.Reset},
	{story: "reset before any byte", script: always(reset), want: contract.Reset},
	{story: "closed inside the head", script: always(end, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n"), want: contract.ShortBody},
	{story: "a short body", script: always(end, length(200, chat(hello))[:150]), want: contract.ShortBody},
	{story: "a short body of an error", script: always(end, "HTTP/1.1 500 X\r\nContent-Length: 10\r\n\r\n{}"), want: contract.ShortBody},
	{story: "no last chunk", streamed: true, script: always(end, streamHead+chunked(frames(hello, 3)...)), want: contract.ShortBody},
	{story: "half a chunk", streamed: true, script: always(end, streamHead+"ff\r\ndata: "), want: contract.ShortBody},

	{story: "not HTTP at all", script: always(end, "220 mail.example.com ESMTP ready and waiting\r\n\r\n"), want: contract.BadStream},
	{story: "a bad chunk size", streamed: true, script: always(end, streamHead+"zz\r\ndata: "), want: contract.BadStream},
	{story: "a chunk longer than it says", streamed: true, script: always(end, streamHead+"4\r\ndata: \r\n"+lastChunk), want: contract.BadStream},
	{story: "two lengths", script: always(end, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}"), want: contract.BadStream},
	{story: "no terminator", streamed: true, script: always(keep, streamHead+chunked(frames(hello, 3)[:4]...)+lastChunk), want: contract.BadStream, words: "[DONE]"},
	{story: "an event that is not JSON", streamed: true, script: always(keep, streamHead+chunked("data: {\n\n", "data: [DONE]\n\n")+lastChunk), want: contract.BadStream},
	{story: "a stream was asked for, and a whole answer came", streamed: true, script: always(keep, length(200, chat(hello))), want: contract.BadStream},
	{story: "an answer that is not JSON", script: always(keep, length(200, `<html>`)), want: contract.BadStream, words: "JSON"},

	{story: "other content", script: always(keep, length(200, chat("Hallo there."))), want: contract.ContentMismatch, words: "byte 1"},
	{story: "a stream that lacks a frame", streamed: true, script: always(keep, streamHead+chunked(append(frames(hello, 3)[:1], frames(hello, 3)[2:]...)...)+lastChunk), want: contract.ContentMismatch},

	{story: "no answer in time", timeout: 60 * time.Millisecond, script: always(hang), want: contract.Timeout, words: "60ms"},
	{story: "a stream that stops", streamed: true, timeout: 60 * time.Millisecond, script: always(hang, streamHead+chunked(frames(hello, 3)[:2]...)), want: contract.Timeout},
}

// Every way for a request to end has its outcome, the same with both clients.
func TestOutcomes(t *testing.T) {
	for _, tt := range outcomes {
		t.Run(tt.story, func(t *testing.T) {
			eachClient(t, func(t *testing.T, client string) {
				s := serve(t, tt.script)
				job := jobFor(s.url, client)
				job.Requests, job.Warmup = 4, 1
				if tt.streamed {
					job.StreamEvery = 1
				}
				if tt.timeout > 0 {
					job.Timeout = tt.timeout
				}
				res := mustRun(t, job)
				want := map[string]int64{tt.want.String(): 4}
				if !maps.Equal(res.Outcomes, want) {
					t.Fatalf("outcomes %v, want %v; errors %q", res.Outcomes, want, res.Errors)
				}
				if res.Scheduled != 4 || res.WarmupOutcomes[tt.want.String()] != 1 {
					t.Errorf("scheduled %d, warm-up %v", res.Scheduled, res.WarmupOutcomes)
				}
				if s.received() != 5 {
					t.Errorf("the server received %d requests, want 5", s.received())
				}
				checkWords(t, res, tt.want, tt.words)
				checkHistograms(t, res, tt.want, tt.streamed)
			})
		})
	}
}

func checkWords(t *testing.T, res *Result, o contract.Outcome, part string) {
	t.Helper()
	if (len(res.Errors) > 0) != o.Failed() {
		t.Errorf("outcome %v with errors %q", o, res.Errors)
	}
	if o.Failed() && !strings.Contains(res.Errors[0], part) {
		t.Errorf("error %q does not say %q", res.Errors[0], part)
	}
	if rejected := o == contract.Rejected; rejected != strings.Contains(strings.Join(res.Warnings, " "), "rejected") {
		t.Errorf("outcome %v with warnings %q", o, res.Warnings)
	}
}

// checkHistograms checks that answered requests, and only they, are in the
// histograms of the answered.
func checkHistograms(t *testing.T, res *Result, o contract.Outcome, streamed bool) {
	t.Helper()
	for _, l := range slots {
		h, err := res.Histogram(l)
		if err != nil {
			t.Fatal(err)
		}
		var want int64
		switch l {
		case ServiceTime, FirstByte:
			want = res.Outcomes["answered"]
		case ServicePlain:
			if !streamed {
				want = res.Outcomes["answered"]
			}
		case ServiceStream, TTFT, TPOT:
			if streamed {
				want = res.Outcomes["answered"]
			}
		case ErrorTime:
			want = res.Scheduled - res.Outcomes["answered"]
		case ITL:
			continue // depends on how the reads fell
		}
		if h.TotalCount() != want {
			t.Errorf("%s has %d values, want %d (outcome %v)", l, h.TotalCount(), want, o)
		}
	}
}

func TestRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	l.Close()
	eachClient(t, func(t *testing.T, client string) {
		job := jobFor(url, client)
		job.Requests = 6
		res := mustRun(t, job)
		if want := map[string]int64{"refused": 6}; !maps.Equal(res.Outcomes, want) {
			t.Errorf("outcomes %v, want %v", res.Outcomes, want)
		}
		if len(res.Errors) != 6 || res.Connects != 0 || res.Started != 0 {
			t.Errorf("errors %q, connects %d, started %d", res.Errors, res.Connects, res.Started)
		}
	})
}

// net/http takes a header line that was cut for a malformed one.
func TestClosedInsideAHeaderLine(t *testing.T) {
	s := serve(t, always(end, "HTTP/1.1 200 OK\r\nContent-"))
	for client, want := range map[string]string{ClientLean: "short_body", ClientVegeta: "bad_stream"} {
		if res := mustRun(t, jobFor(s.url, client)); res.Outcomes[want] != 20 {
			t.Errorf("%s: outcomes %v, want %s", client, res.Outcomes, want)
		}
	}
}

// Only the lean client sees bytes that nobody asked for; net/http drops the
// connection without a word.
func TestBytesAfterTheAnswer(t *testing.T) {
	s := serve(t, always(keep, length(200, chat(hello))+"HTTP"))
	res := mustRun(t, jobFor(s.url, ClientLean))
	if res.Outcomes["bad_stream"] != 20 || !strings.Contains(res.Errors[0], "4 bytes after its end") {
		t.Errorf("outcomes %v, errors %q", res.Outcomes, res.Errors)
	}
}

// However the server cuts its bytes, the answer is the same.
func TestAnswersSplitAtEveryByte(t *testing.T) {
	stream := streamHead + chunked(frames(hello, 3)...) + lastChunk
	s := serve(t, func(n int, _ *http.Request, body []byte) reply {
		answer := length(200, chat(hello))
		if asksStream(body) {
			answer = stream
		}
		cut := n % len(answer)
		return reply{pieces: []string{answer[:cut], answer[cut:]}}
	})
	eachClient(t, func(t *testing.T, client string) {
		job := jobFor(s.url, client)
		job.Conc, job.StreamEvery, job.Requests = 1, 2, 2*len(stream)
		res := mustRun(t, job)
		if res.Outcomes["answered"] != int64(job.Requests) {
			t.Fatalf("outcomes %v; errors %q", res.Outcomes, res.Errors)
		}
		if want := int64(3 * job.Requests / 2); res.ContentFrames != want {
			t.Errorf("%d content frames, want %d", res.ContentFrames, want)
		}
	})
}

// A server that is right now and then is counted right.
func TestMixedOutcomesAddUp(t *testing.T) {
	eachClient(t, func(t *testing.T, client string) {
		s := serve(t, func(n int, req *http.Request, body []byte) reply {
			switch n % 5 {
			case 0:
				return always(keep, length(429, `{}`))(n, req, body)
			case 1:
				return always(reset)(n, req, body)
			case 2:
				return always(end, length(200, chat(hello))[:150])(n, req, body)
			}
			return good(n, req, body)
		})
		job := jobFor(s.url, client)
		job.Requests, job.Conc = 100, 4
		res := mustRun(t, job)
		want := map[string]int64{"rejected": 20, "reset": 20, "short_body": 20, "answered": 40}
		if !maps.Equal(res.Outcomes, want) || res.Scheduled != 100 {
			t.Errorf("outcomes %v, want %v", res.Outcomes, want)
		}
		if len(res.Errors) != maxWords {
			t.Errorf("%d failures in words, want the first %d", len(res.Errors), maxWords)
		}
	})
}
