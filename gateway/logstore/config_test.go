package logstore

import (
	"context"
	"strings"
	"testing"
	"time"
)

func TestConfigNamesTheKeyThatIsWrong(t *testing.T) {
	for _, c := range []struct {
		story string
		cfg   Config
		key   string // "": valid
	}{
		{"nothing set is off", Config{}, ""},
		{"memory needs nothing", Config{Store: Memory}, ""},
		{"sqlite with a path", Config{Store: SQLite, Path: "x"}, ""},
		{"sqlite without a path", Config{Store: SQLite}, "path"},
		{"postgres without a DSN", Config{Store: Postgres}, "dsn"},
		{"a store that does not exist", Config{Store: "mysql"}, "store"},
		{"a durability that does not exist", Config{Durability: "maybe"}, "durability"},
		{"an overflow that does not exist", Config{Overflow: "spill"}, "overflow"},
		{"a negative queue", Config{QueueRows: -1}, "queue_rows"},
		{"a queue that would fill the memory", Config{QueueRows: maxQueueRows + 1}, "queue_rows"},
		{"a negative batch", Config{BatchRows: -1}, "batch_rows"},
		{"too large a batch", Config{BatchRows: maxBatchRows + 1}, "batch_rows"},
		{"a negative ring", Config{MemoryRows: -1}, "memory_rows"},
		{"too many connections", Config{PoolConns: 1001}, "pool_conns"},
		{"a negative interval", Config{FlushInterval: -1}, "flush_interval"},
		{"an interval of a day", Config{FlushInterval: 24 * time.Hour}, "flush_interval"},
		{"a negative time for retries", Config{RetryFor: -1}, "retry_for"},
	} {
		t.Run(c.story, func(t *testing.T) {
			err := c.cfg.Validate()
			if c.key == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), ": "+c.key+": ") {
				t.Fatalf("want an error about %s, got %v", c.key, err)
			}
			if _, openErr := Open(t.Context(), c.cfg, 0); openErr == nil || openErr.Error() != err.Error() {
				t.Fatalf("Open says %v", openErr)
			}
		})
	}
}

func TestOpenRefusesAWriterOutOfRange(t *testing.T) {
	for _, w := range []int{-1, maxWriter + 1} {
		if _, err := Open(t.Context(), Config{}, w); err == nil {
			t.Errorf("writer %d was opened", w)
		}
	}
}

func TestOffIsNothing(t *testing.T) {
	s, err := Open(t.Context(), Config{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if s.Append(row("a"), nil) || s.Awaits() || s.Stats() != (Stats{}) || s.Close(context.Background()) != nil {
		t.Error("the store off did something")
	}
	for _, k := range []Kind{Off, Memory} {
		if _, err := OpenReader(t.Context(), Config{Store: k}); err == nil {
			t.Errorf("a reader of store %s was opened", k)
		}
	}
}

func TestMemoryKeepsTheNewest(t *testing.T) {
	s, err := Open(t.Context(), Config{Store: Memory, MemoryRows: 3}, 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		s.Append(row(id), nil)
	}
	rows := s.(*memory).rows()
	var ids strings.Builder
	for i, r := range rows {
		ids.Write(r.ID())
		if r.Seq != int64(i+3) || r.Writer != 5 {
			t.Errorf("row %s is %d of writer %d", r.ID(), r.Seq, r.Writer)
		}
	}
	if ids.String() != "cde" || s.Stats().Stored != 5 {
		t.Errorf("holds %s, %+v", ids.String(), s.Stats())
	}
}
