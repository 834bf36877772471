package report

import (
	"bytes"
	"strings"
	"testing"
)

func TestFillKeepsProse(t *testing.T) {
	existing := "# Title\n\nBefore.\n<!-- tollgate:begin a -->\nold\n<!-- tollgate:end a -->\nBetween, by hand.\r\n<!-- tollgate:begin b -->\n<!-- tollgate:end b -->\nAfter."
	got, err := fill([]byte(existing), map[string][]byte{"a": []byte("new a\n"), "b": []byte("new b"), "c": nil}, map[string]bool{"c": true})
	if err != nil {
		t.Fatal(err)
	}
	want := "# Title\n\nBefore.\n<!-- tollgate:begin a -->\n\nnew a\n\n<!-- tollgate:end a -->\nBetween, by hand.\r\n<!-- tollgate:begin b -->\n\nnew b\n\n<!-- tollgate:end b -->\nAfter."
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	again, err := fill(got, map[string][]byte{"a": []byte("new a\n"), "b": []byte("new b"), "c": nil}, map[string]bool{"c": true})
	if err != nil || !bytes.Equal(again, got) {
		t.Errorf("filling twice is not filling once (%v):\n%s", err, again)
	}
}

func TestFillRefuses(t *testing.T) {
	for _, test := range []struct{ story, text, want string }{
		{"a region without an end", "<!-- tollgate:begin a -->\nx\n", `region "a" has no end`},
		{"a begin as the last line without a line end", "<!-- tollgate:begin a -->", `region "a" has no end`},
		{"an end without a begin", "<!-- tollgate:end a -->\n", `region "a" ends but did not begin`},
		{"another region's end", "<!-- tollgate:begin a -->\n<!-- tollgate:end b -->\n", `region "b" ends but did not begin`},
		{"a region in a region", "<!-- tollgate:begin a -->\n<!-- tollgate:begin b -->\n", `region "b" begins inside region "a"`},
		{"a region twice", "<!-- tollgate:begin a -->\n<!-- tollgate:end a -->\n<!-- tollgate:begin a -->\n<!-- tollgate:end a -->\n", `region "a" occurs twice`},
		{"a region that nothing fills", "<!-- tollgate:begin z -->\n<!-- tollgate:end z -->\n", `region "z" is unknown`},
		{"a region that was deleted", "prose only\n", `region "a" is missing`},
	} {
		t.Run(test.story, func(t *testing.T) {
			out, err := fill([]byte(test.text), map[string][]byte{"a": []byte("text")}, nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q; text %q", err, test.want, out)
			}
		})
	}
}

func FuzzRegions(f *testing.F) {
	f.Add("<!-- tollgate:begin a -->\nx\n<!-- tollgate:end a -->\n")
	f.Add("prose\n<!-- tollgate:begin a -->\r\n<!-- tollgate:end a -->")
	f.Add("<!-- tollgate:begin a -->\n<!-- tollgate:end a -->\n<!-- tollgate:begin b -->\n<!-- tollgate:end b -->\n")
	f.Fuzz(func(t *testing.T, text string) {
		found, err := regions([]byte(text))
		if err != nil {
			return
		}
		generated := make(map[string][]byte)
		prose, at := "", 0
		for _, r := range found {
			if r.start < at || r.end < r.start || r.end > len(text) {
				t.Fatalf("region %q at %d to %d after %d", r.name, r.start, r.end, at)
			}
			generated[r.name] = []byte("filled")
			prose += text[at:r.start]
			at = r.end
		}
		prose += text[at:]
		out, err := fill([]byte(text), generated, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(string(out), "\nfilled\n\n", ""); got != strings.ReplaceAll(prose, "\nfilled\n\n", "") {
			t.Fatalf("prose changed: %q became %q", prose, got)
		}
		again, err := fill(out, generated, nil)
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("filling twice is not filling once: %v", err)
		}
	})
}
