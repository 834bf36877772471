package openai

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestScan(t *testing.T) {
	deep := func(n int) string {
		return `{"a":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}`
	}
	for _, tc := range []struct {
		story, body string
		fault       Fault
		check       func(r *Request, b []byte) bool
	}{
		{"the smallest object", `{}`, FaultNone, func(r *Request, _ []byte) bool { return r.Close == 1 && r.N == 1 }},
		{"a model is a span with its quotes", ` { "model" : "gpt-4o" } `, FaultNone, func(r *Request, b []byte) bool {
			return string(r.Model.Of(b)) == `"gpt-4o"` && !r.ModelEscaped
		}},
		{"a model with escapes is decoded", `{"model":"gpt\u002d4\u006f\n\"\/\ud83d\ude00"}`, FaultNone, func(r *Request, b []byte) bool {
			return r.ModelEscaped && string(r.Name(nil, b)) == "gpt-4o\n\"/😀"
		}},
		{"a name with escapes is the same name", `{"mod\u0065l":"m"}`, FaultNone, func(r *Request, b []byte) bool {
			return string(r.Model.Of(b)) == `"m"`
		}},
		{"a name twice is refused", `{"model":"cheap","model":"dear"}`, FaultDuplicate, func(r *Request, _ []byte) bool { return r.Param == "model" }},
		{"a name twice, once with escapes, is refused", `{"model":"cheap","\u006dodel":"dear"}`, FaultDuplicate, nil},
		{"names are told apart by case", `{"model":"m","Model":"x"}`, FaultNone, nil},
		{"members that are not ours may repeat", `{"x":1,"x":2,"user":"a","user":"b"}`, FaultNone, func(r *Request, b []byte) bool {
			return string(r.User.Of(b)) == `"b"`
		}},
		{"a stream", `{"stream":true}`, FaultNone, func(r *Request, _ []byte) bool { return r.Stream }},
		{"null is no stream", `{"stream":null}`, FaultNone, func(r *Request, _ []byte) bool { return !r.Stream }},
		{"a stream of a wrong type", `{"stream":"true"}`, FaultStreamType, nil},
		{"a model of a wrong type", `{"model":7}`, FaultModelType, nil},
		{"the larger limit counts", `{"max_tokens":5,"max_completion_tokens":9}`, FaultNone, func(r *Request, _ []byte) bool { return r.MaxTokens == 9 }},
		{"a limit that is no whole number is none", `{"max_tokens":1e3,"n":2.5}`, FaultNone, func(r *Request, _ []byte) bool { return r.MaxTokens == 0 && r.N == 1 }},
		{"a huge limit is bounded", `{"max_tokens":99999999999999999999999999,"n":3}`, FaultNone, func(r *Request, _ []byte) bool { return r.MaxTokens == 1<<53 && r.N == 3 }},
		{"usage asked for", `{"stream_options":{"a":[1],"include_usage":true}}`, FaultNone, func(r *Request, _ []byte) bool { return r.IncludeUsage }},
		{"usage not asked for", `{"stream_options":{"include_usage":false}}`, FaultNone, func(r *Request, _ []byte) bool { return !r.IncludeUsage }},
		{"text of messages is counted in characters", `{"messages":[{"role":"system","content":"äöü"},{"content":[{"type":"text","text":"a\u00e4\ud83d\ude00"},{"image_url":{"url":"xxxxxxxx"}}]}]}`, FaultNone, func(r *Request, _ []byte) bool {
			return r.PromptChars == 3+3
		}},
		{"arguments of calls are text", `{"messages":[{"tool_calls":[{"function":{"name":"ab","arguments":"{\"c\":1}"}}]}]}`, FaultNone, func(r *Request, _ []byte) bool {
			return r.PromptChars == 2+7
		}},
		{"definitions of tools count by their bytes", `{"tools":[1,2]}`, FaultNone, func(r *Request, _ []byte) bool { return r.PromptChars == 5 }},
		{"input of embeddings", `{"input":["abcd",["ef"]]}`, FaultNone, func(r *Request, _ []byte) bool { return r.PromptChars == 6 }},
		{"input as tokens", `{"input":[1,22,333]}`, FaultNone, func(r *Request, _ []byte) bool { return r.PromptChars == 12 }},
		{"512 levels", deep(512), FaultNone, nil},
		{"513 levels", deep(513), FaultDeep, nil},
		{"nothing", ``, FaultSyntax, nil},
		{"an array", `[1]`, FaultNotObject, nil},
		{"a word", ` null `, FaultNotObject, nil},
		{"two objects", `{}{}`, FaultSyntax, nil},
		{"cut", `{"a":1`, FaultSyntax, nil},
		{"a comma too many", `{"a":1,}`, FaultSyntax, nil},
		{"a leading zero", `{"a":01}`, FaultSyntax, nil},
		{"a control character in a string", "{\"a\":\"\x01\"}", FaultSyntax, nil},
		{"a bad escape", `{"a":"\x"}`, FaultSyntax, nil},
		{"a short \\u", `{"a":"\u12"}`, FaultSyntax, nil},
		{"bytes that are no UTF-8 pass", "{\"a\":\"\xff\"}", FaultNone, nil},
	} {
		var r Request
		b := []byte(tc.body)
		if f := r.Scan(b); f != tc.fault {
			t.Errorf("%s: fault %d at %d, want %d", tc.story, f, r.At, tc.fault)
			continue
		}
		if tc.check != nil && !tc.check(&r, b) {
			t.Errorf("%s: read %+v", tc.story, r)
		}
	}
}

// seeds are bodies near the edges of the syntax.
var seeds = []string{
	`{}`, `{"model":"m","messages":[{"role":"user","content":"hi \u00e9 \ud83d\ude00"}],"stream":true}`,
	`{"model":"m","stream":true,"stream_options":null,"n":2,"max_tokens":-1}`,
	`{"model":"m","stream":true,"stream_options":{ } }`,
	`{"stream_options":{"include_usage":false,"include_usage":null,"x":[{}]},"stream":true,"model":"a\"b"}`,
	`{"a":-0.5e+10,"b":[true,false,null,[],{}],"c":{"d":{"e":"f"}}}`,
	"{\"a\"\t:\r\n1 , \"b\" : \"\x7f\xff\" }", `{"a":1e}`, `{"a":"\u00g0"}`, `[]`, `"x"`, `{"":""}`, `{"a":tru}`, `{`, `{"a":[}`, `{"input":[1,"a",[2.5]]}`,
	`{"tools":[{}],"functions":[],"user":"u","user":1}`,
}

func FuzzRequestScan(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var r Request
		fault := r.Scan(b)
		object := json.Valid(b) && bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("{"))
		switch fault {
		case FaultNone:
			if !object {
				t.Fatalf("accepts %q", b)
			}
			compareFacts(t, &r, b)
		case FaultSyntax, FaultNotObject:
			if object {
				t.Fatalf("refuses %q with %d at %d", b, fault, r.At)
			}
			if fault == FaultNotObject != json.Valid(b) {
				t.Fatalf("fault %d for %q", fault, b)
			}
		case FaultDeep:
			if object && nesting(t, b) <= MaxDepth {
				t.Fatalf("too deep: %q", b)
			}
		}
	})
}

// compareFacts compares what Scan read with what encoding/json reads.
func compareFacts(t *testing.T, r *Request, b []byte) {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	span := func(name string, s Span) {
		if got := string(b[s.At:s.End]); got != string(m[name]) {
			t.Fatalf("%s is %q, want %q in %q", name, got, m[name], b)
		}
	}
	span("model", r.Model)
	span("stream_options", r.StreamOptions)
	span("user", r.User)
	if !r.Model.Absent() && utf8.Valid(b) {
		var want string
		if err := json.Unmarshal(m["model"], &want); err != nil || string(r.Name(nil, b)) != want {
			t.Fatalf("model %q, want %q (%v)", r.Name(nil, b), want, err)
		}
	}
	if r.Stream != (string(m["stream"]) == "true") {
		t.Fatalf("stream %v in %q", r.Stream, b)
	}
	if b[r.Close] != '}' || !json.Valid(append(append([]byte{}, b[:r.Close]...), '}')) {
		t.Fatalf("close %d in %q", r.Close, b)
	}
	if utf8.Valid(b) && !bytes.Contains(bytes.ToLower(b), []byte(`\ud`)) {
		if want := promptChars(m); r.PromptChars != want {
			t.Fatalf("%d characters of prompt, want %d in %q", r.PromptChars, want, b)
		}
	}
}

// promptChars is the rule of Scan, told with encoding/json's tokens, for
// members that do not repeat.
func promptChars(m map[string]json.RawMessage) (n int64) {
	chars := func(raw json.RawMessage, all bool) (n int64) {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		type level struct{ object, key bool }
		var stack []level
		text := all
		for {
			tok, err := dec.Token()
			if err != nil {
				return n
			}
			top := len(stack) - 1
			if top >= 0 && stack[top].object && stack[top].key {
				if name, ok := tok.(string); ok {
					if !all {
						switch name {
						case "content", "text", "name", "arguments", "refusal", "reasoning", "reasoning_content":
							text = true
						default:
							text = false
						}
					}
					stack[top].key = false
					continue
				}
			}
			switch v := tok.(type) {
			case json.Delim:
				if v == '{' || v == '[' {
					stack = append(stack, level{object: v == '{', key: v == '{'})
					continue
				}
				stack = stack[:top]
				top--
			case string:
				if text {
					n += int64(utf8.RuneCountInString(v))
				}
			case json.Number:
				if all {
					n += 4
				}
			}
			if top >= 0 && stack[top].object {
				stack[top].key = true
			}
		}
	}
	n = chars(m["messages"], false) + chars(m["input"], true)
	return n + int64(len(m["tools"])+len(m["functions"]))
}

func nesting(t *testing.T, b []byte) (most int) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(b))
	depth := 0
	for {
		tok, err := dec.Token()
		if err != nil {
			return most
		}
		switch tok {
		case json.Delim('{'), json.Delim('['):
			depth++
			most = max(most, depth)
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
}
