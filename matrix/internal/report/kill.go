package report

import (
	"fmt"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// killText is a section of planned kills: the load, then what the audit
// names, check by check.
func killText(v *view) (*text, error) {
	t, err := loadTables(v, axisWorkers, axisLog)
	if err != nil {
		return nil, err
	}
	by := varying(cellsOf(v.load, nil), axisWorkers, axisLog)
	tb := &table{columns: append(keyColumns(by),
		column{title: "repetition"},
		column{title: "sum that has to close", words: true},
		column{title: "want"},
		column{title: "got"},
		column{title: "holds", words: true},
		column{title: "names", words: true, wide: true},
	)}
	for _, s := range v.load {
		for _, r := range s.Reps {
			if r.Audit == nil || isFloor(&s.Cell) {
				continue
			}
			for _, c := range r.Audit.Checks {
				holds := "yes"
				if !c.OK {
					holds = "**no**"
				}
				row := append(keyCells(&s.Cell, by), fmt.Sprintf("%d.%d", r.Block, r.Rep), c.Name, integer(c.Want), integer(c.Got), holds, orNone(c.Detail))
				if err := tb.add(s.Cell.Shape, row...); err != nil {
					return nil, err
				}
			}
		}
	}
	t.show("What the audit says", tb)
	t.list(v.notes())
	return t, nil
}

// lost sums, over the gateway's cells of a section, the requests that were in
// flight when a planned kill struck.
func (v *view) lost() (rows int64, outcomes contract.Counts) {
	for _, s := range v.measured(false) {
		for _, r := range s.Reps {
			if r.Log != nil {
				rows += r.Log.LostToKill
			}
		}
		outcomes.Add(s.Counts())
	}
	return rows, outcomes
}
