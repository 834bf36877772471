package mockupstream

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"
)

func TestTextCount(t *testing.T) {
	for _, tc := range []struct {
		name, body    string
		chars, tokens int
	}{
		{"one message", `{"model":"m","messages":[{"role":"user","content":"hello"}]}`, 5, 2},
		{"a multiple of four", `{"messages":[{"role":"user","content":"abcd"}]}`, 4, 1},
		{"parts of a message", `{"messages":[{"content":[{"type":"text","text":"ab"},{"type":"image_url","image_url":{"url":"data:..."}},{"type":"text","text":"c"}]}]}`, 3, 1},
		{"inputs of embeddings", `{"input":["abc","de"],"model":"m"}`, 5, 2},
		{"no text tells one token", `{"messages":[]}`, 0, 1},
		{"keys are not text", `{"content":{"content":"ab","role":"xyz"}}`, 2, 1},
		{"a long key is not one of ours", `{"contents":"abc","content_":"abc","contentcontent":"abc"}`, 0, 1},
		{"characters, not bytes", `{"content":"é漢😀"}`, 3, 1},
		{"escapes are one character each", `{"content":"\n\"\\\u00e9\uFFFD"}`, 5, 2},
		{"a pair of surrogates is one", `{"content":"\ud83d\ude00\uD83D\uDE00"}`, 2, 1},
		{"a D that is no surrogate", `{"content":"\ud7ff\uDAAA"}`, 2, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for cut := range len(tc.body) {
				var c textCount
				c.feed([]byte(tc.body[:cut]))
				c.feed([]byte(tc.body[cut:]))
				if c.chars != tc.chars || c.tokens() != tc.tokens {
					t.Fatalf("cut at %d: %d characters, %d tokens, want %d and %d", cut, c.chars, c.tokens(), tc.chars, tc.tokens)
				}
			}
		})
	}
}

// textOf counts with the standard decoder: all strings under our keys, where
// an array's elements belong to the array's key.
func textOf(v any, ours bool) (n int) {
	switch v := v.(type) {
	case string:
		if ours {
			n = utf8.RuneCountInString(v)
		}
	case []any:
		for _, e := range v {
			n += textOf(e, ours)
		}
	case map[string]any:
		for k, e := range v {
			n += textOf(e, k == "content" || k == "text" || k == "input")
		}
	}
	return n
}

func TestTextCountOfRealBodies(t *testing.T) {
	for _, file := range realBodies(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var v any
			if err := json.Unmarshal(body, &v); err != nil {
				t.Fatal(err)
			}
			var c textCount
			c.feed(body)
			if want := textOf(v, false); c.chars != want {
				t.Errorf("%d characters, want %d", c.chars, want)
			}
		})
	}
}

func FuzzTextCount(f *testing.F) {
	f.Add([]byte(`{"content":"\ud83d\ude00é\n"}`), uint16(14))
	f.Add([]byte(`{"a":[{"text":"x"}],"input":["a","b"]}`), uint16(5))
	f.Fuzz(func(t *testing.T, body []byte, at uint16) {
		var whole, cut textCount
		whole.feed(body)
		i := min(int(at), len(body))
		cut.feed(body[:i])
		cut.feed(body[i:])
		if whole != cut {
			t.Fatalf("whole %+v, cut at %d %+v", whole, i, cut)
		}
		if whole.chars > len(body) {
			t.Fatalf("%d characters in %d bytes", whole.chars, len(body))
		}
	})
}
