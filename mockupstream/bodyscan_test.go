package mockupstream

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// found is what a scan found.
type found struct {
	OK, Stream, Usage bool
	Model             string
	User              uint64
}

func scan(body []byte, cuts ...int) found {
	var s bodyScan
	s.reset()
	from := 0
	for _, end := range append(cuts, len(body)) {
		s.feed(body[from:end])
		from = end
	}
	return found{s.ok(), s.stream, s.usage, string(s.modelName()), s.user}
}

func TestBodyScan(t *testing.T) {
	const id = `"00000000000000ff"`
	for _, tc := range []struct {
		name, body string
		want       found
	}{
		{"an empty object", `{}`, found{OK: true}},
		{"all fields", ` { "model" : "gpt-4o" , "stream" : true , "stream_options" : { "include_usage" : true } , "user" : ` + id + ` } `, found{true, true, true, "gpt-4o", 255}},
		{"fields of nested objects do not count", `{"metadata":{"stream":true,"user":` + id + `,"stream_options":{"include_usage":true}},"a":[{"model":"x"},"stream",true]}`, found{OK: true}},
		{"usage must be within stream_options", `{"include_usage":true,"stream_options":{"x":{"include_usage":true},"y":[true]}}`, found{OK: true}},
		{"usage after a nested value", `{"stream_options":{"x":{"y":[1]},"include_usage":true}}`, found{OK: true, Usage: true}},
		{"false and null", `{"stream":false,"stream_options":null}`, found{OK: true}},
		{"true in words is not true", `{"stream":"true"}`, found{OK: true}},
		{"a name in a text", `{"a":"\"stream\":true","b":"{","c":"]"}`, found{OK: true}},
		{"backslashes before a quote", `{"a":"\\","stream":true,"b":"\\\"","c":"\\\\"}`, found{OK: true, Stream: true}},
		{"the last of a repeated field counts", `{"stream":true,"model":"a","stream":false,"model":"b","user":` + id + `,"user":"x","stream_options":{"include_usage":true},"stream_options":{}}`, found{OK: true, Model: "b"}},
		{"a model name that needs an escape", `{"model":"a\"b"}`, found{OK: true}},
		{"a model name that is not ASCII", `{"model":"modèle"}`, found{OK: true}},
		{"a model name of 128 bytes", `{"model":"` + strings.Repeat("m", 128) + `"}`, found{OK: true, Model: strings.Repeat("m", 128)}},
		{"a model name of 129 bytes", `{"model":"` + strings.Repeat("m", 129) + `"}`, found{OK: true}},
		{"a user that is no id", `{"user":"alice"}`, found{OK: true}},
		{"a number for a model", `{"model":5,"stream":1}`, found{OK: true}},
		{"a key as value", `{"a":"stream","b":true}`, found{OK: true}},
		{"nothing", ``, found{}},
		{"an array", `[{"stream":true}]`, found{}},
		{"a string", `"stream"`, found{}},
		{"a number", `1`, found{}},
		{"an open object", `{"stream":true`, found{Stream: true}},
		{"an open string", `{"stream":true,"a":"`, found{Stream: true}},
		{"one bracket too many", `{"stream":true}}`, found{Stream: true}},
		{"two objects", `{"stream":true}{}`, found{Stream: true}},
		{"text after the object", `{"stream":true} x`, found{Stream: true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			body := []byte(tc.body)
			if got := scan(body); got != tc.want {
				t.Errorf("whole: %+v, want %+v", got, tc.want)
			}
			for i := range len(body) + 1 {
				for j := i; j <= len(body); j += 1 + len(body)/16 {
					if got := scan(body, i, j); got != tc.want {
						t.Fatalf("cut at %d and %d: %+v, want %+v", i, j, got, tc.want)
					}
				}
			}
		})
	}
}

// reference finds the same with the standard decoder; false when the body is
// one that the scanner reads differently on purpose.
func reference(body []byte) (found, bool) {
	var top map[string]json.RawMessage
	if json.Unmarshal(body, &top) != nil || top == nil {
		return found{}, false
	}
	if bytes.Contains(body, []byte(`\u`)) {
		return found{}, false // may spell a field's name
	}
	text := func(raw json.RawMessage) []byte {
		if len(raw) < 2 || raw[0] != '"' {
			return nil
		}
		return raw[1 : len(raw)-1]
	}
	f := found{OK: true, Stream: string(top["stream"]) == "true"}
	if m := text(top["model"]); plainName(m) {
		f.Model = string(m)
	}
	f.User, _ = contract.ParseID(text(top["user"]))
	var options map[string]json.RawMessage
	if json.Unmarshal(top["stream_options"], &options) == nil {
		f.Usage = string(options["include_usage"]) == "true"
	}
	return f, true
}

func FuzzBodyScan(f *testing.F) {
	f.Add([]byte(usageBody), uint16(9))
	f.Add([]byte(`{"a":"\\\"","stream":true,"stream_options":{"b":[{}],"include_usage":true},"user":"00000000000000ff"}`), uint16(6))
	f.Add([]byte(`{"stream_options":{"include_usage":true},"stream_options":[]}`), uint16(30))
	f.Add([]byte(`{"model":"a","model":{"stream":true}}`), uint16(14))
	f.Fuzz(func(t *testing.T, body []byte, at uint16) {
		got := scan(body)
		if cut := scan(body, min(int(at), len(body))); cut != got {
			t.Fatalf("whole %+v, cut at %d %+v", got, at, cut)
		}
		if want, ok := reference(body); ok && got != want {
			t.Fatalf("%q: %+v, want %+v", body, got, want)
		}
	})
}

// realBodies are the request bodies of the shared data.
func realBodies(t *testing.T) []string {
	t.Helper()
	dir := os.Getenv("TOLLGATE_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	files, err := filepath.Glob(filepath.Join(dir, "bodies", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		if os.Getenv("TOLLGATE_REQUIRE_DATA") == "1" {
			t.Fatalf("no bodies in %s", dir)
		}
		t.Skipf("no bodies in %s; set TOLLGATE_DATA", dir)
	}
	return files
}

func TestBodyScanOfRealBodies(t *testing.T) {
	for _, file := range realBodies(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			// No real body spells a field's name with an escape.
			want, ok := reference(bytes.ReplaceAll(body, []byte(`\u`), []byte(`\\u`)))
			if !ok {
				t.Fatal("the standard decoder finds no object")
			}
			for step := 1; step < 2*len(body); step = step*3 + 1 {
				var cuts []int
				for at := step; at < len(body); at += step {
					cuts = append(cuts, at)
				}
				if got := scan(body, cuts...); got != want {
					t.Fatalf("in pieces of %d: %+v, want %+v", step, got, want)
				}
			}
		})
	}
}
