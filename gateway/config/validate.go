package config

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/admission/accounts"
)

// Engines are the known engines.
var Engines = []string{"conn", "epoll", "nethttp"}

// Validate checks every range and reference, and reports all faults with their
// places. It reads no secret and touches no file.
func (c *Config) Validate() error {
	v := validator{faults{src: &c.src}}
	v.address("listen", c.Listen, true)
	v.address("control.listen", c.Control.Listen, false)
	v.oneOf("engine", c.Engine, Engines...)
	v.epoll(c)
	between(&v, "workers", c.Workers, 1, accounts.MaxSlots)
	between(&v, "drain_timeout", c.DrainTimeout, 0, time.Hour)
	if (c.TLS.CertFile == "") != (c.TLS.KeyFile == "") {
		v.addf("tls", "cert_file and key_file go together: one is empty")
	}
	v.oneOf("unpriced", c.Unpriced, "default", "deny")
	v.price("default_price", c.DefaultPrice)
	v.providers(c)
	v.models(c)
	v.keys(c)
	v.stages(c)
	v.log(&c.Log)
	v.limits(&c.Limits)
	v.oneOf("logging.level", c.Logging.Level, "debug", "info", "warn", "error")
	v.oneOf("logging.format", c.Logging.Format, "json", "text")
	return errors.Join(v.list...)
}

// epoll refuses what the engine of that name cannot do.
func (v *validator) epoll(c *Config) {
	if c.Engine != "epoll" {
		return
	}
	if c.TLS.CertFile != "" {
		v.addf("tls", "engine epoll is plaintext only: end TLS in front of it, or set engine: conn")
	}
	for i := range c.Providers {
		if strings.HasPrefix(strings.ToLower(c.Providers[i].BaseURL), "https:") {
			v.addf(fmt.Sprintf("providers[%d].base_url", i), "engine epoll is plaintext only: https needs engine: conn")
		}
		if c.Providers[i].Proxy != "" || c.Providers[i].ProxyEnv != "" {
			v.addf(fmt.Sprintf("providers[%d]", i), "engine epoll goes through no proxy: set engine: conn")
		}
	}
}

type validator struct{ faults }

func between[T ~int | ~int64](v *validator, path string, n, low, high T) {
	if n < low || n > high {
		v.addf(path, "want %v to %v, got %v", show(low), show(high), show(n))
	}
}

func show(n any) any {
	if d, ok := n.(time.Duration); ok {
		return formatDuration(d)
	}
	return n
}

func (v *validator) oneOf(path, got string, want ...string) {
	if !slices.Contains(want, got) {
		v.addf(path, "want one of %s, got %q", strings.Join(want, ", "), got)
	}
}

func (v *validator) address(path, addr string, needed bool) {
	if addr == "" && !needed {
		return
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		v.addf(path, "want host:port such as \"127.0.0.1:8080\", got %q", addr)
		return
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		v.addf(path, "want a port from 0 to 65535, got %q", port)
	}
}

func (v *validator) price(path string, p Price) {
	between(v, path+".input_per_mtok", p.InputPerMtok, 0, 1_000_000*dollar)
	between(v, path+".output_per_mtok", p.OutputPerMtok, 0, 1_000_000*dollar)
}

// name checks a name that stands in logs, labels and answers.
func (v *validator) name(path, name string) {
	switch {
	case name == "":
		v.addf(path, "has no name")
	case len(name) > 200 || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		v.addf(path, "want at most 200 bytes without control characters, got %q", name)
	}
}

func (v *validator) providers(c *Config) {
	if len(c.Providers) == 0 {
		v.addf("providers", "at least one provider is needed")
	}
	names := make(map[string]int)
	for i := range c.Providers {
		p, path := &c.Providers[i], fmt.Sprintf("providers[%d]", i)
		v.name(path+".name", p.Name)
		v.once(names, path+".name", p.Name, i)
		v.oneOf(path+".dialect", p.Dialect, "openai")
		if _, err := parseBaseURL(p.BaseURL); err != nil {
			v.add(path+".base_url", err)
		}
		if p.APIKeyEnv != "" && p.APIKeyFile != "" {
			v.addf(path, "api_key_env and api_key_file are both set: keep one")
		}
		if p.CAFile != "" && strings.HasPrefix(p.BaseURL, "http://") {
			v.addf(path+".ca_file", "an http address shows no certificate: set an https base_url, or leave ca_file out")
		}
		if p.Proxy != "" && p.ProxyEnv != "" {
			v.addf(path, "proxy and proxy_env are both set: keep one")
		}
		if u, err := parseProxy(p.Proxy); p.Proxy != "" && err != nil {
			v.add(path+".proxy", err)
		} else if u != nil && u.User != nil {
			v.addf(path+".proxy", "a password does not belong into the config: put the address into an environment variable and name it in proxy_env")
		}
		between(v, path+".max_conns", p.MaxConns, 0, 1_000_000)
		between(v, path+".max_idle_conns", p.MaxIdleConns, 0, 1_000_000)
		between(v, path+".timeouts.connect", p.Timeouts.Connect, 0, 24*time.Hour)
		between(v, path+".timeouts.head", p.Timeouts.Head, 0, 24*time.Hour)
		between(v, path+".timeouts.body", p.Timeouts.Body, 0, 24*time.Hour)
	}
}

// once reports a name that an earlier element of the list has.
func (v *validator) once(names map[string]int, path, name string, i int) {
	if first, ok := names[name]; ok && name != "" {
		list, _, _ := strings.Cut(path, "[")
		v.addf(path, "%q is the name of %s[%d] already", name, list, first)
		return
	}
	names[name] = i
}

func parseBaseURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, fmt.Errorf("want an address such as \"https://api.openai.com/v1\", got %q", s)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("want scheme, host and path only, got %q", u.Redacted())
	}
	return u, nil
}

// parseProxy reads the address of an HTTP proxy.
func parseProxy(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		// The text may hold a password, so it is not repeated.
		return nil, errors.New("want an address such as \"http://proxy.example:3128\"")
	}
	return u, nil
}

func (v *validator) models(c *Config) {
	if len(c.Models) == 0 {
		v.addf("models", "at least one model is needed; the name \"*\" takes every model")
	}
	names := make(map[string]int)
	for i := range c.Models {
		m, path := &c.Models[i], fmt.Sprintf("models[%d]", i)
		v.name(path+".name", m.Name)
		v.once(names, path+".name", m.Name, i)
		if m.Name == "*" && m.UpstreamModel != "" {
			v.addf(path+".upstream_model", "the model \"*\" sends the client's own name on")
		}
		if c.providerOf(m) < 0 {
			v.addf(path+".provider", "%s", c.noProvider(m))
		}
		if m.Price != nil {
			v.price(path+".price", *m.Price)
		} else if c.Unpriced == "deny" {
			v.addf(path, "has no price, and unpriced is deny")
		}
		between(v, path+".max_output_tokens", m.MaxOutputTokens, 1, 10_000_000)
	}
}

// providerOf is the index of m's provider, -1: there is none.
func (c *Config) providerOf(m *Model) int {
	if m.Provider == "" && len(c.Providers) == 1 {
		return 0
	}
	return slices.IndexFunc(c.Providers, func(p Provider) bool { return p.Name == m.Provider && p.Name != "" })
}

func (c *Config) noProvider(m *Model) string {
	if m.Provider == "" {
		return fmt.Sprintf("name one of the %d providers", len(c.Providers))
	}
	return fmt.Sprintf("no provider is named %q", m.Provider)
}

func (v *validator) keys(c *Config) {
	names, digests := make(map[string]int), make(map[string]int)
	for i := range c.Keys {
		k, path := &c.Keys[i], fmt.Sprintf("keys[%d]", i)
		v.name(path+".name", k.Name)
		v.once(names, path+".name", k.Name, i)
		if (k.SHA256 == "") == (k.TokenEnv == "") {
			v.addf(path, "want exactly one of sha256 and token_env")
		}
		if k.SHA256 != "" {
			if b, err := hex.DecodeString(k.SHA256); err != nil || len(b) != 32 {
				// The value is not shown: it may be the token itself, pasted.
				v.addf(path+".sha256", "want 64 hexadecimal digits, got %d bytes (\"gateway hash-key\" makes them)", len(k.SHA256))
			}
			if strings.Trim(k.SHA256, "0") == "" {
				v.addf(path+".sha256", "no token has this hash: it marks an account as free")
			}
			v.once(digests, path+".sha256", strings.ToLower(k.SHA256), i)
		}
		for j, name := range k.Models {
			if !slices.ContainsFunc(c.Models, func(m Model) bool { return m.Name == name }) {
				v.addf(fmt.Sprintf("%s.models[%d]", path, j), "no model is named %q", name)
			}
		}
		if d := k.Budget.Dollars; d != nil {
			between(v, path+".budget.dollars", *d, 0, 9_000_000*dollar)
		}
		if n := k.Budget.Tokens; n != nil {
			between(v, path+".budget.tokens", *n, 0, 9_000_000_000_000_000)
		}
		if _, err := accounts.ParsePeriod(k.Budget.Period); err != nil {
			v.add(path+".budget.period", err)
		}
		between(v, path+".rpm", k.RPM, 0, accounts.MaxPerMinute)
		between(v, path+".tpm", k.TPM, 0, accounts.MaxPerMinute)
	}
}

func (v *validator) stages(c *Config) {
	if c.Stages.Admission && !c.Stages.Auth {
		v.addf("stages.admission", "needs stages.auth: budgets belong to keys; switch both off, or both on")
	}
	if c.Stages.Auth && len(c.Keys) == 0 {
		v.addf("keys", "stages.auth is on and there is no key: every request would be refused")
	}
}
