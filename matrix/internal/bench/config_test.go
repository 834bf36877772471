package bench

import (
	"strings"
	"testing"
)

func lookupIn(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	}
}

func TestParse(t *testing.T) {
	def := Config{Requests: 500, Conc: 50, StreamEvery: 5, Model: "bench"}
	with := func(change func(*Config)) Config {
		c := def
		change(&c)
		return c
	}
	for _, c := range []struct {
		story string
		args  []string
		env   map[string]string
		want  Config
	}{
		{"nothing said", nil, nil, def},
		{"requests alone", []string{"2000"}, nil, with(func(c *Config) { c.Requests = 2000 })},
		{"both", []string{"10", "2"}, nil, with(func(c *Config) { c.Requests, c.Conc = 10, 2 })},
		{"never streamed", nil, map[string]string{EnvStreamEvery: "0"}, with(func(c *Config) { c.StreamEvery = 0 })},
		{"a gateway elsewhere", nil, map[string]string{EnvTarget: "https://gw.example:8443", EnvKey: "k", EnvModel: "m", EnvUpstream: "9090"}, with(func(c *Config) {
			c.Target, c.Key, c.Model, c.Upstream = "https://gw.example:8443", "k", "m", 9090
		})},
	} {
		t.Run(c.story, func(t *testing.T) {
			got, err := Parse(c.args, lookupIn(c.env))
			if err != nil || got != c.want {
				t.Errorf("%+v %v, want %+v", got, err, c.want)
			}
		})
	}
}

func TestWrongValuesAreErrors(t *testing.T) {
	for _, c := range []struct {
		story string
		args  []string
		env   map[string]string
		want  string // in the error
	}{
		{"no number of requests", []string{"many"}, nil, "requests:"},
		{"no request", []string{"0"}, nil, "requests:"},
		{"no connection", []string{"1", "0"}, nil, "concurrency:"},
		{"too much said", []string{"1", "1", "1"}, nil, "unexpected argument"},
		{"a share instead of every Nth", nil, map[string]string{EnvStreamEvery: "0.2"}, EnvStreamEvery},
		{"a negative share", nil, map[string]string{EnvStreamEvery: "-1"}, EnvStreamEvery},
		{"set but empty", nil, map[string]string{EnvStreamEvery: ""}, EnvStreamEvery},
		{"port 0", nil, map[string]string{EnvUpstream: "0"}, EnvUpstream},
		{"a port's name", nil, map[string]string{EnvUpstream: "http"}, EnvUpstream},
		{"a target without scheme", nil, map[string]string{EnvTarget: "127.0.0.1:8080"}, EnvTarget},
		{"an empty target", nil, map[string]string{EnvTarget: ""}, EnvTarget},
		{"an empty model", nil, map[string]string{EnvModel: ""}, EnvModel},
		{"a key with a newline", nil, map[string]string{EnvKey: "a\nb"}, EnvKey},
	} {
		t.Run(c.story, func(t *testing.T) {
			_, err := Parse(c.args, lookupIn(c.env))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one about %s", err, c.want)
			}
		})
	}
}

func TestUnknownVariables(t *testing.T) {
	if err := Unknown([]string{"PATH=/bin", EnvModel + "=m", "TOLLGATE_DATA=x"}); err != nil {
		t.Error(err)
	}
	err := Unknown([]string{"TOLLGATE_BENCH_STREM_EVERY=1"})
	if err == nil || !strings.Contains(err.Error(), "TOLLGATE_BENCH_STREM_EVERY is no variable") || !strings.Contains(err.Error(), EnvStreamEvery) {
		t.Errorf("error %v", err)
	}
}
