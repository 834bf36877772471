package openai

import (
	"encoding/json"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/dialect"
)

func TestSplices(t *testing.T) {
	for _, tc := range []struct {
		story, body, model string
		usage              bool
		want               string
		asked              bool
	}{
		{"nothing to change", `{"model":"m"}`, "", true, `{"model":"m"}`, false},
		{"another model", `{"model" : "m" ,"x":1}`, `"other"`, false, `{"model" : "other" ,"x":1}`, false},
		{"usage is asked for", `{"model":"m","stream":true }`, "", true, `{"model":"m","stream":true ,"stream_options":{"include_usage":true}}`, true},
		{"not for an answer that is no stream", `{"model":"m","stream":false}`, "", true, `{"model":"m","stream":false}`, false},
		{"not where the client asks itself", `{"stream":true,"stream_options":{"include_usage":true}}`, "", true, `{"stream":true,"stream_options":{"include_usage":true}}`, false},
		{"in place of false", `{"stream":true,"stream_options":{"include_usage":false,"x":1}}`, "", true, `{"stream":true,"stream_options":{"include_usage":true,"x":1}}`, true},
		{"in place of null", `{"stream":true,"stream_options":null}`, "", true, `{"stream":true,"stream_options":{"include_usage":true}}`, true},
		{"into an empty object", `{"stream":true,"stream_options":{ }}`, "", true, `{"stream":true,"stream_options":{"include_usage":true}}`, true},
		{"beside other options", `{"stream":true,"stream_options":{"x":[1]}}`, "", true, `{"stream":true,"stream_options":{"include_usage":true,"x":[1]}}`, true},
		{"options of a wrong type are the upstream's to refuse", `{"stream":true,"stream_options":7}`, "", true, `{"stream":true,"stream_options":7}`, false},
		{"usage of a wrong type too", `{"stream":true,"stream_options":{"include_usage":"no"}}`, "", true, `{"stream":true,"stream_options":{"include_usage":"no"}}`, false},
		{"both, options before the model", `{"stream_options":{},"stream":true,"model":"m"}`, `"o"`, true, `{"stream_options":{"include_usage":true},"stream":true,"model":"o"}`, true},
		{"both, the model before options", `{"model":"m","stream":true}`, `"o"`, true, `{"model":"o","stream":true,"stream_options":{"include_usage":true}}`, true},
		{"the last of two counts", `{"stream":true,"stream_options":{"include_usage":true,"include_usage":false}}`, "", true, `{"stream":true,"stream_options":{"include_usage":true,"include_usage":true}}`, true},
	} {
		var r Request
		b := []byte(tc.body)
		if f := r.Scan(b); f != FaultNone {
			t.Errorf("%s: fault %d", tc.story, f)
			continue
		}
		var model []byte
		if tc.model != "" {
			model = []byte(tc.model)
		}
		s, asked := r.Splices(nil, b, model, tc.usage)
		got := string(dialect.Append(nil, b, s))
		if got != tc.want || asked != tc.asked {
			t.Errorf("%s: %s, asked %v; want %s, %v", tc.story, got, asked, tc.want, tc.asked)
		}
		if n := dialect.Len(len(b), s); n != len(got) {
			t.Errorf("%s: length %d, want %d", tc.story, n, len(got))
		}
	}
}

// FuzzSplices checks that an edited body is what editing the decoded body
// gives, and that nothing else changed.
func FuzzSplices(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), "other")
	}
	f.Fuzz(func(t *testing.T, b []byte, name string) {
		var r Request
		if r.Scan(b) != FaultNone {
			return
		}
		model := AppendString(nil, name)
		s, asked := r.Splices(nil, b, model, true)
		edited := dialect.Append(nil, b, s)
		var before, after map[string]json.RawMessage
		if err := json.Unmarshal(b, &before); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(edited, &after); err != nil {
			t.Fatalf("%q becomes %q: %v", b, edited, err)
		}
		if _, ok := before["model"]; ok {
			before["model"] = model
		}
		if asked {
			opts := map[string]json.RawMessage{}
			if err := json.Unmarshal(after["stream_options"], &opts); err != nil || string(opts["include_usage"]) != "true" {
				t.Fatalf("%q becomes %q: usage is not asked for (%v)", b, edited, err)
			}
			old := map[string]json.RawMessage{}
			if raw, ok := before["stream_options"]; ok {
				if err := json.Unmarshal(raw, &old); err != nil {
					t.Fatal(err)
				}
			}
			delete(opts, "include_usage")
			delete(old, "include_usage")
			same(t, opts, old, b, edited)
			delete(before, "stream_options")
			delete(after, "stream_options")
		}
		same(t, after, before, b, edited)
	})
}

func same(t *testing.T, got, want map[string]json.RawMessage, b, edited []byte) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%q becomes %q: %d members, want %d", b, edited, len(got), len(want))
	}
	for k, v := range want {
		if string(got[k]) != string(v) {
			t.Fatalf("%q becomes %q: %q is %s, want %s", b, edited, k, got[k], v)
		}
	}
}
