package accounts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/admission"
	"github.com/tollgate-lab/tollgate/gateway/shm"
)

func TestAuthenticate(t *testing.T) {
	disabled := named("gone")
	disabled.Disabled = true
	b := open(t, shm.NewHeap(Words(3)), 0, named("a"), named("b"), disabled)
	for _, tc := range []struct {
		story, token string
		name         string
		reason       admission.Reason
	}{
		{"a known token is its key", "token-a", "a", admission.ReasonNone},
		{"another is another key", "token-b", "b", admission.ReasonNone},
		{"no token at all", "", "", admission.ReasonNoKey},
		{"an unknown token", "token-c", "", admission.ReasonBadKey},
		{"a known token with one byte more", "token-a ", "", admission.ReasonBadKey},
		{"a key that was switched off is named, and refused", "token-gone", "gone", admission.ReasonDisabled},
	} {
		k, reason := b.Authenticate([]byte(tc.token))
		if reason != tc.reason || b.KeyName(k) != tc.name {
			t.Errorf("%s: key %q, reason %q; want %q, %q", tc.story, b.KeyName(k), reason, tc.name, tc.reason)
		}
	}
}

func TestAuthenticateWithNoKeysRefusesAll(t *testing.T) {
	b := open(t, shm.NewHeap(Words(0)), 0)
	if _, reason := b.Authenticate([]byte("x")); reason != admission.ReasonBadKey {
		t.Errorf("reason %q", reason)
	}
}

// TestDigestsWithOnePrefix puts keys whose digests agree in the bytes that the
// table looks at into one chain.
func TestDigestsWithOnePrefix(t *testing.T) {
	real := named("real")
	var keys []Key
	for i := range 5 {
		k := named(fmt.Sprint("decoy", i))
		k.Digest = real.Digest
		k.Digest[31] ^= byte(i + 1)
		keys = append(keys, k)
	}
	b := open(t, shm.NewHeap(Words(6)), 0, append(keys, real)...)
	k, reason := b.Authenticate([]byte("token-real"))
	if reason != admission.ReasonNone || b.KeyName(k) != "real" {
		t.Errorf("key %q, reason %q", b.KeyName(k), reason)
	}
	b = open(t, shm.NewHeap(Words(6)), 0, keys...)
	if k, reason := b.Authenticate([]byte("token-real")); reason != admission.ReasonBadKey {
		t.Errorf("a digest that differs in its last byte is taken for %q", b.KeyName(k))
	}
}

func TestManyKeysAreAllFound(t *testing.T) {
	var keys []Key
	for i := range 5000 {
		keys = append(keys, named(fmt.Sprint(i)))
	}
	b := open(t, shm.NewHeap(Words(len(keys))), 0, keys...)
	for i := range keys {
		if k, reason := b.Authenticate(fmt.Appendf(nil, "token-%d", i)); reason != admission.ReasonNone || int(k) != i {
			t.Fatalf("token %d is key %d, reason %q", i, k, reason)
		}
	}
}

func TestTwoKeysWithOneTokenAreRefused(t *testing.T) {
	a, b := named("a"), named("b")
	b.Digest = a.Digest
	r := shm.NewHeap(Words(2))
	if err := Claim(r, []Key{a, b}, noon); err != nil {
		t.Fatal(err)
	}
	if _, err := NewBook(r, []Key{a, b}, 0); err == nil || !strings.Contains(err.Error(), `"a" and "b"`) {
		t.Errorf("error %v", err)
	}
}

func TestModelAllowed(t *testing.T) {
	some := named("some")
	some.Models = []bool{true, false}
	b := open(t, shm.NewHeap(Words(2)), 0, named("all"), some)
	for _, tc := range []struct {
		story string
		key   admission.KeyRef
		model int
		want  bool
	}{
		{"a key without a list may use all", 0, 1, true},
		{"a listed model", 1, 0, true},
		{"one that is not listed", 1, 1, false},
		{"one that came later", 1, 2, false},
		{"none at all", 1, -1, false},
		{"without authentication there is no list", admission.NoKey, 1, true},
	} {
		if got := b.ModelAllowed(tc.key, tc.model); got != tc.want {
			t.Errorf("%s: %v", tc.story, got)
		}
	}
}
