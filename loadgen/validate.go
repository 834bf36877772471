package loadgen

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strings"
	"time"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// Clients and arrivals that a Job may name.
const (
	ClientLean       = "lean"
	ClientVegeta     = "vegeta"
	ArrivalsConstant = "constant"
	ArrivalsPoisson  = "poisson"
)

// Bounds of a Job.
const (
	MaxConc       = 20_000     // connections; a host has about 28,000 ephemeral ports
	maxScheduled  = 50_000_000 // requests of one run: the open loop's schedule holds 8 bytes for each
	maxTimeout    = histogramMax
	DefaultWait   = 30 * time.Second // Timeout when it is 0
	reservedNames = " host content-length transfer-encoding connection expect upgrade te trailer "
)

// withDefaults fills in what an empty field stands for.
func (j Job) withDefaults() Job {
	if j.Method == "" {
		if j.Method = "GET"; len(j.Body) > 0 || len(j.StreamBody) > 0 {
			j.Method = "POST"
		}
	}
	if j.Client == "" {
		j.Client = ClientLean
	}
	if j.Join == "" {
		j.Join = contract.JoinHeader
	}
	if j.RatePerS > 0 && j.Arrivals == "" {
		j.Arrivals = ArrivalsConstant
	}
	if j.Timeout == 0 {
		j.Timeout = DefaultWait
	}
	return j
}

// Validate checks every field and names each one that is wrong, as it is
// called in JSON.
func (j *Job) Validate() error {
	d := j.withDefaults()
	var errs []error
	wrong := func(field, format string, args ...any) {
		errs = append(errs, fmt.Errorf("job: %s: %s", field, fmt.Sprintf(format, args...)))
	}
	d.validateTarget(wrong)
	d.validateLoad(wrong)
	d.validateBody(wrong)
	return errors.Join(errs...)
}

type complain func(field, format string, args ...any)

func (j *Job) validateTarget(wrong complain) {
	u, err := url.Parse(j.Target)
	switch {
	case err != nil:
		wrong("target", "%v", err)
	case u.Scheme != "http" && u.Scheme != "https":
		wrong("target", "%q does not begin with http:// or https://", j.Target)
	case u.Hostname() == "":
		wrong("target", "%q names no host", j.Target)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		wrong("target", "%q has more than scheme, host and path prefix; a query belongs to path, a key to key", u.Redacted())
	case u.Scheme == "https" && j.Client == ClientLean:
		wrong("target", "client %q speaks plain HTTP/1.1 only; use client %q for https", ClientLean, ClientVegeta)
	}
	if !strings.HasPrefix(j.Path, "/") || strings.ContainsFunc(j.Path, notInPath) {
		wrong("path", "%q is no path that begins with /", j.Path)
	}
	switch j.Method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
	default:
		wrong("method", "%q is not one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS", j.Method)
	}
	if !validFieldValue(j.Key) {
		wrong("key", "has a control character")
	}
	names := map[string]bool{}
	for name, value := range j.Headers {
		lower := strings.ToLower(name)
		twice := names[lower]
		names[lower] = true
		switch {
		case twice:
			wrong("headers", "%q is there twice, in different case", name)
		case !validFieldName(name):
			wrong("headers", "%q is no header name", name)
		case !validFieldValue(value):
			wrong("headers", "the value of %q has a control character", name)
		case strings.Contains(reservedNames, " "+lower+" "):
			wrong("headers", "%q is set by the generator", name)
		case lower == "authorization" && j.Key != "":
			wrong("headers", "%q is set from key", name)
		case lower == "x-request-id" && j.Join == contract.JoinHeader:
			wrong("headers", "%q carries the request id when join is %q", name, contract.JoinHeader)
		}
	}
}

func (j *Job) validateLoad(wrong complain) {
	if j.Client != ClientLean && j.Client != ClientVegeta {
		wrong("client", "%q is neither %q nor %q", j.Client, ClientLean, ClientVegeta)
	}
	if j.Conc < 1 || j.Conc > MaxConc {
		wrong("conc", "%d is not between 1 and %d", j.Conc, MaxConc)
	}
	if j.Requests < 0 || j.Requests > maxScheduled {
		wrong("requests", "%d is not between 0 and %d", j.Requests, maxScheduled)
	}
	if j.Warmup < 0 || j.Warmup > maxScheduled {
		wrong("warmup", "%d is not between 0 and %d", j.Warmup, maxScheduled)
	}
	if j.Duration < 0 {
		wrong("duration", "%v is negative", j.Duration)
	}
	if j.Requests == 0 && j.Duration == 0 {
		wrong("requests", "0, and duration is 0 too: nothing says when to end")
	}
	if j.StreamEvery < 0 {
		wrong("stream_every", "%d is negative; 0 never, 1 always, N every Nth", j.StreamEvery)
	}
	if j.Timeout < time.Millisecond || j.Timeout > maxTimeout {
		wrong("timeout", "%v is not between 1ms and %v", j.Timeout, time.Duration(maxTimeout))
	}
	switch {
	case math.IsNaN(j.RatePerS) || j.RatePerS < 0 || j.RatePerS > 1e6:
		wrong("rate_per_s", "%v is not between 0 and 1000000", j.RatePerS)
	case j.RatePerS == 0 && j.Arrivals != "":
		wrong("arrivals", "%q without rate_per_s: arrivals belong to open loop", j.Arrivals)
	case j.RatePerS > 0 && j.Arrivals != ArrivalsConstant && j.Arrivals != ArrivalsPoisson:
		wrong("arrivals", "%q is neither %q nor %q", j.Arrivals, ArrivalsConstant, ArrivalsPoisson)
	case j.RatePerS > 0 && j.Requests == 0 && j.RatePerS*j.Duration.Seconds() > maxScheduled:
		wrong("duration", "%v at %v per second is more than %d requests", j.Duration, j.RatePerS, maxScheduled)
	}
}

func (j *Job) validateBody(wrong complain) {
	switch j.Join {
	case contract.JoinHeader, contract.JoinNone:
	case contract.JoinBody:
		if len(j.Body) == 0 {
			wrong("join", "%q needs a body", contract.JoinBody)
		}
	default:
		wrong("join", "%q is not one of %q, %q, %q", j.Join, contract.JoinHeader, contract.JoinBody, contract.JoinNone)
	}
	needObject := j.Join == contract.JoinBody || j.StreamEvery > 0 && len(j.StreamBody) == 0
	if err := checkObject(j.Body); needObject && err != nil {
		wrong("body", "%v", err)
	} else if err == nil && asksForStream(j.Body) {
		wrong("body", `has "stream": true; leave that to stream_every`)
	}
	if len(j.StreamBody) > 0 {
		if err := checkObject(j.StreamBody); err != nil {
			wrong("stream_body", "%v", err)
		} else if !asksForStream(j.StreamBody) {
			wrong("stream_body", `has no "stream": true`)
		}
	}
	if j.StreamEvery == 1 && len(j.StreamBody) > 0 {
		return // the plain body is never sent
	}
	if len(j.StreamBody) > 0 && len(j.Body) == 0 {
		wrong("body", "is empty, but stream_every %d sends it too", j.StreamEvery)
	}
}

func asksForStream(body []byte) bool {
	var b struct {
		Stream any `json:"stream"`
	}
	return json.Unmarshal(body, &b) == nil && b.Stream == true
}

func notInPath(r rune) bool { return r <= ' ' || r >= 0x7f || r == '#' }

func validFieldName(s string) bool {
	for _, r := range s {
		if r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) {
			return false
		}
	}
	return s != ""
}

func validFieldValue(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}
