package config

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate-lab/tollgate/gateway/admission/accounts"
	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

const minimal = `
providers:
  - {name: p, base_url: "http://127.0.0.1:9/v1/"}
models:
  - {name: m, price: {input_per_mtok: 1.5, output_per_mtok: 6}}
  - {name: "*", max_output_tokens: 10}
keys:
  - {name: k, token_env: TOKEN, models: [m], budget: {dollars: 0.25}, rpm: 5}
`

func env(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func TestValidateNamesPlaceAndKey(t *testing.T) {
	for _, tc := range []struct{ story, text, want string }{
		{"an address without port", "listen: localhost", `f.yaml:1: listen: want host:port`},
		{"a port out of range", "listen: :70000", `want a port from 0 to 65535`},
		{"a control address without port", "control: {listen: x}", `control.listen: want host:port`},
		{"no such engine", "engine: warp", `engine: want one of conn, epoll, nethttp, got "warp"`},
		{"epoll through a proxy", "engine: epoll\nproviders: [{name: a, base_url: 'http://h', proxy: 'http://p'}]", "providers[0]: engine epoll goes through no proxy: set engine: conn"},
		{"epoll to https", "engine: epoll\nproviders: [{name: a, base_url: 'https://h'}]", "providers[0].base_url: engine epoll is plaintext only: https needs engine: conn"},
		{"a proxy with a password", "providers: [{name: a, base_url: 'https://h', proxy: 'http://u:sesame@p'}]", "providers[0].proxy: a password does not belong into the config"},
		{"a proxy of another kind", "providers: [{name: a, base_url: 'https://h', proxy: 'socks5://p'}]", `providers[0].proxy: want an address such as "http://proxy.example:3128"`},
		{"a proxy twice", "providers: [{name: a, base_url: 'https://h', proxy: 'http://p', proxy_env: P}]", "proxy and proxy_env are both set: keep one"},
		{"certificates for http", "providers: [{name: a, base_url: 'http://h', ca_file: c}]", "an http address shows no certificate"},
		{"epoll with TLS", "engine: epoll\ntls: {cert_file: c, key_file: k}", "engine epoll is plaintext only: end TLS in front of it, or set engine: conn"},
		{"no workers", "workers: 0", `workers: want 1 to 64, got 0`},
		{"too many workers", "workers: 65", `workers: want 1 to 64, got 65`},
		{"a drain of days", "drain_timeout: 48h", `drain_timeout: want 0s to 1h, got 48h`},
		{"half a certificate", "tls: {cert_file: a}", `tls: cert_file and key_file go together`},
		{"no provider", "workers: 1", `f.yaml:1: providers: at least one provider is needed`},
		{"no model", "workers: 1", `models: at least one model is needed`},
		{"no key", "workers: 1", `keys: stages.auth is on and there is no key`},
		{"admission without authentication", "stages: {auth: false}", `f.yaml:1: stages.admission: needs stages.auth`},
		{"two providers of one name", "providers:\n- {name: a}\n- {name: a}", `f.yaml:3: providers[1].name: "a" is the name of providers[0] already`},
		{"a provider without a name", "providers: [{}]", `providers[0].name: has no name`},
		{"a dialect nobody speaks", "providers: [{name: a, dialect: klingon}]", `providers[0].dialect: want one of openai`},
		{"an address without scheme", "providers: [{name: a, base_url: example.com}]", `providers[0].base_url: want an address`},
		{"an address with a password", "providers: [{name: a, base_url: 'https://u:sesame@h/'}]", `u:xxxxx@h`},
		{"two sources of one secret", "providers: [{name: a, api_key_env: A, api_key_file: b}]", `api_key_env and api_key_file are both set`},
		{"a timeout of weeks", "providers: [{name: a, timeouts: {head: 200h}}]", `providers[0].timeouts.head: want 0s to 24h, got 200h`},
		{"a model of no provider", "providers: [{name: a}]\nmodels: [{name: m, provider: b}]", `f.yaml:2: models[0].provider: no provider is named "b"`},
		{"a model of several providers", "providers: [{name: a}, {name: b}]\nmodels: [{name: m}]", `models[0].provider: name one of the 2 providers`},
		{"the star renamed", "models: [{name: '*', upstream_model: x}]", `models[0].upstream_model: the model "*"`},
		{"an unpriced model where that is denied", "unpriced: deny\nmodels: [{name: m}]", `f.yaml:2: models[0]: has no price`},
		{"a price beyond the range", "default_price: {input_per_mtok: 1000001}", `default_price.input_per_mtok: want 0.00 to 1000000.00, got 1000001.00`},
		{"a key with neither hash nor token", "keys: [{name: k}]", `keys[0]: want exactly one of sha256 and token_env`},
		{"a key with a short hash", "keys: [{name: k, sha256: abcd}]", `keys[0].sha256: want 64 hexadecimal digits, got 4 bytes`},
		{"a key with the hash of nothing", "keys: [{name: k, sha256: '" + strings.Repeat("0", 64) + "'}]", `no token has this hash`},
		{"a key for a model that is not there", "keys: [{name: k, models: [x]}]", `keys[0].models[0]: no model is named "x"`},
		{"a period nobody knows", "keys: [{name: k, budget: {period: week}}]", `keys[0].budget.period: unknown period "week"`},
		{"too large a budget", "keys: [{name: k, budget: {dollars: 9000001}}]", `keys[0].budget.dollars: want 0.00 to 9000000.00`},
		{"a negative rate", "keys: [{name: k, rpm: -1}]", `keys[0].rpm: want 0 to 1000000000, got -1`},
		{"no such store", "log: {store: mysql}", `log.store: want one of off, memory, sqlite, postgres`},
		{"sqlite nowhere", "log: {path: ''}", `log.path: the sqlite store needs a folder`},
		{"no room for a row", "log: {queue_rows: 0}", `log.queue_rows: want 1 to 16777216, got 0`},
		{"a body of nothing", "limits: {max_body: 0}", `limits.max_body: want 1KiB to 1GiB, got 0B`},
		{"no such level", "logging: {level: loud}", `logging.level: want one of debug, info, warn, error`},
	} {
		c, err := Parse("f.yaml", []byte(tc.text))
		if err != nil {
			t.Errorf("%s: %v", tc.story, err)
			continue
		}
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v\nwant %s", tc.story, err, tc.want)
		}
		if err := c.Validate(); err != nil && strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: a secret is in %v", tc.story, err)
		}
	}
}

func TestResolve(t *testing.T) {
	c, err := Read("f.yaml", []byte(minimal), env("TOLLGATE_LOG_STORE", "off"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Resolve(env("TOKEN", " sesame\n"), 77)
	if err != nil {
		t.Fatal(err)
	}
	p := exchange.Provider{
		Endpoint: exchange.Endpoint{Name: "p", Host: "127.0.0.1:9", HostHead: "127.0.0.1:9"}, BasePath: "/v1",
		ConnTimeoutNs: 5e9, HeadTimeoutNs: 600e9, BodyTimeoutNs: 120e9,
	}
	want := &Resolved{
		Snapshot: &exchange.Snapshot{
			Providers: []exchange.Provider{p},
			Models: []exchange.Model{
				{Name: "m", PriceIn: 1_500_000_000, PriceOut: 6_000_000_000, MaxOutputTok: 16_384},
				{Name: "*", PriceIn: 15_000_000_000, PriceOut: 75_000_000_000, MaxOutputTok: 10},
			},
			ByName: map[string]int{"m": 0}, AnyModel: 1, Created: 77,
			Stages: exchange.Stages{Auth: true, Admission: true, Ledger: true},
			Limits: Default().Limits.exchange(),
		},
		Keys: []accounts.Key{{
			Name: "k", Digest: sha256.Sum256([]byte("sesame")), Models: []bool{true, false},
			BudgetNano: 250_000_000, BudgetTok: accounts.NoLimit, RPM: 5,
		}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestSecretsComeFromEnvironmentOrFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256([]byte("sesame"))
	hash := hex.EncodeToString(digest[:])
	for _, tc := range []struct {
		story, provider, key string
		auth, wrong          string
	}{
		{"a variable", "api_key_env: KEY", "token_env: TOKEN", "Bearer from-env", ""},
		{"a file", "api_key_file: " + file, "sha256: " + strings.ToUpper(hash), "Bearer from-file", ""},
		{"a variable that is not set", "api_key_env: NOWHERE", "token_env: TOKEN", "", "f.yaml:1: providers[0].api_key_env: the environment variable NOWHERE is not set"},
		{"a file that is not there", "api_key_file: " + file + "x", "token_env: TOKEN", "", "providers[0].api_key_file: read the provider's key"},
		{"a secret that would begin another header", "api_key_env: INJECT", "token_env: TOKEN", "", "providers[0].api_key_env: the provider's key holds"},
		{"a token that is not set", "api_key_env: KEY", "token_env: NOWHERE", "", "keys[0].token_env: the environment variable NOWHERE"},
		{"one token for two keys", "api_key_env: KEY", "token_env: TOKEN}, {name: k2, sha256: " + hash, "", "keys[1]: has the same token as keys[0]"},
	} {
		text := "providers: [{name: p, base_url: 'https://h:8443', " + tc.provider + "}]\nmodels: [{name: m}]\nkeys: [{name: k, " + tc.key + "}]"
		c, err := Read("f.yaml", []byte(text), env())
		if err != nil {
			t.Errorf("%s: %v", tc.story, err)
			continue
		}
		got, err := c.Resolve(env("KEY", "from-env", "TOKEN", "sesame", "INJECT", "a\r\nX: y"), 0)
		if tc.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), tc.wrong) || strings.Contains(err.Error(), "sesame") {
				t.Errorf("%s: error %v, want %s", tc.story, err, tc.wrong)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tc.story, err)
			continue
		}
		p := got.Snapshot.Providers[0]
		if string(p.Auth[0].Value) != tc.auth || !p.Endpoint.TLS || p.Endpoint.Host != "h:8443" {
			t.Errorf("%s: %q to %+v", tc.story, p.Auth[0].Value, p.Endpoint)
		}
		if got.Keys[0].Digest != digest {
			t.Errorf("%s: digest %x", tc.story, got.Keys[0].Digest)
		}
	}
}

func TestTheEnvironmentOverridesTheFile(t *testing.T) {
	c, err := Read("f.yaml", []byte("workers: 2\n"+minimal), env(
		"TOLLGATE_LISTEN", ":1", "TOLLGATE_ENGINE", "nethttp", "TOLLGATE_WORKERS", "3", "TOLLGATE_CONTROL_LISTEN", ":2",
		"TOLLGATE_LOG_STORE", "memory", "TOLLGATE_LOG_DURABILITY", "group", "TOLLGATE_LOG_PATH", "p", "TOLLGATE_STATE_DIR", "s",
		"TOLLGATE_LOGGING_LEVEL", ""))
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != ":1" || c.Engine != "nethttp" || c.Workers != 3 || c.Control.Listen != ":2" || c.Log.Store != "memory" ||
		c.Log.Durability != "group" || c.Log.Path != "p" || c.State.Dir != "s" || c.Logging.Level != "info" {
		t.Errorf("%+v", c)
	}
	for _, tc := range []struct{ name, value, want string }{
		{"TOLLGATE_WORKERS", "many", "environment TOLLGATE_WORKERS: workers: want a whole number"},
		{"TOLLGATE_WORKERS", "99", "environment TOLLGATE_WORKERS: workers: want 1 to 64"},
		{"TOLLGATE_LOG_STORE", "disk", "environment TOLLGATE_LOG_STORE: log.store: want one of"},
	} {
		if _, err := Read("f.yaml", []byte(minimal), env(tc.name, tc.value)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s=%s: error %v, want %s", tc.name, tc.value, err, tc.want)
		}
	}
}
