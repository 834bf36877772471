package accounts

import (
	"sync/atomic"

	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/shm"
)

// Sums is one account, as the control listener shows it. Amounts of money are
// 1e-9 dollars.
type Sums struct {
	Key           string `json:"key"`
	Period        string `json:"period"`
	BudgetNano    int64  `json:"budget_nano"`    // -1: none
	BudgetTok     int64  `json:"budget_tok"`     // -1: none
	CommittedNano int64  `json:"committed_nano"` // spent or reserved in this period
	CommittedTok  int64  `json:"committed_tok"`
	ReservedNano  int64  `json:"reserved_nano"` // by requests in flight
	ReservedTok   int64  `json:"reserved_tok"`
	Open          int64  `json:"open_reservations"`
	SpentNano     int64  `json:"spent_nano"` // ever, forfeited included
	SpentTok      int64  `json:"spent_tok"`
	ForfeitedNano int64  `json:"forfeited_nano"` // by workers that died
	ForfeitedTok  int64  `json:"forfeited_tok"`
	Admitted      int64  `json:"admitted"`
	Refused       int64  `json:"refused"`
}

// Sums reads every account, in the order of the config. Each figure is exact,
// but while requests run they are not of one instant.
func (b *Book) Sums(now int64) []Sums {
	out := make([]Sums, len(b.accounts))
	for i := range b.accounts {
		a := &b.accounts[i]
		number, _ := a.Period.number(now)
		tag := tagOf(a.Period, number)
		load := func(word int) int64 { return atomic.LoadInt64(&a.row[word]) }
		s := Sums{
			Key: a.Name, Period: a.Period.String(), BudgetNano: a.BudgetNano, BudgetTok: a.BudgetTok,
			ReservedNano: b.held(a.rowIndex, hNano), ReservedTok: b.held(a.rowIndex, hTok), Open: b.held(a.rowIndex, hCount),
			SpentNano: load(wSpentNano), SpentTok: load(wSpentTok),
			ForfeitedNano: load(wForfeitNano), ForfeitedTok: load(wForfeitTok),
			Admitted: load(wAdmitted), Refused: load(wRefused),
		}
		s.CommittedNano, _ = amountIn(load(wCommitNano), tag)
		s.CommittedTok, _ = amountIn(load(wCommitTok), tag)
		out[i] = s
	}
	return out
}

// Reconcile turns what the dead worker of slot had reserved into spend. It
// leaves the commitments as they are: charged.
func Reconcile(r *shm.Region, slot int) (f ledger.Forfeit) {
	capacity := Capacity(r)
	for row := range capacity {
		at := holdAt(capacity, slot, row)
		if r.Load(at+hCount) == 0 && r.Load(at+hNano) == 0 && r.Load(at+hTok) == 0 {
			continue
		}
		nano, tok := atomic.SwapInt64(r.Word(at+hNano), 0), atomic.SwapInt64(r.Word(at+hTok), 0)
		f.Reservations += atomic.SwapInt64(r.Word(at+hCount), 0)
		f.Nano += nano
		f.Tok += tok
		base := rowAt(row)
		atomic.AddInt64(r.Word(base+wSpentNano), nano)
		atomic.AddInt64(r.Word(base+wSpentTok), tok)
		atomic.AddInt64(r.Word(base+wForfeitNano), nano)
		atomic.AddInt64(r.Word(base+wForfeitTok), tok)
	}
	return f
}
