package report

import (
	"cmp"
	"slices"

	"github.com/tollgate-lab/tollgate/results"
)

// within is the ratio of a figure of s to the same figure of other, taken block
// by block: both sides of a ratio ran within one block, so what the host does
// from block to block falls out of it. Blocks in which either side has no such
// figure have no ratio.
func within(s, other *results.Series, figure func(*results.Repetition) (float64, bool)) results.Spread {
	type side struct{ ours, theirs []float64 }
	blocks := make(map[int]*side)
	at := func(block int) *side {
		if blocks[block] == nil {
			blocks[block] = new(side)
		}
		return blocks[block]
	}
	for _, r := range s.Reps {
		if v, ok := figure(r); ok {
			at(r.Block).ours = append(at(r.Block).ours, v)
		}
	}
	for _, r := range other.Reps {
		if v, ok := figure(r); ok {
			at(r.Block).theirs = append(at(r.Block).theirs, v)
		}
	}
	var ratios []float64
	for _, b := range sortedBlocks(blocks) {
		ours, theirs := results.SpreadOf(blocks[b].ours), results.SpreadOf(blocks[b].theirs)
		if ours.N > 0 && theirs.N > 0 && theirs.Median > 0 {
			ratios = append(ratios, ours.Median/theirs.Median)
		}
	}
	return results.SpreadOf(ratios)
}

func sortedBlocks[V any](m map[int]V) []int {
	out := make([]int, 0, len(m))
	for b := range m {
		out = append(out, b)
	}
	slices.Sort(out)
	return out
}

// ratioText prints a ratio with the range of the blocks.
func ratioText(s results.Spread) string {
	switch s.N {
	case 0:
		return none
	case 1:
		return significant(s.Median)
	}
	return significant(s.Median) + " (" + significant(s.Min) + " to " + significant(s.Max) + ")"
}

// sortLoads orders loads for a reader.
func sortLoads(loads []engineLoad) {
	together := func(l *engineLoad) int {
		if l.cell.Coalesce {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(loads, func(a, b engineLoad) int {
		return cmp.Or(
			cmp.Compare(a.cell.Shape, b.cell.Shape),
			cmp.Compare(a.cell.StreamEvery, b.cell.StreamEvery),
			cmp.Compare(a.cell.Frames, b.cell.Frames),
			cmp.Compare(together(&a), together(&b)),
		)
	})
}
