package openai

import (
	"fmt"
	"strings"
	"testing"
)

// told is what a stream's frames tell, one line a frame.
func told(pieces ...string) string {
	var s Stream
	var out strings.Builder
	line := func(kind FrameKind) {
		fmt.Fprintf(&out, "%d usageonly=%v chars=%d frames=%d\n", kind, s.UsageOnly, s.Chars, s.Frames)
	}
	for _, p := range pieces {
		for b := []byte(p); len(b) > 0; {
			n, kind := s.Scan(b)
			if n == 0 {
				return "stuck"
			}
			b = b[n:]
			if kind != FrameNone && kind != FrameTail {
				line(kind)
			}
		}
	}
	if kind := s.End(); kind != FrameNone {
		line(kind)
	}
	fmt.Fprintf(&out, "usage %+v finish %d calls %d failed %v done %v usagechars %d", s.Usage, s.Finish, s.Calls, s.Failed, s.Done, s.UsageChars)
	return out.String()
}

const (
	hello   = `{"choices":[{"index":0,"delta":{"content":"hell"},"finish_reason":null}]}`
	ended   = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	usage   = `{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}`
	nothing = `{"choices":[],"prompt_filter_results":[{"prompt_index":0}]}`
)

func TestStreamLines(t *testing.T) {
	want := told("data: " + hello + "\n\ndata: " + ended + "\n\ndata: [DONE]\n\n")
	for _, tc := range []struct{ story, text string }{
		{"CRLF", "data: " + hello + "\r\n\r\ndata: " + ended + "\r\n\r\ndata: [DONE]\r\n\r\n"},
		{"CR", "data: " + hello + "\r\rdata: " + ended + "\r\rdata: [DONE]\r\r"},
		{"no space after the colon", "data:" + hello + "\n\ndata:" + ended + "\n\ndata:[DONE]\n\n"},
		{"a byte order mark", mark + "data: " + hello + "\n\ndata: " + ended + "\n\ndata: [DONE]\n\n"},
		{"id, retry, event and comments inside frames", "id: 1\nretry: 5\n: c\ndata: " + hello + "\n\nevent: x\ndata: " + ended + "\ndat\ndatax: 1\n\n:\ndata: [DONE]\n\n"},
		{"several data lines", "data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\"hell\"},\ndata:\"finish_reason\":null}]}\n\ndata: " + ended + "\n\ndata: [DONE]\n\n"},
		{"no blank line at the end", "data: " + hello + "\n\ndata: " + ended + "\n\ndata: [DONE]"},
		{"a space after the terminator", "data: " + hello + "\n\ndata: " + ended + "\n\ndata: [DONE] \n\n"},
	} {
		if got := told(tc.text); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", tc.story, got, want)
		}
	}
}

func TestStreamFrames(t *testing.T) {
	for _, tc := range []struct {
		story, text string
		kind        FrameKind
		usageOnly   bool
		chars       int64
	}{
		{"content", hello, FrameData, false, 4},
		{"usage alone", usage, FrameData, true, 0},
		{"no choices and no usage is shown", nothing, FrameData, false, 0},
		{"usage: null is none", `{"choices":[],"usage":null}`, FrameData, false, 0},
		{"usage beside a choice is shown", `{"choices":[{"delta":{"content":"ab"}}],"usage":{"total_tokens":3}}`, FrameData, false, 2},
		{"usage before an empty list", `{"usage":{"total_tokens":3},"choices":[]}`, FrameData, true, 0},
		{"usage and no list", `{"usage":{"total_tokens":3}}`, FrameData, true, 0},
		{"an error", `{"error":{"message":"m"}}`, FrameError, false, 0},
		{"an error told as text", `{"error":"m"}`, FrameError, false, 0},
		{"error: null is none", `{"error":null,"choices":[{"delta":{"content":"a"}}]}`, FrameData, false, 1},
		{"an empty error is none", `{"error":"","choices":[{"delta":{"content":"a"}}]}`, FrameData, false, 1},
		{"an error with usage is shown", `{"error":{"m":1},"choices":[],"usage":{"total_tokens":1}}`, FrameError, false, 0},
		{"the terminator is not parsed", `[DONE]`, FrameDone, false, 0},
		{"a list is no terminator", `[{"error":{"message":"m"}}]`, FrameData, false, 0},
		{"characters, not bytes or escapes", `{"choices":[{"delta":{"content":"ä\n\u00e4\ud83d\ude00"}}]}`, FrameData, false, 4},
		{"reasoning under two names counts once", `{"choices":[{"delta":{"reasoning":"abc","reasoning_content":"abc","content":"d"}}]}`, FrameData, false, 4},
		{"content in parts", `{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"ab"}]},{"type":"text","text":"cd"}]}}]}`, FrameData, false, 4},
		{"arguments count", `{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a"}}]}}]}`, FrameData, false, 3},
		{"what is not output does not count", `{"id":"content","x":{"choices":[{"delta":{"content":"no"}}]},"choices":[{"logprobs":{"content":[{"token":"no"}]},"delta":{"role":"assistant","audio":{"data":"no"}}}]}`, FrameData, false, 0},
		{"names with escapes are not ours", `{"choices":[{"delta":{"conte\u006et":"abc"}}]}`, FrameData, false, 0},
		{"brackets in strings", `{"x":["}]\"{["],"choices":[{"delta":{"content":"{[\"]}"}}]}`, FrameData, false, 5},
	} {
		var s Stream
		n, kind := s.Scan([]byte("data: " + tc.text + "\n\n"))
		if n != len(tc.text)+8 || kind != tc.kind || s.UsageOnly != tc.usageOnly || s.Chars != tc.chars {
			t.Errorf("%s: took %d, kind %d, usage only %v, %d characters", tc.story, n, kind, s.UsageOnly, s.Chars)
		}
	}
}

// TestUsageLastPerField: a zero usage in an early chunk must not win over what
// comes later, and a field that comes once stays.
func TestUsageLastPerField(t *testing.T) {
	var s Stream
	for _, f := range []string{
		`{"choices":[{"delta":{"content":"abcd"}}],"usage":{"prompt_tokens":9,"completion_tokens":0,"total_tokens":9}}`,
		`{"choices":[{"delta":{"content":"efgh"}}],"usage":null}`,
		`{"choices":[{"delta":{"content":"i"}}]}`,
		`{"choices":[],"usage":{"completion_tokens":3,"total_tokens":12,"prompt_tokens_details":{"cached_tokens":5},"cost":0.00036784}}`,
	} {
		s.Scan([]byte("data: " + f + "\n\n"))
	}
	want := Usage{PromptTok: 9, OutputTok: 3, TotalTok: 12, CachedTok: 5, HasPrompt: true, HasOutput: true, HasTotal: true}
	if s.Usage != want || s.UsageChars != 9 || s.Frames != 3 {
		t.Errorf("usage %+v at %d characters, %d frames", s.Usage, s.UsageChars, s.Frames)
	}
}

func TestUsageBilled(t *testing.T) {
	for _, tc := range []struct {
		story, usage   string
		prompt, output int64
	}{
		{"as told", `{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}`, 7, 3},
		{"an empty answer bills its prompt", `{"prompt_tokens":7,"completion_tokens":0,"total_tokens":7}`, 7, 0},
		{"embeddings tell prompt and total", `{"prompt_tokens":7,"total_tokens":7}`, 7, 0},
		{"a total alone is the prompt", `{"total_tokens":7}`, 7, 0},
		{"the output is what the total leaves", `{"prompt_tokens":7,"total_tokens":10}`, 7, 3},
		{"reasoning left out of completion but not of total", `{"prompt_tokens":291,"completion_tokens":26,"total_tokens":513,"completion_tokens_details":{"reasoning_tokens":196}}`, 291, 222},
		{"reasoning that is inside completion is not added", `{"prompt_tokens":7,"completion_tokens":30,"total_tokens":37,"completion_tokens_details":{"reasoning_tokens":20}}`, 7, 30},
		{"a null field is none", `{"prompt_tokens":7,"completion_tokens":null,"total_tokens":10}`, 7, 3},
		{"a fraction is none", `{"prompt_tokens":7.5,"completion_tokens":3}`, 0, 3},
	} {
		var a Answer
		a.Feed([]byte(`{"usage":` + tc.usage + `}`))
		a.EndDocument()
		if p, o := a.Billed(); p != tc.prompt || o != tc.output {
			t.Errorf("%s: %d and %d, want %d and %d", tc.story, p, o, tc.prompt, tc.output)
		}
	}
}

// TestCalls: providers give every fragment an id, or none but the first, or
// leave the index out.
func TestCalls(t *testing.T) {
	for _, tc := range []struct {
		story  string
		chunks []string
		want   int64
	}{
		{"two calls in fragments", []string{
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"f"}}]}}]}`,
		}, 2},
		{"an empty name is no new call", []string{
			`{"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"f"},"index":0}]}}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"","arguments":"x"},"index":0}]}}]}`,
		}, 1},
		{"the id repeated", []string{
			`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f"}}]}}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"x"}}]}}]}`,
		}, 1},
		{"a whole answer has no index", []string{`{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"f"}},{"id":"b","function":{"name":"f"}}]}}]}`}, 2},
		{"the first call of each of two choices", []string{
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a"}]}}]}`,
			`{"choices":[{"index":1,"delta":{"tool_calls":[{"index":0,"id":"b"}]}}]}`,
		}, 2},
	} {
		var a Answer
		for _, c := range tc.chunks {
			a.Feed([]byte(c))
			a.EndDocument()
		}
		if a.Calls != tc.want {
			t.Errorf("%s: %d calls, want %d", tc.story, a.Calls, tc.want)
		}
	}
}

func TestKeepText(t *testing.T) {
	const doc = `{"choices":[{"message":{"content":"a\"b\u00e4\ud83d\ude00c\n","reasoning":"not this"}}]}`
	for cut := range len(doc) {
		a := Answer{KeepText: true}
		a.Feed([]byte(doc[:cut]))
		a.Feed([]byte(doc[cut:]))
		a.EndDocument()
		if string(a.Text) != "a\"bä😀c\n" {
			t.Fatalf("cut at %d: %q", cut, a.Text)
		}
	}
}

var streams = []string{
	chunk("abcd") + chunk("a\"ä") + chunk("") + chunk("efgh") + strings.Replace(chunk("ijkl"), "null", `"stop"`, 1) + chunk("x"),
	strings.ReplaceAll(chunk("abcd")+chunk("ab")+strings.Replace(chunk("x"), "}]}", `}],"usage":{"total_tokens":9}}`, 1)+chunk("y"), `"content":`, `"content":null,"reasoning":`),
	strings.ReplaceAll(chunk("abcd")+strings.Replace(chunk("x"), "}]}", `}],"error":{"a":1}}`, 1)+chunk("y"), `"content":"`, `"tool_calls":[{"index":1,"function":{"arguments":"`),
	strings.ReplaceAll(chunk("abcd")+chunk("x")+chunk("y"), `"delta":{"content":`, `"delta":{"tool_calls":[{"index":0,"id":"z"}],"content":`),
	"data: " + hello + "\n\n: ping\n\ndata: " + usage + "\n\ndata: [DONE]\n\n",
	"data: " + hello + "\r\n\r\nretry: 1\r\n\r\ndata:" + usage + "\r\n\r\ndata: [DONE]\r\n\r\n",
	"\r\rdata: " + hello + "\r\rdata: " + nothing + "\r\r\ndata: [DO\ndata\n\n",
	mark + "data: {\"choices\":[{\"delta\":{\"content\":\"\\ud83d\\ude00\\\\\",\"tool_calls\":[{\"index\":1,\"id\":\"x\"}]},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"total_tokens\":12}}\n\n",
	"\xef\xbbdata: x\n\n", "data: [1]\n\n{\"error\":{\"code\":1}}\n\n", "data: [[[\"\n\ndata: }}]\n\n", "data:\n\ndata", "data: [DONE]x\n\n", "{\"\"00\x1100",
	"data: {\"x_groq\":{\"usage\":{\"prompt_tokens\":4,\"completion_tokens\":2}}}\n\n",
}

// FuzzStreamSplit: a stream split anywhere tells what the whole one tells.
func FuzzStreamSplit(f *testing.F) {
	for _, s := range streams {
		f.Add(s, uint(3), uint(9))
	}
	f.Fuzz(func(t *testing.T, s string, i, j uint) {
		a := int(i % uint(len(s)+1))
		b := a + int(j%uint(len(s)-a+1))
		if got, want := told(s[:a], s[a:b], s[b:]), told(s); got != want {
			t.Fatalf("%q cut at %d and %d:\n%s\nwhole:\n%s", s, a, b, got, want)
		}
	})
}

func TestStreamSplitEverywhere(t *testing.T) {
	for _, s := range streams {
		want := told(s)
		for i := range len(s) {
			if got := told(s[:i], s[i:]); got != want {
				t.Fatalf("%q cut at %d:\n%s\nwhole:\n%s", s, i, got, want)
			}
		}
		if got := told(strings.Split(s, "")...); got != want {
			t.Fatalf("%q in single bytes:\n%s\nwhole:\n%s", s, got, want)
		}
	}
}

func TestScanAllocatesNothing(t *testing.T) {
	var s Stream
	text := []byte(streams[0])
	if n := testing.AllocsPerRun(100, func() {
		s.Reset()
		for b := text; len(b) > 0; {
			k, _ := s.Scan(b)
			b = b[k:]
		}
	}); n != 0 {
		t.Errorf("%v allocations a stream", n)
	}
	var r Request
	body := []byte(seeds[1])
	if n := testing.AllocsPerRun(100, func() { r.Scan(body) }); n != 0 {
		t.Errorf("%v allocations a request", n)
	}
}
