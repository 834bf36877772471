package config

import "time"

func (v *validator) log(l *Log) {
	v.oneOf("log.store", l.Store, "off", "memory", "sqlite", "postgres")
	v.oneOf("log.durability", l.Durability, "sync", "group", "async")
	v.oneOf("log.overflow", l.Overflow, "drop", "block")
	if l.Store == "sqlite" && l.Path == "" {
		v.addf("log.path", "the sqlite store needs a folder")
	}
	if l.Store == "postgres" && l.DSNEnv == "" {
		v.addf("log.dsn_env", "the postgres store needs the variable that holds its connection string")
	}
	between(v, "log.queue_rows", l.QueueRows, 1, 16_777_216)
	between(v, "log.batch_rows", l.BatchRows, 1, 100_000)
	between(v, "log.flush_interval", l.FlushInterval, time.Millisecond, time.Hour)
	between(v, "log.memory_rows", l.MemoryRows, 1, 16_777_216)
	between(v, "log.pool_conns", l.PoolConns, 1, 1000)
	between(v, "log.retry_for", l.RetryFor, 0, time.Hour)
}

func (v *validator) limits(l *Limits) {
	between(v, "limits.max_head", l.MaxHead, kib, mib)
	between(v, "limits.max_head_fields", l.MaxHeadFields, 1, 10_000)
	between(v, "limits.max_body", l.MaxBody, kib, gib)
	between(v, "limits.idle_timeout", l.IdleTimeout, 0, 24*time.Hour)
	between(v, "limits.head_timeout", l.HeadTimeout, 0, 24*time.Hour)
	between(v, "limits.body_timeout", l.BodyTimeout, 0, 24*time.Hour)
	between(v, "limits.write_timeout", l.WriteTimeout, 0, 24*time.Hour)
	between(v, "limits.max_upstream_head", l.MaxUpstreamHead, kib, mib)
	between(v, "limits.max_response", l.MaxResponse, kib, gib)
	between(v, "limits.max_conns", l.MaxConns, 0, 10_000_000)
}
