package loadgen

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestValidateNamesTheField(t *testing.T) {
	for _, tt := range []struct {
		story string
		edit  func(*Job)
		want  string // what the error begins with; empty: none
	}{
		{"a job as it should be", func(*Job) {}, ""},
		{"zero values have their defaults", func(j *Job) { j.Client, j.Method, j.Timeout, j.Join = "", "", 0, "" }, ""},
		{"https with vegeta", func(j *Job) { j.Target, j.Client = "https://example.com", ClientVegeta }, ""},
		{"a target with a path prefix", func(j *Job) { j.Target = "http://example.com/gateway/" }, ""},
		{"any body when nothing must be put into it", func(j *Job) { j.Body = []byte("not JSON") }, ""},

		{"no target", func(j *Job) { j.Target = "" }, "job: target:"},
		{"a target without scheme", func(j *Job) { j.Target = "localhost:80" }, "job: target:"},
		{"a target without host", func(j *Job) { j.Target = "http://:80" }, "job: target:"},
		{"a target with a query", func(j *Job) { j.Target = "http://x/?a=b" }, "job: target:"},
		{"https with lean", func(j *Job) { j.Target = "https://example.com" }, "job: target: client \"lean\""},
		{"no path", func(j *Job) { j.Path = "" }, "job: path:"},
		{"a path with a line break", func(j *Job) { j.Path = "/a\r\nHost: b" }, "job: path:"},
		{"an unknown method", func(j *Job) { j.Method = "post" }, "job: method:"},
		{"a key with a line break", func(j *Job) { j.Key = "a\r\nX: y" }, "job: key:"},
		{"a header name with a space", func(j *Job) { j.Headers = map[string]string{"a b": "c"} }, "job: headers:"},
		{"a header value with a line break", func(j *Job) { j.Headers = map[string]string{"a": "b\nc"} }, "job: headers:"},
		{"a header of the generator's own", func(j *Job) { j.Headers = map[string]string{"Content-length": "3"} }, "job: headers:"},
		{"a header twice", func(j *Job) { j.Headers = map[string]string{"x-a": "1", "X-A": "2"} }, "job: headers:"},
		{"two authorizations", func(j *Job) { j.Key, j.Headers = "k", map[string]string{"Authorization": "x"} }, "job: headers:"},
		{"a second request id", func(j *Job) { j.Headers = map[string]string{"x-request-id": "x"} }, "job: headers:"},
		{"an unknown client", func(j *Job) { j.Client = "curl" }, "job: client:"},
		{"no connections", func(j *Job) { j.Conc = 0 }, "job: conc:"},
		{"too many connections", func(j *Job) { j.Conc = MaxConc + 1 }, "job: conc:"},
		{"negative requests", func(j *Job) { j.Requests = -1 }, "job: requests:"},
		{"no end", func(j *Job) { j.Requests = 0 }, "job: requests:"},
		{"a negative warm-up", func(j *Job) { j.Warmup = -1 }, "job: warmup:"},
		{"a negative duration", func(j *Job) { j.Duration = -1 }, "job: duration:"},
		{"a negative stream share", func(j *Job) { j.StreamEvery = -1 }, "job: stream_every:"},
		{"a time-out of nothing", func(j *Job) { j.Timeout = 5 }, "job: timeout:"},
		{"a time-out that no histogram holds", func(j *Job) { j.Timeout = 11 * time.Minute }, "job: timeout:"},
		{"a negative rate", func(j *Job) { j.RatePerS = -1 }, "job: rate_per_s:"},
		{"a rate that is no number", func(j *Job) { j.RatePerS = math.NaN() }, "job: rate_per_s:"},
		{"arrivals in closed loop", func(j *Job) { j.Arrivals = ArrivalsPoisson }, "job: arrivals:"},
		{"unknown arrivals", func(j *Job) { j.RatePerS, j.Arrivals = 1, "bursty" }, "job: arrivals:"},
		{"more requests than a schedule holds", func(j *Job) { j.RatePerS, j.Requests, j.Duration = 1e6, 0, time.Hour }, "job: duration:"},
		{"an unknown join", func(j *Job) { j.Join = "cookie" }, "job: join:"},
		{"a join by a body that is not there", func(j *Job) { j.Join, j.Body = "body", nil }, "job: join:"},
		{"a join by a body that is no object", func(j *Job) { j.Join, j.Body = "body", []byte("[1]") }, "job: body:"},
		{"a stream of a body that is no object", func(j *Job) { j.StreamEvery, j.Body = 5, []byte(`{"a":1} x`) }, "job: body:"},
		{"a body that asks for a stream itself", func(j *Job) { j.Body = []byte(`{"stream": true}`) }, "job: body:"},
		{"a stream body that asks for none", func(j *Job) { j.StreamEvery, j.StreamBody = 5, []byte(`{"stream": false}`) }, "job: stream_body:"},
		{"a stream body without a plain one", func(j *Job) { j.StreamEvery, j.StreamBody, j.Body = 5, []byte(`{"stream":true}`), nil }, "job: body:"},
	} {
		t.Run(tt.story, func(t *testing.T) {
			job := jobFor("http://127.0.0.1:1", ClientLean)
			tt.edit(&job)
			err := job.Validate()
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("unexpected error: %v", err)
			case tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)):
				t.Errorf("error %v, want one that begins with %q", err, tt.want)
			}
		})
	}
}

func TestValidateNamesEveryField(t *testing.T) {
	err := (&Job{Conc: -1, StreamEvery: -1, Body: []byte("{}")}).Validate()
	for _, field := range []string{"target", "path", "conc", "requests", "stream_every"} {
		if err == nil || !strings.Contains(err.Error(), "job: "+field+":") {
			t.Errorf("%s is not named in: %v", field, err)
		}
	}
}

// A job that is wrong is refused before anything is sent.
func TestRunRefusesAWrongJob(t *testing.T) {
	s := serve(t, good)
	job := jobFor(s.url, ClientLean)
	job.StreamEvery = -1
	res, err := Run(t.Context(), job, nil)
	if err == nil || res != nil || s.received() != 0 {
		t.Errorf("result %v, error %v, %d requests sent", res, err, s.received())
	}
}
