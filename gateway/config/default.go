package config

import "time"

// Default is the config of an empty file. It serves nothing yet: providers and
// models have no default.
func Default() *Config {
	return &Config{
		Listen:       "127.0.0.1:8080",
		Engine:       "conn",
		Workers:      1,
		DrainTimeout: 30 * time.Second,
		DefaultPrice: Price{InputPerMtok: 15 * dollar, OutputPerMtok: 75 * dollar},
		Unpriced:     "default",
		Stages:       Stages{Auth: true, Admission: true, Ledger: true},
		Log: Log{
			Store: "sqlite", Durability: "async", Path: "state/log", DSNEnv: "TOLLGATE_LOG_DSN",
			QueueRows: 65_536, BatchRows: 1_000, FlushInterval: 100 * time.Millisecond,
			Overflow: "drop", MemoryRows: 10_000, PoolConns: 2,
		},
		Limits: Limits{
			MaxHead: 64 * kib, MaxHeadFields: 100, MaxBody: 32 * mib,
			IdleTimeout: 75 * time.Second, HeadTimeout: 10 * time.Second, BodyTimeout: time.Minute, WriteTimeout: 30 * time.Second,
			MaxUpstreamHead: 64 * kib, MaxResponse: 64 * mib,
		},
		Logging: Logging{Level: "info", Format: "json"},
	}
}

// setDefaults is what a list's element has before its keys are read.

func (p *Provider) setDefaults() {
	p.Dialect = "openai"
	p.Timeouts = Timeouts{Connect: 5 * time.Second, Head: 10 * time.Minute, Body: 2 * time.Minute}
}

func (m *Model) setDefaults() { m.MaxOutputTokens = 16_384 }

func (k *Key) setDefaults() { k.Budget.Period = "total" }

type defaulter interface{ setDefaults() }
