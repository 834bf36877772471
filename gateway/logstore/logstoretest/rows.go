package logstoretest

import (
	"fmt"
	"math/rand/v2"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// Rows makes rows for tests: every field varies, and the words come from small
// sets, as the request path's do.
type Rows struct {
	rng  *rand.Rand
	name string
	n    int
}

// NewRows makes rows whose request ids begin with name.
func NewRows(name string, seed uint64) *Rows {
	return &Rows{rng: rand.New(rand.NewPCG(seed, 1)), name: name}
}

// Next is the next row. Its id is unlike that of every other row of the same
// name.
func (g *Rows) Next() logrow.Row {
	pick := func(words ...string) string { return words[g.rng.IntN(len(words))] }
	r := logrow.Row{
		StartedNs: 1_760_000_000_000_000_000 + int64(g.n)*1_000_003,
		TTFBNs:    g.rng.Int64N(1e9),
		TotalNs:   g.rng.Int64N(60e9),
		Surface:   pick("chat", "embeddings", "models"),
		Key:       pick("", "alpha", "beta"),
		Model:     pick("", "small", "large/ü"),
		Provider:  pick("mock", "other"),
		Status:    int32(200 + g.rng.IntN(330)),
		Outcome:   logrow.Outcome(1 + g.rng.IntN(5)),
		Reason:    pick("", "rate_limit_requests", "insufficient_quota"),
		Stream:    g.rng.IntN(2) == 1,
		Estimated: g.rng.IntN(4) == 0,
		PromptTok: g.rng.Int64N(200_000),
		OutputTok: g.rng.Int64N(8_000),
		CostNano:  g.rng.Int64N(1e12),
		BytesIn:   g.rng.Int64N(1 << 20),
		BytesOut:  g.rng.Int64N(1 << 30),
	}
	r.SetID(fmt.Appendf(nil, "%s-%06d", g.name, g.n))
	g.n++
	return r
}
