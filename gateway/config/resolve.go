package config

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/tollgate-lab/tollgate/gateway/admission/accounts"
	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

// Resolved is a config with its secrets read: what the request path works with.
type Resolved struct {
	Snapshot *exchange.Snapshot
	Keys     []accounts.Key
	// LogDSN is the connection string of the postgres log; "" for other stores.
	LogDSN string
}

// Resolve reads the secrets that c, which must be valid, names, from the
// environment and from files. created is Unix seconds, for the models list.
func (c *Config) Resolve(lookup func(string) (string, bool), created int64) (*Resolved, error) {
	r := resolver{faults: faults{src: &c.src}, lookup: lookup}
	out := &Resolved{Snapshot: r.snapshot(c, created), Keys: r.keys(c)}
	if c.Log.Store == "postgres" {
		out.LogDSN = r.env("log.dsn_env", c.Log.DSNEnv)
	}
	if err := errors.Join(r.list...); err != nil {
		return nil, err
	}
	return out, nil
}

type resolver struct {
	faults
	lookup func(string) (string, bool)
}

func (r *resolver) env(path, name string) string {
	value, _ := r.lookup(name)
	value = strings.TrimSpace(value)
	if value == "" {
		r.addf(path, "the environment variable %s is not set", name)
	}
	return value
}

func (r *resolver) snapshot(c *Config, created int64) *exchange.Snapshot {
	s := &exchange.Snapshot{
		ByName: make(map[string]int), AnyModel: -1, Created: created,
		Stages: exchange.Stages{
			Auth: c.Stages.Auth, Admission: c.Stages.Admission, Ledger: c.Stages.Ledger, Log: c.Log.Store != "off",
		},
		Limits: c.Limits.exchange(),
	}
	for i := range c.Providers {
		s.Providers = append(s.Providers, r.provider(&c.Providers[i], fmt.Sprintf("providers[%d]", i)))
	}
	for i := range c.Models {
		m := &c.Models[i]
		price := c.DefaultPrice
		if m.Price != nil {
			price = *m.Price
		}
		s.Models = append(s.Models, exchange.Model{
			Name: m.Name, Upstream: m.UpstreamModel, Provider: c.providerOf(m),
			PriceIn: int64(price.InputPerMtok), PriceOut: int64(price.OutputPerMtok), MaxOutputTok: m.MaxOutputTokens,
		})
		if m.Name == "*" {
			s.AnyModel = i
		} else {
			s.ByName[m.Name] = i
		}
	}
	return s
}

func (l *Limits) exchange() exchange.Limits {
	return exchange.Limits{
		MaxHeadBytes: int(l.MaxHead), MaxHeadFields: l.MaxHeadFields, MaxBodyBytes: int64(l.MaxBody),
		IdleTimeoutNs: int64(l.IdleTimeout), HeadTimeoutNs: int64(l.HeadTimeout),
		BodyTimeoutNs: int64(l.BodyTimeout), WriteTimeoutNs: int64(l.WriteTimeout),
		MaxUpstreamHead: int(l.MaxUpstreamHead), MaxResponseBytes: int64(l.MaxResponse), MaxConns: l.MaxConns,
	}
}

func (r *resolver) provider(p *Provider, path string) exchange.Provider {
	u, err := parseBaseURL(p.BaseURL)
	if err != nil {
		r.add(path+".base_url", err)
		return exchange.Provider{}
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	out := exchange.Provider{
		Endpoint: exchange.Endpoint{
			Name: p.Name, TLS: u.Scheme == "https", Host: net.JoinHostPort(u.Hostname(), port), HostHead: u.Host,
			MaxConns: p.MaxConns, MaxIdle: p.MaxIdleConns,
		},
		BasePath:      strings.TrimRight(u.EscapedPath(), "/"),
		ConnTimeoutNs: int64(p.Timeouts.Connect), HeadTimeoutNs: int64(p.Timeouts.Head), BodyTimeoutNs: int64(p.Timeouts.Body),
	}
	r.roots(p, path, &out.Endpoint)
	r.proxy(p, path, &out.Endpoint)
	if secret := r.apiKey(p, path); secret != "" {
		out.Auth = []exchange.Field{{Name: []byte("Authorization"), Value: []byte("Bearer " + secret)}}
	}
	return out
}

// roots reads the certificates of ca_file.
func (r *resolver) roots(p *Provider, path string, ep *exchange.Endpoint) {
	if p.CAFile == "" {
		return
	}
	b, err := os.ReadFile(p.CAFile)
	switch {
	case err != nil:
		r.addf(path+".ca_file", "read certificates: %w", err)
	case !x509.NewCertPool().AppendCertsFromPEM(b):
		r.addf(path+".ca_file", "%s holds no certificate in PEM", p.CAFile)
	default:
		ep.Roots = string(b)
	}
}

// proxy reads the address of the proxy. What stands in it is in no error.
func (r *resolver) proxy(p *Provider, path string, ep *exchange.Endpoint) {
	address := p.Proxy
	if p.ProxyEnv != "" {
		path += ".proxy_env"
		if address = r.env(path, p.ProxyEnv); address == "" {
			return
		}
	}
	if address == "" {
		return
	}
	u, err := parseProxy(address)
	if err != nil {
		r.add(path, err)
		return
	}
	port := u.Port()
	if port == "" {
		port = "80"
	}
	ep.Proxy = net.JoinHostPort(u.Hostname(), port)
	if u.User != nil {
		password, _ := u.User.Password()
		ep.ProxyAuth = "Basic " + base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password))
	}
}

// apiKey is the provider's secret, "" when it needs none. It stands in no error.
func (r *resolver) apiKey(p *Provider, path string) string {
	var secret string
	switch {
	case p.APIKeyEnv != "":
		path += ".api_key_env"
		secret = r.env(path, p.APIKeyEnv)
	case p.APIKeyFile != "":
		path += ".api_key_file"
		b, err := os.ReadFile(p.APIKeyFile)
		if err != nil {
			r.addf(path, "read the provider's key: %w", err)
			return ""
		}
		if secret = strings.TrimSpace(string(b)); secret == "" {
			r.addf(path, "%s is empty", p.APIKeyFile)
		}
	}
	if !visible(secret) {
		r.addf(path, "the provider's key holds a space or a character that no header field may have")
		return ""
	}
	return secret
}

// visible reports whether s is visible ASCII, what may stand in a header field
// and cannot begin another.
func visible(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c >= 0x7f })
}

func (r *resolver) keys(c *Config) []accounts.Key {
	keys := make([]accounts.Key, len(c.Keys))
	first := make(map[[32]byte]int)
	for i := range c.Keys {
		k, path := &c.Keys[i], fmt.Sprintf("keys[%d]", i)
		out := accounts.Key{
			Name: k.Name, Disabled: k.Disabled, RPM: k.RPM, TPM: k.TPM,
			BudgetNano: accounts.NoLimit, BudgetTok: accounts.NoLimit,
		}
		out.Period, _ = accounts.ParsePeriod(k.Budget.Period) // Validate has checked it
		if k.Budget.Dollars != nil {
			out.BudgetNano = int64(*k.Budget.Dollars)
		}
		if k.Budget.Tokens != nil {
			out.BudgetTok = *k.Budget.Tokens
		}
		if len(k.Models) > 0 {
			out.Models = make([]bool, len(c.Models))
			for j := range c.Models {
				out.Models[j] = slices.Contains(k.Models, c.Models[j].Name)
			}
		}
		out.Digest = r.digest(k, path)
		if j, ok := first[out.Digest]; ok && len(r.list) == 0 {
			r.addf(path, "has the same token as keys[%d]", j)
		}
		first[out.Digest] = i
		keys[i] = out
	}
	return keys
}

func (r *resolver) digest(k *Key, path string) (d [32]byte) {
	if k.TokenEnv == "" {
		if _, err := hex.Decode(d[:], []byte(k.SHA256)); err != nil {
			r.addf(path+".sha256", "want 64 hexadecimal digits")
		}
		return d
	}
	token := r.env(path+".token_env", k.TokenEnv)
	if !visible(token) {
		r.addf(path+".token_env", "the token holds a space or a character that no header field may have")
	}
	return sha256.Sum256([]byte(token))
}
