package logstore

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

func TestRequestIDsBecomeText(t *testing.T) {
	for _, c := range []struct{ story, in, want string }{
		{"plain ASCII stays", "req-01_ä"[:7], "req-01_"},
		{"UTF-8 stays", "naïve-日本", "naïve-日本"},
		{"NUL and controls", "a\x00b\x1fc\x7fd", "a?b?c?d"},
		{"a broken sequence", "a\xff\xfeb", "a?b"},
		{"a character cut by the limit", strings.Repeat("x", 63) + "日", strings.Repeat("x", 63) + "?"},
		{"nothing", "", ""},
	} {
		t.Run(c.story, func(t *testing.T) {
			r := row(c.in)
			cleanID(r)
			if string(r.ID()) != c.want {
				t.Errorf("%q becomes %q, want %q", c.in, r.ID(), c.want)
			}
		})
	}
}

func FuzzCleanID(f *testing.F) {
	for _, s := range []string{"", "abc", "\x00", "\xff", "日本", strings.Repeat("é", 40), strings.Repeat("x", 62) + "\xe6\x97"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, id []byte) {
		var r logrow.Row
		r.SetID(id)
		was := string(r.ID())
		cleanID(&r)
		got := string(r.ID())
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(c rune) bool { return c < 0x20 || c == 0x7f }) {
			t.Fatalf("%q becomes %q, which is no text", was, got)
		}
		if utf8.ValidString(was) && !strings.ContainsFunc(was, func(c rune) bool { return c < 0x20 || c == 0x7f }) && was != got {
			t.Fatalf("%q was text and became %q", was, got)
		}
		again := r
		cleanID(&again)
		if again != r {
			t.Fatalf("%q becomes %q the second time", got, again.ID())
		}
	})
}
