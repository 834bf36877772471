package config

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var ignoreSource = cmpopts.IgnoreUnexported(Config{})

func TestAnEmptyFileIsTheDefault(t *testing.T) {
	for _, text := range []string{"", "\n\n", "# only words\n", "---\n", "log:\nkeys:\n"} {
		c, err := Parse("gateway.yaml", []byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if d := cmp.Diff(Default(), c, ignoreSource); d != "" {
			t.Errorf("%q:\n%s", text, d)
		}
	}
}

func TestEveryKindOfValue(t *testing.T) {
	c, err := Parse("gateway.yaml", []byte(`
listen: :9000
workers: 4
drain_timeout: 1m30s
providers:
  - &p {name: a, base_url: http://127.0.0.1:1/v1, timeouts: {head: 0s}}
  - name: b
    base_url: https://example.com
models:
  - {name: "*", provider: a, price: {input_per_mtok: 0.15, output_per_mtok: "0.000000001"}}
  - {name: 4.1, upstream_model: 4, provider: b, max_output_tokens: 1_000}
keys:
  - {name: k, sha256: abc, models: [4.1], budget: {dollars: 1, tokens: 0, period: day}, disabled: true}
limits: {max_body: 16MiB, max_head: 2048}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	one, none := dollar, int64(0)
	want.Listen, want.Workers, want.DrainTimeout = ":9000", 4, 90*time.Second
	want.Providers = []Provider{
		{Name: "a", Dialect: "openai", BaseURL: "http://127.0.0.1:1/v1", Timeouts: Timeouts{Connect: 5 * time.Second, Body: 2 * time.Minute}},
		{Name: "b", Dialect: "openai", BaseURL: "https://example.com", Timeouts: Timeouts{Connect: 5 * time.Second, Head: 10 * time.Minute, Body: 2 * time.Minute}},
	}
	want.Models = []Model{
		{Name: "*", Provider: "a", Price: &Price{150_000_000, 1}, MaxOutputTokens: 16_384},
		{Name: "4.1", UpstreamModel: "4", Provider: "b", MaxOutputTokens: 1000},
	}
	want.Keys = []Key{{Name: "k", SHA256: "abc", Models: []string{"4.1"}, Budget: Budget{Dollars: &one, Tokens: &none, Period: "day"}, Disabled: true}}
	want.Limits.MaxBody, want.Limits.MaxHead = 16*mib, 2*kib
	if d := cmp.Diff(want, c, ignoreSource); d != "" {
		t.Error(d)
	}
}

func TestParseErrorsNamePlaceAndKey(t *testing.T) {
	for _, tc := range []struct{ story, text, want string }{
		{"a letter too much", "listenn: x", `f.yaml:1: unknown key "listenn"; did you mean "listen"?`},
		{"letters swapped, deep inside", "\nproviders:\n  - name: a\n    base_ulr: x", `f.yaml:4: providers[0]: unknown key "base_ulr"; did you mean "base_url"?`},
		{"the wrong case", "Workers: 2", `f.yaml:1: unknown key "Workers"; did you mean "workers"?`},
		{"a key nothing is like", "control:\n  zzzzzzzz: 1", `f.yaml:2: control: unknown key "zzzzzzzz"; known here: listen`},
		{"a merge key is no key", "a: &a {}\n<<: *a", `unknown key "<<"`},
		{"a key given twice", "workers: 1\nlisten: a\nworkers: 2", `f.yaml:3: workers: given twice, first on line 1`},
		{"words where a number belongs", "\nworkers: many", `f.yaml:2: workers: want a whole number, got "many"`},
		{"a fraction where a whole number belongs", "workers: 1.5", `f.yaml:1: workers: want a whole number, got "1.5"`},
		{"a number without unit as duration", "drain_timeout: 30", `want a duration such as "30s" (ms, s, m or h), got "30"`},
		{"a negative duration", "drain_timeout: -3s", `want a duration`},
		{"a size in unknown units", "limits: {max_body: 3MB}", `f.yaml:1: limits.max_body: want a size such as "16MiB"`},
		{"a negative size", "limits: {max_body: -1}", `limits.max_body: want a size`},
		{"money with an exponent", "default_price: {input_per_mtok: 1e3}", `default_price.input_per_mtok: want dollars`},
		{"money finer than a nano-dollar", "default_price: {input_per_mtok: 0.0000000001}", `at most nine decimals`},
		{"negative money", "default_price: {input_per_mtok: -1}", `want dollars`},
		{"more money than there is", "default_price: {input_per_mtok: 99999999999}", `want at most 9000000000 dollars`},
		{"yes is not true", "stages: {auth: yes}", `stages.auth: want true or false, got "yes"`},
		{"a truth where text belongs", "engine: true", `engine: want text, got true: put it in quotes`},
		{"a key without a value", "engine:", `f.yaml:1: engine: has no value`},
		{"a list where a section belongs", "log: [1]", `log: want keys and values, got a list`},
		{"a value where a section belongs", "log: sqlite", `log: want keys and values, got "sqlite"`},
		{"a section where a list belongs", "models: {name: a}", `models: want a list, got keys and values`},
		{"a section where a value belongs", "listen: {a: b}", `listen: want one value, got keys and values`},
		{"a file that is a list", "- a", `f.yaml:1: want keys and values, got a list`},
		{"a second document", "workers: 1\n---\nworkers: 2", `f.yaml:2: a config is one YAML document`},
		{"broken YAML", "listen: a\n  b: [", `f.yaml:2: not YAML`},
		{"an anchor that is nowhere", "listen: *nowhere", `f.yaml:1: not YAML: unknown anchor`},
		{"bytes that are no text", "listen: a\nb: \xff\xfe", `f.yaml:2: not a text file`},
		{"a control character", "listen: a\x00", `f.yaml:1: not a text file`},
	} {
		_, err := Parse("f.yaml", []byte(tc.text))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want %s", tc.story, err, tc.want)
		}
	}
}

func TestAllFaultsAreShownTogether(t *testing.T) {
	_, err := Parse("f.yaml", []byte("workers: x\nlisten: y\nengin: z\n"))
	if err == nil || !strings.Contains(err.Error(), "f.yaml:1: workers") || !strings.Contains(err.Error(), `f.yaml:3: unknown key "engin"`) {
		t.Error(err)
	}
	_, err = Parse("f.yaml", []byte(strings.Repeat("- a\n", 1)+"x: y"))
	if err == nil {
		t.Error("no error")
	}
	many := "models:\n" + strings.Repeat("  - {nam: a}\n", 1000)
	_, err = Parse("f.yaml", []byte(many))
	if n := strings.Count(err.Error(), "\n") + 1; n != most {
		t.Errorf("%d lines of errors, want the first %d", n, most)
	}
}

func TestScalarsRoundTrip(t *testing.T) {
	for _, s := range []string{"0.00", "2.50", "0.000000001", "9000000000.00", "12.345678901", "0.10"} {
		if d, err := ParseDollars(s); err != nil || d.String() != s {
			t.Errorf("dollars %s: %s, %v", s, d, err)
		}
	}
	for _, s := range []string{"0B", "1B", "1023B", "1KiB", "1025B", "16MiB", "3GiB", "1024GiB"} {
		if n, err := ParseSize(s); err != nil || n.String() != s {
			t.Errorf("size %s: %s, %v", s, n, err)
		}
	}
	for _, s := range []string{"0s", "5s", "100ms", "10m", "1m15s", "1h", "1h30m", "24h", "1h0m5s"} {
		if d, err := parseDuration(s); err != nil || formatDuration(d) != s {
			t.Errorf("duration %s: %s, %v", s, formatDuration(d), err)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"lsiten", "listen", 1}, {"a", "b", 1}, {"ab", "ba", 1}} {
		if got := editDistance(tc.a, tc.b); got != tc.want {
			t.Errorf("%q to %q: %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}

var placed = regexp.MustCompile(`^f\.yaml:[1-9][0-9]*: `)

// FuzzParse: no input panics, every error names file and line, and what parses
// can be validated and says so again.
func FuzzParse(f *testing.F) {
	if reference, err := Reference(); err == nil {
		f.Add([]byte(reference))
		f.Add([]byte(uncomment(reference)))
	}
	for _, s := range []string{"", "a: [b", "providers: &a [*a]", "keys: [{}, {budget: {dollars: 1}}]", "models: !!binary x", "? [a]\n: b", "\xef\xbb\xbflisten: a", "{", "log: !!null x", "%YAML 1.1\n---\n", "workers: 0x10", "listen: |\n  a\n b"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("f.yaml", data)
		if err == nil {
			err = c.Validate()
		}
		if err == nil {
			return
		}
		for line := range strings.SplitSeq(err.Error(), "\n") {
			if placed.MatchString(line) {
				return
			}
		}
		t.Errorf("no file and line in %q", err)
	})
}
