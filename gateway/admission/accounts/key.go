package accounts

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/shm"
)

// NoLimit is a budget that does not exist; a budget of 0 lets nothing through
// that costs.
const NoLimit = -1

// Key is a virtual key as the config has it.
type Key struct {
	Name     string
	Digest   [sha256.Size]byte // of the token
	Disabled bool
	Models   []bool // by index of the snapshot's models; nil: all
	// Budgets per Period, NoLimit or 0..MaxAmount.
	BudgetNano, BudgetTok int64
	Period                Period
	// Requests and tokens per minute, 0: no limit, else at most MaxPerMinute.
	RPM, TPM int64
}

type digestWords [4]int64

func wordsOf(d [sha256.Size]byte) (w digestWords) {
	for i := range w {
		w[i] = int64(binary.LittleEndian.Uint64(d[8*i:]))
	}
	return w
}

func digestIn(r *shm.Region, row int) (w digestWords) {
	for i := range w {
		w[i] = r.Load(rowAt(row) + wDigest + i)
	}
	return w
}

// Claim gives every key its row: the one it had, or a free one, or that of the
// key which was longest out of the config. Only the process that owns the region
// does this, before any worker reads it. now is in Unix ns.
func Claim(r *shm.Region, keys []Key, now int64) error {
	if len(keys) > Capacity(r) {
		return fmt.Errorf("claim accounts: %d keys, room for %d", len(keys), Capacity(r))
	}
	rows := rowsByDigest(r)
	seen := now / int64(time.Second)
	var missing []Key
	for _, k := range keys {
		row, ok := rows[wordsOf(k.Digest)]
		if !ok {
			missing = append(missing, k)
			continue
		}
		*r.Word(rowAt(row) + wLastSeen) = seen
	}
	for _, k := range missing {
		row := oldest(r, seen)
		if row < 0 {
			return fmt.Errorf("claim accounts: no row for key %q", k.Name)
		}
		erase(r, row)
		for i, w := range wordsOf(k.Digest) {
			*r.Word(rowAt(row) + wDigest + i) = w
		}
		*r.Word(rowAt(row) + wLastSeen) = seen
	}
	return nil
}

// rowsByDigest lists the rows in use.
func rowsByDigest(r *shm.Region) map[digestWords]int {
	rows := make(map[digestWords]int)
	for row := range Capacity(r) {
		if d := digestIn(r, row); d != (digestWords{}) {
			rows[d] = row
		}
	}
	return rows
}

// oldest is the row that was least recently in a config, a free one first; -1
// when all are in this one.
func oldest(r *shm.Region, seen int64) int {
	best := -1
	for row := range Capacity(r) {
		if digestIn(r, row) == (digestWords{}) {
			return row
		}
		last := r.Load(rowAt(row) + wLastSeen)
		if last < seen && (best < 0 || last < r.Load(rowAt(best)+wLastSeen)) {
			best = row
		}
	}
	return best
}

func erase(r *shm.Region, row int) {
	for i := range rowWords {
		*r.Word(rowAt(row) + i) = 0
	}
	for slot := range MaxSlots {
		at := holdAt(Capacity(r), slot, row)
		for i := range holdWords {
			*r.Word(at + i) = 0
		}
	}
}

// Copy puts the accounts of a region, reconciled before, into a larger one that
// is empty.
func Copy(to, from *shm.Region) {
	for i := range Capacity(from) * rowWords {
		*to.Word(i) = from.Load(i)
	}
}
