package gateway

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/admission"
	"github.com/tollgate-lab/tollgate/gateway/admission/accounts"
	"github.com/tollgate-lab/tollgate/gateway/config"
	"github.com/tollgate-lab/tollgate/gateway/logstore"
	"github.com/tollgate-lab/tollgate/gateway/shm/shmfile"
)

func keysNamed(n int) (keys []accounts.Key) {
	for i := range n {
		k := accounts.Key{Name: fmt.Sprint(i), BudgetNano: accounts.NoLimit, BudgetTok: accounts.NoLimit}
		k.Digest[0], k.Digest[1], k.Digest[2] = byte(i), byte(i>>8), 1
		keys = append(keys, k)
	}
	return keys
}

func openState(t *testing.T, dir string, keys int) (*memory, *accounts.Book) {
	t.Helper()
	c := config.Default()
	c.State.Dir = dir
	m, err := openMemory(c, keysNamed(keys), false, 1, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	b, err := accounts.NewBook(m.accounts, keysNamed(keys), 0)
	if err != nil {
		t.Fatal(err)
	}
	return m, b
}

func TestTheBudgetsFileGrowsAndClosesWhatWasOpen(t *testing.T) {
	if !shmfile.Supported {
		t.Skip("no shared memory on this system")
	}
	dir := filepath.Join(t.TempDir(), "deep", "state")
	m, b := openState(t, dir, 3)
	small := m.accounts.Len()
	var spent, open admission.Reservation
	e := &admission.Estimate{Usage: admission.Usage{PromptTok: 1}, PriceIn: 7_000_000}
	b.Reserve(1, 2, e, &spent)
	b.Settle(1, &spent, admission.Usage{PromptTok: 1}, 5)
	b.Reserve(1, 2, e, &open) // and the process dies
	if err := m.close(); err != nil {
		t.Fatal(err)
	}
	m, b = openState(t, dir, 3000)
	if m.accounts.Len() <= small {
		t.Errorf("%d words for 3000 keys, %d for 3", m.accounts.Len(), small)
	}
	if s := b.Sums(1)[2]; s.SpentNano != 12 || s.ForfeitedNano != 7 || s.Open != 0 || s.CommittedNano != 12 {
		t.Errorf("account %+v", s)
	}
	if err := m.close(); err != nil {
		t.Fatal(err)
	}
	m, b = openState(t, dir, 3)
	defer m.close()
	if s := b.Sums(1)[2]; s.SpentNano != 12 {
		t.Errorf("account %+v", s)
	}
}

func TestStateThatCannotBeUsedIsRefusedWithAReason(t *testing.T) {
	if !shmfile.Supported {
		t.Skip("no shared memory on this system")
	}
	dir := t.TempDir()
	c := config.Default()
	c.State.Dir = dir
	attempt := func() error {
		m, err := openMemory(c, nil, false, 1, slog.New(slog.DiscardHandler))
		if err == nil {
			m.close()
		}
		return err
	}
	held, _ := openState(t, dir, 1)
	if err := attempt(); err == nil || !strings.Contains(err.Error(), "another gateway keeps its budgets in") {
		t.Errorf("in use: %v", err)
	}
	held.close()
	if err := attempt(); err != nil {
		t.Errorf("free again: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, accountsFile), []byte(strings.Repeat("diary ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := attempt(); err == nil || !strings.Contains(err.Error(), "move the file away") {
		t.Errorf("somebody else's file: %v", err)
	}
	c.State.Dir = filepath.Join(dir, accountsFile, "below-a-file")
	if err := attempt(); err == nil || !strings.Contains(err.Error(), "state.dir") {
		t.Errorf("no folder: %v", err)
	}
}

func TestStoreHealthFollowsTheCommits(t *testing.T) {
	var h storeHealth
	for _, tc := range []struct {
		story string
		stats logstore.Stats
		away  bool
	}{
		{"nothing yet", logstore.Stats{}, false},
		{"a commit", logstore.Stats{Batches: 1}, false},
		{"a commit is tried again", logstore.Stats{Batches: 1, Retries: 1}, true},
		{"nothing new", logstore.Stats{Batches: 1, Retries: 1}, true},
		{"it succeeds", logstore.Stats{Batches: 2, Retries: 2}, false},
		{"rows are lost", logstore.Stats{Batches: 2, Retries: 2, Failed: 3}, true},
		{"more are lost while others are kept", logstore.Stats{Batches: 3, Retries: 2, Failed: 4}, true},
		{"and then it is back", logstore.Stats{Batches: 4, Retries: 2, Failed: 4}, false},
	} {
		if err := h.look(tc.stats); (err != nil) != tc.away {
			t.Errorf("%s: %v", tc.story, err)
		}
	}
}
