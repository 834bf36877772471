package gateway

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/tollgate-lab/tollgate/gateway/admission/accounts"
	"github.com/tollgate-lab/tollgate/gateway/config"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/shm"
	"github.com/tollgate-lab/tollgate/gateway/shm/shmfile"
)

// memory is what the processes of one gateway share: the ledger's slots, new with
// each gateway, and the keys' accounts, which outlive it when state.dir is set.
// In a gateway of one process it is ordinary memory where it can be.
type memory struct {
	sums, accounts *shm.Region
	mappings       []*shmfile.Mapping // of sums, then accounts; nil where it is ordinary memory
}

// The words of sums: the ledger's slots, then these.
var (
	wordAllReady = ledger.Words(accounts.MaxSlots) // 1: every worker was ready once
	sumsWords    = wordAllReady + 8
)

var (
	sumsLayout     = shmfile.LayoutOf(fmt.Sprintf("sums/1 of %d words", sumsWords))
	accountsLayout = shmfile.LayoutOf(accounts.LayoutName)
)

// accountsFile is the name of the budgets' file in state.dir.
const accountsFile = "accounts.shm"

// openMemory makes the memory of a gateway and gives every key its account.
// shared: processes are going to inherit it. now is Unix ns.
func openMemory(c *config.Config, keys []accounts.Key, shared bool, now int64, log *slog.Logger) (*memory, error) {
	m := &memory{mappings: make([]*shmfile.Mapping, 2)}
	err := m.open(c.State.Dir, len(keys), shared, log)
	if err == nil {
		err = accounts.Claim(m.accounts, keys, now)
	}
	if err != nil {
		return nil, errors.Join(err, m.close())
	}
	return m, nil
}

func (m *memory) open(dir string, keys int, shared bool, log *slog.Logger) (err error) {
	if shared {
		if m.mappings[0], err = shmfile.Anonymous(sumsWords, sumsLayout); err != nil {
			return err
		}
	}
	switch {
	case dir != "":
		m.mappings[1], err = openAccounts(dir, keys, log)
	case shared:
		m.mappings[1], err = shmfile.Anonymous(accounts.Words(keys), accountsLayout)
	}
	if err != nil {
		return err
	}
	m.sums, m.accounts = regionOr(m.mappings[0], sumsWords), regionOr(m.mappings[1], accounts.Words(keys))
	return nil
}

func regionOr(m *shmfile.Mapping, words int) *shm.Region {
	if m != nil {
		return m.Region
	}
	return shm.NewHeap(words)
}

// openAccounts opens the budgets' file, closes what an earlier run left open, and
// makes room for so many keys.
func openAccounts(dir string, keys int, log *slog.Logger) (*shmfile.Mapping, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("state.dir: %w", err)
	}
	path := filepath.Join(dir, accountsFile)
	m, err := shmfile.Open(path, accounts.Words(keys), accountsLayout)
	switch {
	case errors.Is(err, shmfile.ErrInUse):
		return nil, fmt.Errorf("state.dir: another gateway keeps its budgets in %s: %w", path, err)
	case errors.Is(err, shmfile.ErrForeign):
		return nil, fmt.Errorf("state.dir: %w; move the file away to begin with empty budgets", err)
	case err != nil:
		return nil, fmt.Errorf("state.dir: %w", err)
	}
	var lost ledger.Forfeit
	for slot := range accounts.MaxSlots {
		f := accounts.Reconcile(m.Region, slot)
		lost.Reservations += f.Reservations
		lost.Nano += f.Nano
		lost.Tok += f.Tok
	}
	if lost.Reservations > 0 {
		log.Warn("reservations of an earlier run stay charged", "reservations", lost.Reservations, "nano_dollars", lost.Nano, "tokens", lost.Tok)
	}
	if words := accounts.Words(keys); m.Region.Len() < words {
		log.Info("making room for more keys in the budgets' file", "keys", keys)
		grown, err := shmfile.Replace(m, path, words, accountsLayout, func(r *shm.Region) { accounts.Copy(r, m.Region) })
		if err != nil {
			m.Close()
			return nil, fmt.Errorf("state.dir: %w", err)
		}
		m = grown
	}
	return m, nil
}

// files are what a worker inherits.
func (m *memory) files() (list []*os.File) {
	for _, p := range m.mappings {
		list = append(list, p.File())
	}
	return list
}

// inheritMemory maps what the supervisor's openMemory made.
func inheritMemory(files []*os.File) (*memory, error) {
	if len(files) != 2 {
		return nil, fmt.Errorf("inherit shared memory: %d files, want 2", len(files))
	}
	m := &memory{mappings: make([]*shmfile.Mapping, 2)}
	for i, layout := range []shmfile.Layout{sumsLayout, accountsLayout} {
		p, err := shmfile.Attach(files[i], layout)
		if err != nil {
			m.close()
			return nil, fmt.Errorf("inherit shared memory: %w", err)
		}
		m.mappings[i] = p
	}
	m.sums, m.accounts = m.mappings[0].Region, m.mappings[1].Region
	return m, nil
}

// slots are the ledger slots of so many workers.
func (m *memory) slots(workers int) []ledger.Slot {
	slots := make([]ledger.Slot, workers)
	for i := range slots {
		slots[i] = ledger.At(m.sums, 0, i)
	}
	return slots
}

func (m *memory) setAllReady()   { atomic.StoreInt64(m.sums.Word(wordAllReady), 1) }
func (m *memory) allReady() bool { return m.sums.Load(wordAllReady) != 0 }

// close unmaps all, and writes the accounts back to the disk first.
func (m *memory) close() error {
	var errs []error
	for _, p := range m.mappings {
		if p != nil {
			errs = append(errs, p.Sync(), p.Close())
		}
	}
	return errors.Join(errs...)
}
