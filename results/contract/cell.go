package contract

import (
	"fmt"
	"strings"
)

// Cell is one point of the matrix. Its Key is its identity in results files;
// two results with equal keys are repetitions of one cell.
type Cell struct {
	Section     string  `json:"section"`
	Shape       Shape   `json:"shape"`
	Target      string  `json:"target"`               // "gateway", "floor" (straight to the mock), "nginx", "haproxy", a peer's name, "url"
	Engine      string  `json:"engine,omitempty"`     // gateway engine
	Profile     Profile `json:"profile,omitempty"`    // gateway feature profile
	Surface     string  `json:"surface"`              // "chat", "embeddings", "models", "boot", "waterfall"
	Body        string  `json:"body"`                 // "90B", "52KB", "200KB", or a file's name in the data folder
	StreamEvery int     `json:"stream_every"`         // 0 never, 1 always, N: every Nth request is streamed
	Frames      int     `json:"frames,omitempty"`     // content frames of a streamed answer
	Coalesce    bool    `json:"coalesce,omitempty"`   // the mock sends a stream's frames in one write
	Conc        int     `json:"conc,omitempty"`       // closed loop: connections in flight
	RatePerS    float64 `json:"rate_per_s,omitempty"` // open loop: requests per second
	Arrivals    string  `json:"arrivals,omitempty"`   // open loop: "constant", "poisson"
	Workers     int     `json:"workers,omitempty"`    // serving processes; shape direct: goroutines that call, none for one
	LogStore    string  `json:"log_store,omitempty"`  // "off", "memory", "sqlite", "postgres"
	Durability  string  `json:"durability,omitempty"` // "sync", "group", "async"
	Client      string  `json:"client,omitempty"`     // "lean" (default when empty), "vegeta"
	Requests    int     `json:"requests"`             // measured requests per repetition
	Warmup      int     `json:"warmup"`               // discarded requests per repetition
	Kill        string  `json:"kill,omitempty"`       // planned fault: "worker"
}

// Key is the cell's identity: name=value pairs in a fixed order, separated by
// "/", as benchmark names are. Requests and Warmup are sizes, not identity.
func (c *Cell) Key() string {
	var b strings.Builder
	b.WriteString(c.Section)
	put := func(k, v string) {
		if v != "" && v != "0" {
			b.WriteByte('/')
			b.WriteString(k)
			b.WriteByte('=')
			b.WriteString(v)
		}
	}
	put("shape", string(c.Shape))
	put("target", c.Target)
	put("engine", c.Engine)
	put("profile", string(c.Profile))
	put("surface", c.Surface)
	put("body", c.Body)
	fmt.Fprintf(&b, "/stream_every=%d", c.StreamEvery)
	put("frames", fmt.Sprint(c.Frames))
	if c.Coalesce {
		put("coalesce", "true")
	}
	put("conc", fmt.Sprint(c.Conc))
	put("rate_per_s", fmt.Sprintf("%g", c.RatePerS))
	put("arrivals", c.Arrivals)
	put("workers", fmt.Sprint(c.Workers))
	put("log", c.LogStore)
	put("durability", c.Durability)
	put("client", c.Client)
	put("kill", c.Kill)
	return b.String()
}

// Flushed reports whether the mock sends the frames of streams one by one, each
// in a write of its own. Proxies run unbuffered then.
func (c *Cell) Flushed() bool { return c.StreamEvery > 0 && !c.Coalesce }

// Streamed reports whether request seq (from 0) of the cell is streamed.
func (c *Cell) Streamed(seq uint64) bool { return StreamedAt(c.StreamEvery, seq) }

// StreamedAt reports whether request seq (from 0) is streamed when every Nth
// is: 0 never, 1 always, N the requests N-1, 2N-1, …
func StreamedAt(every int, seq uint64) bool {
	return every > 0 && (seq+1)%uint64(every) == 0
}
