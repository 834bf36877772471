package config

import "time"

// Config is a whole config file. Default says what each key is when it is left
// out.
type Config struct {
	// Address and port that clients connect to. Port 0 takes a free one.
	// Environment: TOLLGATE_LISTEN.
	Listen string `yaml:"listen"`
	// What drives the connections: conn (HTTP/1.1, a goroutine per connection on
	// raw sockets), epoll (event loops; Linux, plaintext on both sides) or nethttp
	// (the standard library's server; HTTP/2 with TLS).
	// Environment: TOLLGATE_ENGINE.
	Engine string `yaml:"engine"`
	// Serving processes, 1 to 64. 1 serves in the process that was started; more
	// are started and watched by it, share the port with SO_REUSEPORT and keep
	// budgets exact between them. Where the system cannot share a port one
	// serves, and says so. Each worker uses its share of the CPUs unless
	// GOMAXPROCS is set. Environment: TOLLGATE_WORKERS.
	Workers int `yaml:"workers"`
	// How long SIGTERM waits for requests in flight, 0s to 1h.
	DrainTimeout time.Duration `yaml:"drain_timeout"`
	// TLS towards clients; off while both files are empty.
	TLS TLS `yaml:"tls"`
	// The operator's listener: sums, metrics, profiles, version. Keep it private.
	Control Control `yaml:"control"`
	// Where requests are sent. At least one.
	Providers []Provider `yaml:"providers"`
	// Names that clients may ask for. At least one.
	Models []Model `yaml:"models"`
	// Price of models that state none, while unpriced is default. It is high on
	// purpose: a forgotten price must not be a free model.
	DefaultPrice Price `yaml:"default_price"`
	// What a model without a price means: default (it costs default_price) or deny
	// (the config is refused).
	Unpriced string `yaml:"unpriced"`
	// Virtual keys, by which clients are known. A token itself is never in this
	// file: "gateway new-key" makes one with its hash, "gateway hash-key" hashes one.
	Keys []Key `yaml:"keys"`
	// Parts of the request path that can be switched off.
	Stages Stages `yaml:"stages"`
	// The request log: one row per request.
	Log Log `yaml:"log"`
	// What a client may send, and how long things may take.
	Limits Limits `yaml:"limits"`
	// What outlives the process.
	State State `yaml:"state"`
	// The gateway's own messages, on standard error. Requests are in the request
	// log, not here.
	Logging Logging `yaml:"logging"`

	src source
}

// TLS is the certificate shown to clients.
type TLS struct {
	// PEM file with the certificate chain.
	CertFile string `yaml:"cert_file"`
	// PEM file with its private key.
	KeyFile string `yaml:"key_file"`
}

// Control is the operator's listener.
type Control struct {
	// Address and port of /ledger, /metrics, /version, /healthz, /readyz and
	// /debug/pprof/. Empty: off. Environment: TOLLGATE_CONTROL_LISTEN.
	Listen string `yaml:"listen"`
}

// Provider is one upstream.
type Provider struct {
	// Name, by which models refer to it.
	Name string `yaml:"name" example:"openai"`
	// What it speaks: openai.
	Dialect string `yaml:"dialect"`
	// http or https address, with the path before /chat/completions.
	BaseURL string `yaml:"base_url" example:"https://api.openai.com/v1"`
	// Environment variable with the provider's API key. At most one of
	// api_key_env and api_key_file; neither: requests carry no key.
	APIKeyEnv string `yaml:"api_key_env" example:"OPENAI_API_KEY"`
	// File with the provider's API key; white space around it is dropped.
	APIKeyFile string `yaml:"api_key_file"`
	// File with the certificates, in PEM, of those who may vouch for the
	// provider's own, in place of the system's. https only.
	CAFile string `yaml:"ca_file"`
	// Address of an HTTP proxy to go through, by CONNECT, such as
	// http://proxy.example:3128. The environment's HTTPS_PROXY is not followed
	// unless proxy_env names it.
	Proxy string `yaml:"proxy"`
	// Environment variable with that address, which may hold a user and password.
	// At most one of proxy and proxy_env.
	ProxyEnv string `yaml:"proxy_env"`
	// Most connections of one worker, 0 to 1000000; 0: no limit.
	MaxConns int `yaml:"max_conns"`
	// Most idle connections that one worker keeps, 0 to 1000000; 0: the engine's
	// own number.
	MaxIdleConns int `yaml:"max_idle_conns"`
	// How long the provider may take.
	Timeouts Timeouts `yaml:"timeouts"`
}

// Timeouts are those of one provider.
type Timeouts struct {
	// Until a connection stands, 0s to 24h; 0s: no limit.
	Connect time.Duration `yaml:"connect"`
	// From the request's last byte to the whole head of the answer, 0s to 24h; 0s:
	// no limit. An answer that is not streamed comes only when it is finished.
	Head time.Duration `yaml:"head"`
	// Between two reads of the answer's body, 0s to 24h; 0s: no limit.
	Body time.Duration `yaml:"body"`
}

// Model is a name that clients may ask for.
type Model struct {
	// The name. "*" takes every name that is not listed and sends it on as it is.
	Name string `yaml:"name" example:"gpt-4o"`
	// The provider's name; may be left out when there is only one.
	Provider string `yaml:"provider" example:"openai"`
	// Name sent to the provider. Empty: the same.
	UpstreamModel string `yaml:"upstream_model" example:"gpt-4o-2024-11-20"`
	// Price of its tokens. Left out: see unpriced.
	Price *Price `yaml:"price"`
	// Output tokens that a request without a limit of its own reserves, 1 to
	// 10000000. The prompt is reserved by estimate, a token for four characters:
	// what a provider counts beyond both is charged when the answer has come, and
	// may pass the budget by so much.
	MaxOutputTokens int64 `yaml:"max_output_tokens"`
}

// Price is dollars per million tokens, exact to 0.000000001, 0 to 1000000.
type Price struct {
	// Dollars for a million prompt tokens.
	InputPerMtok Dollars `yaml:"input_per_mtok" example:"2.50"`
	// Dollars for a million output tokens.
	OutputPerMtok Dollars `yaml:"output_per_mtok" example:"10.00"`
}

// Key is a virtual key.
type Key struct {
	// Name for logs, metrics and sums.
	Name string `yaml:"name" example:"team-a"`
	// SHA-256 of the token, 64 hexadecimal digits. One of sha256 and token_env.
	SHA256 string `yaml:"sha256" example:"57636f59cb6d1daa06422e40dd35bdd27fd05d5cebefe93a641c70b3a174c972"`
	// Environment variable with the token itself, hashed at the start.
	TokenEnv string `yaml:"token_env"`
	// A disabled key is known and refused.
	Disabled bool `yaml:"disabled"`
	// Models that the key may use, by name. Empty: all.
	Models []string `yaml:"models" example:"gpt-4o"`
	// What the key may spend. It is charged before a request leaves.
	Budget Budget `yaml:"budget"`
	// Requests per minute, 0 to 1000000000; 0: no limit. That many may come at once.
	RPM int64 `yaml:"rpm" example:"600"`
	// Tokens per minute, prompt and output, 0 to 1000000000; 0: no limit.
	TPM int64 `yaml:"tpm" example:"200000"`
}

// Budget is what a key may spend in a period. Left out: no limit; 0: nothing.
type Budget struct {
	// Dollars, 0 to 9000000.
	Dollars *Dollars `yaml:"dollars" example:"25.00"`
	// Tokens, prompt and output, 0 to 9000000000000000.
	Tokens *int64 `yaml:"tokens" example:"10000000"`
	// How long the budget lasts: total (for ever), day or month (they begin at
	// midnight UTC). A key refused for a spent budget is told to retry when the
	// period ends; for total, after 24 hours. Changing the period begins a new one.
	Period string `yaml:"period"`
}

// Stages switches parts of the request path.
type Stages struct {
	// Clients must show a virtual key. Off: anybody may use every model.
	Auth bool `yaml:"auth"`
	// Budgets and rate limits. Needs auth.
	Admission bool `yaml:"admission"`
	// Counters of requests, tokens and spend.
	Ledger bool `yaml:"ledger"`
}

// Log is the request log.
type Log struct {
	// off, memory (the newest rows, for tests), sqlite or postgres. Environment:
	// TOLLGATE_LOG_STORE.
	Store string `yaml:"store"`
	// sync (a row is committed before its response ends), group (the same, but rows
	// of concurrent requests share a commit) or async (committed soon after; a
	// crash loses what is queued). Environment: TOLLGATE_LOG_DURABILITY.
	Durability string `yaml:"durability"`
	// sqlite: folder of the files, one per worker; made when missing. Environment:
	// TOLLGATE_LOG_PATH.
	Path string `yaml:"path"`
	// postgres: environment variable with the connection string.
	DSNEnv string `yaml:"dsn_env"`
	// Most rows accepted and not yet committed, per worker, 1 to 16777216.
	QueueRows int `yaml:"queue_rows"`
	// Most rows of one commit, 1 to 100000.
	BatchRows int `yaml:"batch_rows"`
	// async: most time that a row waits before its commit begins, 1ms to 1h.
	FlushInterval time.Duration `yaml:"flush_interval"`
	// A row that finds the queue full: drop (it is counted) or block (the request
	// waits).
	Overflow string `yaml:"overflow"`
	// memory: rows kept, 1 to 16777216.
	MemoryRows int `yaml:"memory_rows"`
	// postgres: most connections of one worker, 1 to 1000.
	PoolConns int `yaml:"pool_conns"`
	// How long a failing commit is tried again, 0s to 1h; 0s: 30s with async, 5s else.
	RetryFor time.Duration `yaml:"retry_for"`
}

// Limits bounds what clients may send. The status in parentheses is the answer.
type Limits struct {
	// Request line and header fields, 1KiB to 1MiB (431).
	MaxHead Size `yaml:"max_head"`
	// Number of header fields, 1 to 10000 (431).
	MaxHeadFields int `yaml:"max_head_fields"`
	// Request body, 1KiB to 1GiB (413).
	MaxBody Size `yaml:"max_body"`
	// Between two requests of a connection, 0s to 24h; 0s: no limit.
	IdleTimeout time.Duration `yaml:"idle_timeout"`
	// From a head's first byte to its last, 0s to 24h; 0s: no limit (408).
	HeadTimeout time.Duration `yaml:"head_timeout"`
	// From the head to the body's last byte, 0s to 24h; 0s: no limit (408).
	BodyTimeout time.Duration `yaml:"body_timeout"`
	// A write to a client that makes no progress for so long means that it is
	// gone, 0s to 24h; 0s: no limit.
	WriteTimeout time.Duration `yaml:"write_timeout"`
	// Head of a provider's answer, 1KiB to 1MiB (502).
	MaxUpstreamHead Size `yaml:"max_upstream_head"`
	// Provider's answer where it must be rewritten whole, 1KiB to 1GiB (502).
	MaxResponse Size `yaml:"max_response"`
	// Client connections of one worker, 0 to 10000000; 0: no limit. One more is
	// closed at once.
	MaxConns int `yaml:"max_conns"`
}

// State is what outlives the process.
type State struct {
	// Folder of the budgets' file. Empty: budgets begin anew with the gateway. They
	// survive the death of a process; a crash of the host can lose the last
	// seconds. Environment: TOLLGATE_STATE_DIR.
	Dir string `yaml:"dir"`
}

// Logging is the gateway's own messages.
type Logging struct {
	// debug, info, warn or error. Environment: TOLLGATE_LOGGING_LEVEL.
	Level string `yaml:"level"`
	// json or text.
	Format string `yaml:"format"`
}
