package loadgen

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/results/contract"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata")

// wire is a message as it leaves, with id in its place.
func (m *message) wire(id uint64) string {
	if !m.hasID {
		return string(m.before)
	}
	var b [contract.IDLen]byte
	contract.PutID(b[:], id)
	return string(m.before) + string(b[:]) + string(m.after)
}

func TestRenderedRequests(t *testing.T) {
	for name, edit := range map[string]func(*Job){
		"header":   func(*Job) {},
		"body":     func(j *Job) { j.Join = contract.JoinBody },
		"none":     func(j *Job) { j.Join = contract.JoinNone },
		"usage":    func(j *Job) { j.AskUsage = true },
		"get":      func(j *Job) { j.Body, j.StreamEvery, j.Path = nil, 0, "/v1/models?limit=3" },
		"prefix":   func(j *Job) { j.Target = "http://[::1]:8080/gw/" },
		"headers":  func(j *Job) { j.Headers = map[string]string{"X-B": "2", "X-A": "1", "content-type": "text/x"} },
		"own-body": func(j *Job) { j.StreamBody = []byte(`{"stream":true}`) },
	} {
		t.Run(name, func(t *testing.T) {
			job := jobFor("http://gateway.example:8080", ClientLean)
			job.Key, job.StreamEvery = "secret", 5
			edit(&job)
			if err := job.Validate(); err != nil {
				t.Fatal(err)
			}
			job = job.withDefaults()
			r, err := job.render()
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			fmt.Fprintf(&b, "dial %s, url %s\n\n-- plain --\n%s\n", r.hostport, r.url, r.plain.wire(0xabc))
			if job.StreamEvery > 0 {
				fmt.Fprintf(&b, "\n-- stream --\n%s\n", r.stream.wire(0xabc))
			}
			golden(t, "request-"+name+".txt", strings.ReplaceAll(b.String(), "\r\n", "\n"))
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run with -update to rewrite it\ngot:\n%s\nwant:\n%s", file, got, want)
	}
}
