package loadgen

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// seen is what a server saw of each request, by id.
type seen struct {
	mu     sync.Mutex
	stream map[string]bool
	bodies map[string]string
	twice  []string
}

// watch answers soundly and notes what came under which id.
func (s *seen) watch(n int, req *http.Request, body []byte) reply {
	id := req.Header.Get(contract.HeaderRequestID)
	if id == "" {
		if _, after, ok := strings.Cut(string(body), `"user":"`); ok {
			id, _, _ = strings.Cut(after, `"`)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stream == nil {
		s.stream, s.bodies = map[string]bool{}, map[string]string{}
	}
	if _, ok := s.stream[id]; ok {
		s.twice = append(s.twice, id)
	}
	s.stream[id] = asksStream(body)
	s.bodies[id] = string(body)
	return good(n, req, body)
}

func TestClosedLoopCountsWarmupApart(t *testing.T) {
	eachClient(t, func(t *testing.T, client string) {
		var saw seen
		s := serve(t, saw.watch)
		job := jobFor(s.url, client)
		job.Conc, job.Warmup, job.Requests, job.StreamEvery, job.KeepRecords = 4, 13, 100, 5, true
		job.Nonce = 99
		res := mustRun(t, job)

		if s.received() != 113 || len(saw.twice) > 0 {
			t.Errorf("the server received %d requests, ids twice: %v", s.received(), saw.twice)
		}
		if !maps.Equal(res.Outcomes, map[string]int64{"answered": 100}) || !maps.Equal(res.WarmupOutcomes, map[string]int64{"answered": 13}) {
			t.Errorf("outcomes %v, warm-up %v", res.Outcomes, res.WarmupOutcomes)
		}
		if res.Scheduled != 100 || res.ByStatus["200"] != 100 || res.Connects != 4 {
			t.Errorf("scheduled %d, by status %v, connects %d", res.Scheduled, res.ByStatus, res.Connects)
		}
		if res.ContentFrames != 60 || res.CoalescedFrames < 0 || res.CoalescedFrames > 40 {
			t.Errorf("%d content frames, %d coalesced", res.ContentFrames, res.CoalescedFrames)
		}
		if want := int64(80*len(job.Body) + 20*(len(job.Body)+len(`"stream":true,`))); res.BytesOut != want {
			t.Errorf("%d bytes out, want %d", res.BytesOut, want)
		}
		if res.CPUNs <= 0 || res.Started <= 0 || res.Finished < res.Started {
			t.Errorf("CPU %d ns, started %d, finished %d", res.CPUNs, res.Started, res.Finished)
		}
		checkRecords(t, &job, res, &saw)
	})
}

func checkRecords(t *testing.T, job *Job, res *Result, saw *seen) {
	t.Helper()
	if len(res.Records) != job.Requests {
		t.Fatalf("%d records, want %d", len(res.Records), job.Requests)
	}
	for i, r := range res.Records {
		if want := contract.MakeID(job.Nonce, uint64(i+job.Warmup)); r.ID != want {
			t.Fatalf("record %d has id %x, want %x", i, r.ID, want)
		}
		if want := contract.StreamedAt(job.StreamEvery, uint64(i)); r.Streamed != want {
			t.Errorf("record %d streamed: %v, want %v", i, r.Streamed, want)
		}
		var id [contract.IDLen]byte
		contract.PutID(id[:], r.ID)
		if asked, ok := saw.stream[string(id[:])]; !ok || asked != r.Streamed {
			t.Errorf("record %d: the server saw its id %v, as a stream %v", i, ok, asked)
		}
		if r.Intended != r.Sent || r.Sent > r.FirstByte || r.FirstByte > r.LastByte || r.Status != 200 || r.Outcome != contract.Answered {
			t.Errorf("record %d: %+v", i, r)
		}
		if r.Streamed != (r.FirstContent >= r.FirstByte && r.Frames == 3) {
			t.Errorf("record %d: %+v", i, r)
		}
	}
}

// A large body is sent in one vectored write, whole, whichever way the id goes.
func TestLargeBodies(t *testing.T) {
	eachClient(t, func(t *testing.T, client string) {
		for _, join := range []contract.Join{contract.JoinHeader, contract.JoinBody, contract.JoinNone} {
			var saw seen
			s := serve(t, saw.watch)
			job := jobFor(s.url, client)
			job.Body = []byte(`{"messages":[{"role":"user","content":"` + strings.Repeat("0123456789", 20_000) + `"}]}`)
			job.Join, job.Requests, job.StreamEvery = join, 10, 2
			res := mustRun(t, job)
			if res.Outcomes["answered"] != 10 {
				t.Fatalf("join %s: outcomes %v, errors %q", join, res.Outcomes, res.Errors)
			}
			if want := 10; join != contract.JoinNone && len(saw.bodies) != want {
				t.Errorf("join %s: %d ids seen, want %d", join, len(saw.bodies), want)
			}
			for id, body := range saw.bodies {
				if !strings.HasSuffix(body, string(job.Body[1:])) {
					t.Errorf("join %s id %s: body changed on the way", join, id)
				}
				if _, ok := contract.ParseID([]byte(id)); !ok && join != contract.JoinNone {
					t.Errorf("join %s: id %q", join, id)
				}
			}
		}
	})
}

func TestDurationEndsAClosedLoop(t *testing.T) {
	eachClient(t, func(t *testing.T, client string) {
		s := serve(t, good)
		job := jobFor(s.url, client)
		job.Requests, job.Duration, job.KeepRecords = 0, 50*time.Millisecond, true
		res := mustRun(t, job)
		if res.Scheduled == 0 || res.Outcomes["answered"] != res.Scheduled || int64(len(res.Records)) != res.Scheduled {
			t.Errorf("scheduled %d, outcomes %v, %d records", res.Scheduled, res.Outcomes, len(res.Records))
		}
		for i, r := range res.Records {
			if want := contract.MakeID(job.Nonce, uint64(i)); r.ID != want {
				t.Fatalf("record %d has id %x, want %x", i, r.ID, want)
			}
		}
	})
}

// ctx's end aborts what is in flight; what was measured stays.
func TestInterruptedRunsKeepWhatTheyMeasured(t *testing.T) {
	eachClient(t, func(t *testing.T, client string) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := serve(t, func(n int, req *http.Request, body []byte) reply {
			if n < 10 {
				return good(n, req, body)
			}
			if n == 11 { // both connections are in a request that never ends
				cancel()
			}
			return reply{then: hang}
		})
		job := jobFor(s.url, client)
		job.Requests = 1000
		res, err := Run(ctx, job, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !res.Interrupted || !maps.Equal(res.Outcomes, map[string]int64{"answered": 10, "client_aborted": 2}) || res.Scheduled != 12 {
			t.Errorf("interrupted %v, outcomes %v, scheduled %d", res.Interrupted, res.Outcomes, res.Scheduled)
		}
		if len(res.Errors) != 0 {
			t.Errorf("leaving on purpose is no failure: %q", res.Errors)
		}
	})
}

func TestProgressEndsAtTheEnd(t *testing.T) {
	s := serve(t, good)
	job := jobFor(s.url, ClientLean)
	var last Progress
	if _, err := Run(t.Context(), job, func(p Progress) { last = p }); err != nil {
		t.Fatal(err)
	}
	if last.Done != 20 || last.Total != 20 || last.Failed != 0 || last.Warmup {
		t.Errorf("the last progress is %+v", last)
	}
}

// A server that closes each connection after its answer costs a connection
// each, and no request.
func TestConnectionsThatClose(t *testing.T) {
	eachClient(t, func(t *testing.T, client string) {
		s := serve(t, always(end, length(200, chat(hello), "Connection: close")))
		job := jobFor(s.url, client)
		job.Conc = 1
		res := mustRun(t, job)
		if res.Outcomes["answered"] != 20 || res.Connects != 20 {
			t.Errorf("outcomes %v, %d connects", res.Outcomes, res.Connects)
		}
	})
}

// net/http's own server is understood by both clients, and TLS by vegeta.
func TestNetHTTPServer(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		switch {
		case req.URL.Path == "/healthz":
			_, _ = io.WriteString(w, "ok")
		case req.Method == "HEAD":
			w.Header().Set("Content-Length", "100")
		case asksStream(body):
			w.Header().Set("Content-Type", "text/event-stream")
			for _, f := range frames(hello, 4) {
				_, _ = io.WriteString(w, f)
				w.(http.Flusher).Flush()
			}
		default:
			_, _ = io.WriteString(w, chat(hello))
		}
	})
	plain := httptest.NewServer(handler)
	defer plain.Close()
	eachClient(t, func(t *testing.T, client string) {
		for story, edit := range map[string]func(*Job){
			"chat":   func(j *Job) { j.StreamEvery = 3 },
			"health": func(j *Job) { j.Path, j.Body, j.ExpectContent = "/healthz", nil, "" },
			"head":   func(j *Job) { j.Method, j.Body = "HEAD", nil },
		} {
			job := jobFor(plain.URL, client)
			edit(&job)
			if res := mustRun(t, job); res.Outcomes["answered"] != 20 {
				t.Errorf("%s: outcomes %v, errors %q", story, res.Outcomes, res.Errors)
			}
		}
	})
}

// An untrusted certificate is a connection that cannot be had.
func TestTLSCertificatesAreVerified(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, chat(hello))
	}))
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	server.Config.ErrorLog = discardLog()
	server.StartTLS()
	defer server.Close()
	job := jobFor(server.URL, ClientVegeta)
	job.Requests = 2
	res := mustRun(t, job)
	if res.Outcomes["refused"] != 2 || !strings.Contains(strings.Join(res.Errors, " "), "certificate") {
		t.Errorf("outcomes %v, errors %q", res.Outcomes, res.Errors)
	}
}

func TestUnknownHostIsAnErrorOfTheRun(t *testing.T) {
	job := jobFor("http://no-such-host.invalid", ClientLean)
	res, err := Run(t.Context(), job, nil)
	if err == nil || res != nil || errors.Is(err, context.Canceled) {
		t.Errorf("result %v, error %v", res, err)
	}
}
