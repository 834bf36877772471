// Package tally is the sums that every log store answers: rows, tokens and
// cost by key and model.
package tally

import (
	"cmp"
	"slices"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// Sum is the sums over the rows of one key and model.
type Sum struct {
	Key, Model           string
	Rows                 int64
	PromptTok, OutputTok int64
	CostNano             int64 // 1e-9 dollars
	Estimated            int64 // rows whose tokens are the gateway's estimate
}

// Add adds the figures of o, whatever its names.
func (s *Sum) Add(o Sum) {
	s.Rows += o.Rows
	s.PromptTok += o.PromptTok
	s.OutputTok += o.OutputTok
	s.CostNano += o.CostNano
	s.Estimated += o.Estimated
}

// OfRow is the sum over one row.
func OfRow(r *logrow.Row) Sum {
	s := Sum{Key: r.Key, Model: r.Model, Rows: 1, PromptTok: r.PromptTok, OutputTok: r.OutputTok, CostNano: r.CostNano}
	if r.Estimated {
		s.Estimated = 1
	}
	return s
}

// Merge adds up the sums that share key and model, in the order of key, then
// model.
func Merge(sums []Sum) []Sum {
	at := make(map[[2]string]int, len(sums))
	var out []Sum
	for _, s := range sums {
		k := [2]string{s.Key, s.Model}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, Sum{Key: s.Key, Model: s.Model})
		}
		out[i].Add(s)
	}
	slices.SortFunc(out, func(a, b Sum) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Model, b.Model))
	})
	return out
}
