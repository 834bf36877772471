package answer

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// The scanner takes for JSON objects just what encoding/json takes for them,
// and finds the content that it finds.
func FuzzScanChat(f *testing.F) {
	for _, v := range verdicts {
		f.Add([]byte(v.in))
	}
	f.Add([]byte(`{"choices":[{"index":0,"delta":{"content":"a\u00e9\n"}}],"n":[1,-0.5e+10,true,false,null,{}]}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		ch, ok := scanChat(in, "delta")
		isObject := json.Valid(in) && bytes.HasPrefix(bytes.TrimLeft(in, " \t\r\n"), []byte("{"))
		if ok != isObject {
			t.Fatalf("object: we say %v, encoding/json %v", ok, isObject)
		}
		if !ok || ch.from == ch.to {
			return
		}
		var text string
		if err := json.Unmarshal(in[ch.from-1:ch.to+1], &text); err != nil {
			t.Fatalf("content %q is no string: %v", in[ch.from:ch.to], err)
		}
	})
}

// Text in pieces matches exactly when encoding/json decodes it to the same.
func FuzzMatcher(f *testing.F) {
	f.Add(`a\n\u00e9`, "a\né", 3)
	f.Add(`\ud83c\udf0d`, "🌍", 6)
	f.Add(`\ud83cx`, "\ufffdx", 1)
	f.Add(`\udf0d\ud83c`, "\ufffd\ufffd", 6)
	f.Fuzz(func(t *testing.T, raw, want string, at int) {
		var text string
		if !utf8.ValidString(raw) || json.Unmarshal([]byte(`"`+raw+`"`), &text) != nil {
			t.Skip("no JSON string; and encoding/json replaces bad UTF-8, which we compare as it is")
		}
		for _, w := range []string{text, want} {
			m := matcher{want: w}
			m.text([]byte(raw))
			if got := m.whole(); got != (w == text) {
				t.Fatalf("%q against %q: %v", raw, w, got)
			}
		}
		// Cut it where no escape is open.
		if at = min(max(at, 0), len(raw)); json.Valid([]byte(`"` + raw[:at] + `"`)) {
			m := matcher{want: text}
			m.text([]byte(raw[:at]))
			m.text([]byte(raw[at:]))
			if !m.whole() {
				t.Fatalf("%q cut at %d does not match %q", raw, at, text)
			}
		}
	})
}

// Where a stream is split changes neither the outcome nor the frames.
func FuzzStreamSplit(f *testing.F) {
	for _, v := range verdicts {
		f.Add(v.in, v.expect, uint16(len(v.in)/2))
	}
	f.Fuzz(func(t *testing.T, in, expect string, at uint16) {
		cut := min(int(at), len(in))
		for _, streamed := range []bool{false, true} {
			c := New(expect)
			want, _ := judge(c, streamed, in)
			frames := c.Frames
			got, words := judge(New(expect), streamed, in[:cut], in[cut:])
			if got != want {
				t.Fatalf("split at %d: %v (%s), whole %v", cut, got, words, want)
			}
			d := New(expect)
			judge(d, streamed, in[:cut], in[cut:])
			if d.Frames != frames {
				t.Fatalf("split at %d: %d frames, whole %d", cut, d.Frames, frames)
			}
			if got == contract.Answered && len(d.Gaps)+d.Coalesced+1 != d.Frames && d.Frames > 0 {
				t.Fatalf("%d frames, but %d gaps and %d coalesced", d.Frames, len(d.Gaps), d.Coalesced)
			}
		}
	})
}
