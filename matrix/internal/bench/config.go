// Package bench is the quick measurement that users of such labs know: so many
// requests at such a concurrency, one JSON report.
package bench

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Config is what a quick measurement does.
type Config struct {
	Requests    int    // 1 to 10,000,000
	Conc        int    // connections, 1 to 10,000
	StreamEvery int    // 0 never, 1 always, N every Nth
	Target      string // base URL of an external gateway; "": one in this process
	Upstream    int    // port of the mock on 127.0.0.1; 0: a free one
	Model       string // name in the request
	Key         string // bearer token; "": the in-process gateway's own, or none
}

// Environment variables.
const (
	EnvTarget      = "TOLLGATE_BENCH_TARGET"
	EnvUpstream    = "TOLLGATE_BENCH_UPSTREAM_PORT"
	EnvStreamEvery = "TOLLGATE_BENCH_STREAM_EVERY"
	EnvModel       = "TOLLGATE_BENCH_MODEL"
	EnvKey         = "TOLLGATE_BENCH_KEY"
)

// Defaults of what is not said.
const (
	defaultRequests    = 500
	defaultConc        = 50
	defaultStreamEvery = 5
	defaultModel       = "bench"
	maxRequests        = 10_000_000
	maxConc            = 10_000
)

// Unknown is an error that names the variables of env ("NAME=value") which
// look like bench's and are none.
func Unknown(env []string) error {
	known := []string{EnvTarget, EnvUpstream, EnvStreamEvery, EnvModel, EnvKey}
	var faults []error
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		if strings.HasPrefix(name, "TOLLGATE_BENCH_") && !slices.Contains(known, name) {
			faults = append(faults, fmt.Errorf("%s is no variable of bench: it knows %s", name, strings.Join(known, ", ")))
		}
	}
	return errors.Join(faults...)
}

// Parse reads the arguments [requests] [concurrency] and the environment. A
// wrong value is an error that names its argument or variable.
func Parse(args []string, lookup func(string) (string, bool)) (Config, error) {
	c := Config{Requests: defaultRequests, Conc: defaultConc, StreamEvery: defaultStreamEvery, Model: defaultModel}
	var faults []error
	number := func(name, text string, lo, hi int, dst *int) {
		n, err := strconv.Atoi(text)
		if err != nil || n < lo || n > hi {
			faults = append(faults, fmt.Errorf("%s: %q is not a whole number from %d to %d", name, text, lo, hi))
			return
		}
		*dst = n
	}
	if len(args) > 2 {
		faults = append(faults, fmt.Errorf("unexpected argument %q: bench takes [requests] [concurrency]", args[2]))
	}
	if len(args) > 0 {
		number("requests", args[0], 1, maxRequests, &c.Requests)
	}
	if len(args) > 1 {
		number("concurrency", args[1], 1, maxConc, &c.Conc)
	}
	if v, ok := lookup(EnvStreamEvery); ok {
		number(EnvStreamEvery, v, 0, maxRequests, &c.StreamEvery)
	}
	if v, ok := lookup(EnvUpstream); ok {
		number(EnvUpstream, v, 1, 65535, &c.Upstream)
	}
	if v, ok := lookup(EnvTarget); ok {
		u, err := url.Parse(v)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
			faults = append(faults, fmt.Errorf("%s: %q is no base URL such as http://127.0.0.1:8080", EnvTarget, v))
		}
		c.Target = v
	}
	if v, ok := lookup(EnvModel); ok {
		if v == "" || len(v) > 128 {
			faults = append(faults, fmt.Errorf("%s: want a name of 1 to 128 bytes", EnvModel))
		}
		c.Model = v
	}
	if v, ok := lookup(EnvKey); ok {
		for _, r := range v {
			if r <= ' ' || r == 0x7f {
				faults = append(faults, fmt.Errorf("%s: holds a blank or a control character", EnvKey))
				break
			}
		}
		c.Key = v
	}
	return c, errors.Join(faults...)
}
