package logstore

import (
	"fmt"
	"time"
)

// Kind names a store.
type Kind string

const (
	Off      Kind = "off"
	Memory   Kind = "memory"
	SQLite   Kind = "sqlite"
	Postgres Kind = "postgres"
)

// Durability is what a store promises about a row; see the package comment.
type Durability string

const (
	Sync  Durability = "sync"
	Group Durability = "group"
	Async Durability = "async"
)

// Overflow is what happens to a row that finds the queue full.
type Overflow string

const (
	Drop  Overflow = "drop"  // the row is counted and given up
	Block Overflow = "block" // Append waits for room
)

// Config chooses and sizes a store. The zero value of every field but Store,
// Path and DSN means the default.
type Config struct {
	Store      Kind       // "" is off
	Durability Durability // "" is async; memory and off have none and ignore it
	Path       string     // sqlite: directory of the files, made when missing
	DSN        string     // postgres: connection URL or key=value string

	QueueRows     int           // most rows accepted and not yet committed, 1 to 16,777,216; 0: 65,536
	BatchRows     int           // most rows of one commit, 1 to 100,000; 0: 1,000; sync always commits one
	FlushInterval time.Duration // async: most time a row waits before its commit begins, up to 1 h; 0: 100 ms
	Overflow      Overflow      // "" is drop
	MemoryRows    int           // memory: newest rows kept, 1 to 16,777,216; 0: 10,000
	PoolConns     int           // postgres: most connections of one worker, 1 to 1,000; 0: 2
	RetryFor      time.Duration // a failing commit is tried again for this long, up to 1 h; 0: 30 s async, 5 s sync and group
}

const (
	maxQueueRows = 1 << 24
	maxBatchRows = 100_000
	maxPoolConns = 1000
)

// MaxWait bounds the times of a Config.
const MaxWait = time.Hour

// WithDefaults is c with every zero that means a default replaced by it.
func (c Config) WithDefaults() Config {
	c.Store = or(c.Store, Off)
	c.Durability = or(c.Durability, Async)
	c.QueueRows = or(c.QueueRows, 65_536)
	c.BatchRows = or(c.BatchRows, 1_000)
	c.FlushInterval = or(c.FlushInterval, 100*time.Millisecond)
	c.Overflow = or(c.Overflow, Drop)
	c.MemoryRows = or(c.MemoryRows, 10_000)
	c.PoolConns = or(c.PoolConns, 2)
	if c.Durability == Async {
		c.RetryFor = or(c.RetryFor, 30*time.Second)
	} else {
		c.RetryFor = or(c.RetryFor, 5*time.Second)
	}
	return c
}

func or[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

// Validate reports the first field that cannot be served, by its key.
func (c Config) Validate() error {
	c = c.WithDefaults()
	switch c.Store {
	case Off, Memory:
	case SQLite:
		if c.Path == "" {
			return fmt.Errorf("log store: path: must name a directory when store is sqlite")
		}
	case Postgres:
		if c.DSN == "" {
			return fmt.Errorf("log store: dsn: must be set when store is postgres")
		}
	default:
		return fmt.Errorf("log store: store: %q is none of off, memory, sqlite, postgres", c.Store)
	}
	switch c.Durability {
	case Sync, Group, Async:
	default:
		return fmt.Errorf("log store: durability: %q is none of sync, group, async", c.Durability)
	}
	switch c.Overflow {
	case Drop, Block:
	default:
		return fmt.Errorf("log store: overflow: %q is none of drop, block", c.Overflow)
	}
	for _, f := range []struct {
		key string
		v   int64
		max int64
	}{
		{"queue_rows", int64(c.QueueRows), maxQueueRows},
		{"batch_rows", int64(c.BatchRows), maxBatchRows},
		{"memory_rows", int64(c.MemoryRows), maxQueueRows},
		{"pool_conns", int64(c.PoolConns), maxPoolConns},
	} {
		if f.v < 1 || f.v > f.max {
			return fmt.Errorf("log store: %s: %d is not between 1 and %d", f.key, f.v, f.max)
		}
	}
	for _, f := range []struct {
		key string
		v   time.Duration
	}{{"flush_interval", c.FlushInterval}, {"retry_for", c.RetryFor}} {
		if f.v <= 0 || f.v > MaxWait {
			return fmt.Errorf("log store: %s: %v is not between 0 and %v", f.key, f.v, MaxWait)
		}
	}
	return nil
}
