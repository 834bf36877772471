package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// LostToKill is the rows that a planned kill took with it: requests that the
// gateway had read whole and that no row, drop or failure accounts for.
func (f *Facts) LostToKill() int64 {
	if f.Kill == nil || f.Log == nil || f.Ledger == nil {
		return 0
	}
	return f.Ledger["read_whole"] - f.Log.Rows - f.Ledger["rows_dropped"]
}

func logRows(f *Facts) (results.Check, bool) {
	if f.Log == nil || f.Ledger == nil {
		return absent()
	}
	if f.Kill == nil {
		return equal("log rows + drops = requests read whole", f.Ledger["read_whole"], f.Log.Rows+f.Ledger["rows_dropped"],
			fmt.Sprintf("%d dropped", f.Ledger["rows_dropped"]))
	}
	// Durability sync and group promise the rows of answered requests; only
	// requests that were not answered may be missing.
	lost, limit := f.LostToKill(), int64(len(f.unanswered()))
	detail := fmt.Sprintf("without a row: %s", idList(f.withoutRow()))
	c, ok := atMost("rows lost to the kill ≤ requests in flight then", limit, lost, detail)
	c.OK = c.OK && lost >= 0
	return c, ok
}

// logDrops refuses cells whose store fell behind: an async cell counts only
// with no drop.
func logDrops(f *Facts) (results.Check, bool) {
	if f.Log == nil || f.Ledger == nil {
		return absent()
	}
	return equal("rows dropped or failed", 0, f.Ledger["rows_dropped"]+f.Ledger["rows_failed"], "")
}

// logComplete: whoever saw a whole answer finds it in the log.
func logComplete(f *Facts) (results.Check, bool) {
	if f.Log == nil || f.Records == nil || f.Join == contract.JoinNone {
		return absent()
	}
	var want, got int64
	var missing []uint64
	for i := range f.Records {
		r := &f.Records[i]
		if r.Outcome != contract.Answered {
			continue
		}
		want++
		if slices.ContainsFunc(f.Log.ByID[r.ID], func(row Row) bool { return row.Answered }) {
			got++
		} else {
			missing = append(missing, r.ID)
		}
	}
	detail := ""
	if len(missing) > 0 {
		detail = "answered but not in the log: " + idList(missing)
	}
	return equal("answered requests in the log", want, got, detail)
}

func logOnce(f *Facts) (results.Check, bool) {
	if f.Log == nil {
		return absent()
	}
	var twice []uint64
	for id, rows := range f.Log.ByID {
		if len(rows) > 1 {
			twice = append(twice, id)
		}
	}
	slices.Sort(twice)
	detail := ""
	if len(twice) > 0 {
		detail = idList(twice)
	}
	return equal("requests with more than one row", 0, int64(len(twice)), detail)
}

// logForeign: the load is alone with its gateway, so every row is one of its.
func logForeign(f *Facts) (results.Check, bool) {
	if f.Log == nil || f.Join != contract.JoinHeader {
		return absent()
	}
	return equal("log rows without an id of the load", 0, f.Log.Foreign, "")
}

func logCost(f *Facts) (results.Check, bool) {
	if f.Log == nil || f.Ledger == nil || f.Kill != nil || f.Ledger["rows_dropped"] > 0 {
		return absent()
	}
	return equal("cost in the log = spend, in 1e-9 dollars", f.Ledger["spend_nano"], f.Log.CostNano, "")
}

// withoutRow is the unanswered requests that left no row.
func (f *Facts) withoutRow() (ids []uint64) {
	for _, id := range f.unanswered() {
		if len(f.Log.ByID[id]) == 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// unanswered is the requests that were sent and not answered, in order of
// their ids.
func (f *Facts) unanswered() (ids []uint64) {
	for i := range f.Records {
		r := &f.Records[i]
		if r.Outcome.Failed() && r.Outcome != contract.Unsent && r.Outcome != contract.Refused {
			ids = append(ids, r.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

func hexID(id uint64) string {
	var b [contract.IDLen]byte
	contract.PutID(b[:], id)
	return string(b[:])
}

// maxNamed bounds the ids in a detail.
const maxNamed = 64

func idList(ids []uint64) string {
	if len(ids) == 0 {
		return "none"
	}
	var b strings.Builder
	for i, id := range ids {
		if i == maxNamed {
			fmt.Fprintf(&b, " and %d more", len(ids)-i)
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(hexID(id))
	}
	return b.String()
}
