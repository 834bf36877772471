package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/loadgen"
	"github.com/tollgate-lab/tollgate/results/contract"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata")

const answer = `{"choices":[{"message":{"content":"hi"}}]}`

// gateway answers soundly, and with status when it is not 0.
func gateway(t *testing.T, status int) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		switch {
		case status > 0:
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"error":{"message":"no"}}`)
		case strings.Contains(string(body), `"stream":true`):
			_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\ndata: [DONE]\n\n")
		default:
			_, _ = io.WriteString(w, answer)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// command runs the program and gives its exit status and output.
func command(ctx context.Context, stdin string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(ctx, args, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

func TestExitStatus(t *testing.T) {
	good, refusing, broken := gateway(t, 0), gateway(t, 429), gateway(t, 500)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + l.Addr().String()
	l.Close()
	missing := filepath.Join(t.TempDir(), "missing")
	for _, tt := range []struct {
		story  string
		args   []string
		stdin  string
		want   int
		stdout string // part of it
		stderr string // part of it; empty: it must be empty
	}{
		{"all answered", []string{"--target", good, "--requests", "20", "--stream-every", "2"}, "", exitOK, "answered 20", ""},
		{"rejections are no failures", []string{"--target", refusing, "--requests", "3"}, "", exitOK, "rejected 3", ""},
		{"a failed request", []string{"--target", broken, "--requests", "3"}, "", exitFailed, "upstream_error 3", ""},
		{"nobody listens", []string{"--target", nobody, "--requests", "2"}, "", exitFailed, "refused 2", ""},
		{"help", []string{"--help"}, "", exitOK, "Examples", ""},
		{"help of run", []string{"run", "--help"}, "", exitOK, "Examples", ""},
		{"an unknown flag", []string{"--concurrency", "3"}, "", exitUsage, "", "not defined: -concurrency"},
		{"an argument too many", []string{"--conc", "3", "go"}, "", exitUsage, "", `unexpected argument "go"`},
		{"a wrong value", []string{"--conc", "0"}, "", exitUsage, "", "job: conc: 0"},
		{"a body file that is missing", []string{"--body", missing}, "", exitUsage, "", "--body: open"},
		{"a header without colon", []string{"--header", "x"}, "", exitUsage, "", "no colon"},
		{"a job that is no JSON", []string{"run"}, "{", exitUsage, "", "read job from standard input"},
		{"a job with an unknown key", []string{"run"}, `{"concurrency":3}`, exitUsage, "", `unknown field "concurrency"`},
		{"two jobs", []string{"run"}, `{}{}`, exitUsage, "", "something follows the job"},
		{"a job that is wrong", []string{"run"}, `{}`, exitUsage, "", "job: target:"},
		{"a job file that is missing", []string{"run", "--job", missing}, "", exitUsage, "", "read job: open"},
		{"a host that is unknown", []string{"--target", "http://no-such-host.invalid"}, "", exitFailed, "", "resolve"},
		{"a records file that cannot be", []string{"--target", good, "--requests", "1", "--records", filepath.Join(missing, "x")}, "", exitFailed, "answered 1", "write records"},
	} {
		t.Run(tt.story, func(t *testing.T) {
			code, stdout, stderr := command(t.Context(), tt.stdin, tt.args...)
			if code != tt.want {
				t.Errorf("status %d, want %d", code, tt.want)
			}
			if !strings.Contains(stdout, tt.stdout) {
				t.Errorf("output lacks %q:\n%s", tt.stdout, stdout)
			}
			if tt.stderr == "" && stderr != "" || !strings.Contains(stderr, tt.stderr) {
				t.Errorf("error output lacks %q:\n%s", tt.stderr, stderr)
			}
		})
	}
}

func TestJobInResultOut(t *testing.T) {
	dir := t.TempDir()
	job := loadgen.Job{
		Target: gateway(t, 0), Path: "/v1/chat/completions", Body: []byte(`{"model":"m"}`),
		Conc: 3, Requests: 30, Warmup: 5, StreamEvery: 3, ExpectContent: "hi", Nonce: 5,
	}
	raw, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "job.json")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	records := filepath.Join(dir, "records.bin")
	for _, tt := range []struct {
		stdin string
		args  []string
	}{
		{string(raw), []string{"run", "--records", records}},
		{"", []string{"run", "--quiet", "--job", file, "--records", records}},
	} {
		code, stdout, stderr := command(t.Context(), tt.stdin, tt.args...)
		var res loadgen.Result
		if err := json.Unmarshal([]byte(stdout), &res); err != nil || code != exitOK || stderr != "" {
			t.Fatalf("status %d, error output %q: %v", code, stderr, err)
		}
		if res.Scheduled != 30 || res.Outcomes["answered"] != 30 || res.WarmupOutcomes["answered"] != 5 {
			t.Errorf("result %+v", res)
		}
		if h, err := res.Histogram(loadgen.ServiceTime); err != nil || h.TotalCount() != 30 {
			t.Errorf("service time: %v", err)
		}
		f, err := os.Open(records)
		if err != nil {
			t.Fatal(err)
		}
		got, err := contract.ReadClientRecords(f)
		f.Close()
		if err != nil || len(got) != 30 || !got[2].Streamed || got[3].Streamed {
			t.Errorf("%d records, %v", len(got), err)
		}
	}
}

// An interrupted run prints what was measured and says so.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		cancel()
		<-release
	}))
	defer s.Close()
	defer close(release)
	code, stdout, _ := command(ctx, "", "--target", s.URL, "--requests", "5")
	if code != exitInterrupted || !strings.Contains(stdout, "client_aborted 1") || !strings.Contains(stdout, "interrupted") {
		t.Errorf("status %d, output:\n%s", code, stdout)
	}
}

func TestBodyAndExpectationFromFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	body, hi, ho := file("body", `{"x":1}`), file("hi", "hi"), file("ho", "ho")
	url := gateway(t, 0)
	if code, _, _ := command(t.Context(), "", "--target", url, "--requests", "2", "--body", body, "--expect", hi); code != exitOK {
		t.Errorf("the expected content: status %d", code)
	}
	code, stdout, _ := command(t.Context(), "", "--target", url, "--requests", "2", "--body", body, "--expect", ho)
	if code != exitFailed || !strings.Contains(stdout, "content_mismatch 2") {
		t.Errorf("other content: status %d, output:\n%s", code, stdout)
	}
}

func TestParseFlags(t *testing.T) {
	t.Setenv("LOADGEN_KEY", "from-environment")
	job, out, err := parseFlags([]string{
		"--target", "https://example.com", "--header", "A: b", "--header", "C:d", "--rate", "5",
		"--arrivals", "poisson", "--duration", "10s", "--records", "r", "--all", "--model", `a"b`,
	})
	if err != nil {
		t.Fatal(err)
	}
	if job.Client != loadgen.ClientVegeta || job.Key != "from-environment" || job.Headers["A"] != "b" || job.Headers["C"] != "d" ||
		job.Requests != 0 || job.Duration != 10*time.Second || !job.KeepRecords || !out.all || !json.Valid(job.Body) {
		t.Errorf("job %+v, output %+v", job, out)
	}
	if err := job.Validate(); err != nil {
		t.Error(err)
	}
	if job, _, err := parseFlags(nil); err != nil || job.Requests != 1000 {
		t.Errorf("without flags: %d requests, %v", job.Requests, err)
	}
}

func TestProgressLine(t *testing.T) {
	for want, p := range map[string]loadgen.Progress{
		"warming up":                                {Warmup: true, Total: 10},
		"0/10 requests":                             {Total: 10},
		"50/100 requests, 25/s, 2.0 s":              {Done: 50, Total: 100, Elapsed: 2 * time.Second},
		"50 requests, 25/s, 2.0 s of 10s, 3 failed": {Done: 50, Failed: 3, Elapsed: 2 * time.Second, Duration: 10 * time.Second},
	} {
		if got := progressLine(p); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Where lines cannot be overwritten, there is one every five seconds.
func TestMeterWithoutTerminal(t *testing.T) {
	var b bytes.Buffer
	m := newMeter(&b)
	for i := range 51 {
		m.show(loadgen.Progress{Done: int64(i), Elapsed: time.Duration(i) * 220 * time.Millisecond})
	}
	m.end()
	if got := strings.Count(b.String(), "\n"); got != 2 || strings.Contains(b.String(), "\r") {
		t.Errorf("11 seconds gave %d lines:\n%q", got, b.String())
	}
}

func TestTable(t *testing.T) {
	fill := func(n int, from, step int64) string {
		h := loadgen.NewHistogram()
		for i := range int64(n) {
			if err := h.RecordValue(from + i*step); err != nil {
				t.Fatal(err)
			}
		}
		s, err := loadgen.EncodeHistogram(h)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	closed := loadgen.Job{Target: "http://127.0.0.1:8080", Path: "/v1/chat/completions", Conc: 50}
	open := closed
	open.RatePerS, open.Arrivals = 2000, loadgen.ArrivalsPoisson
	full := loadgen.Result{
		Started: 1e9, Finished: 3.5e9, Scheduled: 10_010, CPUNs: 150_150_000,
		Outcomes:      map[string]int64{"answered": 10_000, "rejected": 7, "timeout": 3},
		ByStatus:      map[string]int64{"200": 10_000, "429": 7},
		ContentFrames: 8000, CoalescedFrames: 12,
		Histograms: map[loadgen.Latency]string{
			loadgen.ServiceTime: fill(10_000, 200_000, 100), loadgen.ServicePlain: fill(8000, 200_000, 100),
			loadgen.ServiceStream: fill(2000, 900, 1000), loadgen.TTFT: fill(2000, 500, 100), loadgen.ErrorTime: fill(10, 1e9, 1e9),
			loadgen.SendLag: fill(10_000, 1, 1), loadgen.ResponseTime: fill(10_000, 300_000, 100),
		},
		Errors:   []string{"request 5 (plain, id 8000000000000005): timeout: no end within 30s"},
		Warnings: []string{"7 requests were rejected; the first: over budget"},
	}
	few := loadgen.Result{
		Started: 1e9, Finished: 2e9, Scheduled: 150, Interrupted: true,
		Outcomes:   map[string]int64{"answered": 150},
		Histograms: map[loadgen.Latency]string{loadgen.ServiceTime: fill(150, 1_000_000, 1000)},
	}
	for name, tt := range map[string]struct {
		job *loadgen.Job
		res *loadgen.Result
		all bool
	}{
		"closed": {&closed, &full, false}, "open": {&open, &full, false},
		"few": {&closed, &few, false}, "few-all": {&closed, &few, true},
		"nothing": {&closed, &loadgen.Result{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := writeTable(&b, tt.job, tt.res, tt.all); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "table-"+name+".txt")
			if *update {
				if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if b.String() != string(want) {
				t.Errorf("%s differs; run with -update to rewrite it\n%s", file, b.String())
			}
		})
	}
}
