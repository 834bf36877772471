package accounts

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/tollgate-lab/tollgate/gateway/admission"
	"github.com/tollgate-lab/tollgate/gateway/shm"
)

// Book is the accounts of one config's keys as one worker sees them. It is
// immutable; what changes is in the region.
type Book struct {
	region   *shm.Region
	capacity int
	accounts []account
	// table is open-addressed by the digest's first 8 bytes, at most half full.
	table []entry
	mask  uint64
}

type entry struct {
	prefix uint64
	key    int32 // index + 1; 0: free
}

type account struct {
	Key
	rpm, tpm rate
	row      *[rowWords]int64
	hold     *[holdWords]int64 // of this worker's slot
	rowIndex int
}

// NewBook opens the accounts of keys, which Claim has placed in r, for the
// worker in slot.
func NewBook(r *shm.Region, keys []Key, slot int) (*Book, error) {
	if slot < 0 || slot >= MaxSlots {
		return nil, fmt.Errorf("open accounts: slot %d of %d", slot, MaxSlots)
	}
	size := 1 << bits.Len(uint(2*len(keys)))
	b := &Book{
		region: r, capacity: Capacity(r),
		accounts: make([]account, len(keys)), table: make([]entry, size), mask: uint64(size - 1),
	}
	rows := rowsByDigest(r)
	for i, k := range keys {
		row, ok := rows[wordsOf(k.Digest)]
		if !ok {
			return nil, fmt.Errorf("open accounts: key %q has no row", k.Name)
		}
		b.accounts[i] = account{
			Key: k, rpm: perMinute(k.RPM), tpm: perMinute(k.TPM), rowIndex: row,
			row: rowWordsAt(r, rowAt(row)), hold: holdWordsAt(r, holdAt(b.capacity, slot, row)),
		}
		if err := b.insert(i); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (b *Book) insert(i int) error {
	k := &b.accounts[i].Key
	prefix := binary.LittleEndian.Uint64(k.Digest[:])
	for at := prefix & b.mask; ; at = (at + 1) & b.mask {
		e := &b.table[at]
		if e.key == 0 {
			*e = entry{prefix: prefix, key: int32(i + 1)}
			return nil
		}
		if other := &b.accounts[e.key-1].Key; other.Digest == k.Digest {
			return fmt.Errorf("open accounts: keys %q and %q have the same token", other.Name, k.Name)
		}
	}
}

var _ admission.Admitter = (*Book)(nil)

// Authenticate implements admission.Admitter. What varies with the token is
// only which chain of the table its digest falls into; the digest is compared
// whole and in constant time.
func (b *Book) Authenticate(token []byte) (admission.KeyRef, admission.Reason) {
	if len(token) == 0 {
		return admission.NoKey, admission.ReasonNoKey
	}
	digest := sha256.Sum256(token)
	prefix := binary.LittleEndian.Uint64(digest[:])
	for at := prefix & b.mask; ; at = (at + 1) & b.mask {
		e := b.table[at]
		if e.key == 0 {
			return admission.NoKey, admission.ReasonBadKey
		}
		if e.prefix != prefix {
			continue
		}
		a := &b.accounts[e.key-1]
		if subtle.ConstantTimeCompare(a.Digest[:], digest[:]) != 1 {
			continue
		}
		if a.Disabled {
			return admission.KeyRef(e.key - 1), admission.ReasonDisabled
		}
		return admission.KeyRef(e.key - 1), admission.ReasonNone
	}
}

// KeyName implements admission.Admitter.
func (b *Book) KeyName(k admission.KeyRef) string {
	if a := b.account(k); a != nil {
		return a.Name
	}
	return ""
}

// ModelAllowed implements admission.Admitter.
func (b *Book) ModelAllowed(k admission.KeyRef, model int) bool {
	a := b.account(k)
	if a == nil || a.Models == nil {
		return true
	}
	return model >= 0 && model < len(a.Models) && a.Models[model]
}

// account is nil for NoKey.
func (b *Book) account(k admission.KeyRef) *account {
	if k < 0 || int(k) >= len(b.accounts) {
		return nil
	}
	return &b.accounts[k]
}
