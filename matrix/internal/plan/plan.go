package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/tollgate-lab/tollgate/matrix/internal/spec"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// Plan is every cell of a run, in the order in which they run.
type Plan struct {
	Spec   *spec.Spec
	Seed   uint64
	Blocks [][]Item // by block; sections in the spec's order, cells of one shuffled
}

// Item is one cell in one block.
type Item struct {
	Cell  contract.Cell
	Block int // from 0
	Order int // place in the block, from 0
	// Skip says why the cell cannot run here; nil: it runs.
	Skip *results.Skipped
}

// Facts is what the host offers, found out before planning.
type Facts struct {
	// Bodies is the file names of the data folder's bodies; NoBodies says why
	// there are none.
	Bodies   []string
	NoBodies *results.Skipped
	// NoPostgres, NoExternal and NoWorkers say why PostgreSQL, separate
	// processes or more than one worker cannot be had; nil: they can.
	NoPostgres *results.Skipped
	NoExternal *results.Skipped
	NoWorkers  *results.Skipped
	NoEpoll    *results.Skipped // no event loops: engine epoll is for Linux
	NoCPUTime  *results.Skipped // no CPU time of a process: it is all that a waterfall measures
	// NoProxy says, by target, why a proxy cannot run.
	NoProxy map[string]*results.Skipped
}

// Options narrow a plan.
type Options struct {
	Seed     uint64
	Sections []string // only these; nil: all
	Blocks   int      // 0: the spec's repetitions
}

// Expand lists every cell of every block.
func Expand(s *spec.Spec, facts Facts, opt Options) (*Plan, error) {
	for _, name := range opt.Sections {
		if !slices.ContainsFunc(s.Sections, func(sec spec.Section) bool { return sec.Name == name }) {
			return nil, fmt.Errorf("plan %s: no section %q; it has %s", s.Name, name, sectionNames(s))
		}
	}
	blocks := opt.Blocks
	if blocks == 0 {
		blocks = s.Repetitions
	}
	if blocks < 0 {
		return nil, fmt.Errorf("plan %s: %d blocks: want at least 1", s.Name, blocks)
	}
	p := &Plan{Spec: s, Seed: opt.Seed, Blocks: make([][]Item, blocks)}
	for i := range s.Sections {
		sec := &s.Sections[i]
		if opt.Sections != nil && !slices.Contains(opt.Sections, sec.Name) {
			continue
		}
		items, err := sectionItems(s, sec, facts)
		if err != nil {
			return nil, fmt.Errorf("plan %s, section %s: %w", s.Name, sec.Name, err)
		}
		for b := range p.Blocks {
			shuffled := slices.Clone(items)
			// One stream per block and section, so that leaving out a section
			// does not reorder the others.
			r := rand.New(rand.NewPCG(opt.Seed, uint64(b)<<32|nameHash(sec.Name)))
			r.Shuffle(len(shuffled), func(x, y int) { shuffled[x], shuffled[y] = shuffled[y], shuffled[x] })
			for j := range shuffled {
				shuffled[j].Block = b
				shuffled[j].Order = len(p.Blocks[b])
				p.Blocks[b] = append(p.Blocks[b], shuffled[j])
			}
		}
	}
	return p, nil
}

func sectionNames(s *spec.Spec) string {
	var out string
	for i, sec := range s.Sections {
		if i > 0 {
			out += ", "
		}
		out += sec.Name
	}
	return out
}

// nameHash is FNV-1a, 32 bits.
func nameHash(s string) uint64 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return uint64(h)
}

// Items counts the items that run and those that are skipped.
func (p *Plan) Items() (run, skipped int) {
	for _, b := range p.Blocks {
		for i := range b {
			if b[i].Skip != nil {
				skipped++
			} else {
				run++
			}
		}
	}
	return run, skipped
}
