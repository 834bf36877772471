package openai

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// dataFolder is the folder of real recordings and bodies. Tests that need it
// skip without it, or fail where it is required.
func dataFolder(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("TOLLGATE_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(dir, "recordings")); err != nil {
		if os.Getenv("TOLLGATE_REQUIRE_DATA") == "1" {
			t.Fatalf("the data folder is required: %v", err)
		}
		t.Skipf("no data folder: %v", err)
	}
	return dir
}

// recordings are the names and bytes of recorded chat answers of one kind.
func recordings(t testing.TB, glob string) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dataFolder(t), "recordings", glob))
	if err != nil || len(names) == 0 {
		t.Fatalf("no recording %s (%v)", glob, err)
	}
	m := make(map[string][]byte)
	for _, n := range names {
		b, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		m[filepath.Base(n)] = b
	}
	return m
}

type usageJSON struct {
	Prompt *int64 `json:"prompt_tokens"`
	Output *int64 `json:"completion_tokens"`
	Total  *int64 `json:"total_tokens"`
}

type textJSON struct {
	Content   any    `json:"content"`
	Reasoning string `json:"reasoning"`
	ReasonDS  string `json:"reasoning_content"`
	Refusal   string `json:"refusal"`
	Calls     []struct {
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

type chunkJSON struct {
	Choices []struct {
		Delta, Message textJSON
		Finish         string `json:"finish_reason"`
	}
	Usage *usageJSON
	Groq  struct{ Usage *usageJSON } `json:"x_groq"`
	Error any
}

func (x *textJSON) chars() (n int64) {
	if s, ok := x.Content.(string); ok {
		n += int64(utf8.RuneCountInString(s))
	}
	n += int64(utf8.RuneCountInString(x.Refusal))
	n += int64(max(utf8.RuneCountInString(x.Reasoning), utf8.RuneCountInString(x.ReasonDS)))
	for _, c := range x.Calls {
		n += int64(utf8.RuneCountInString(c.Function.Name) + utf8.RuneCountInString(c.Function.Arguments))
	}
	return n
}

// plainly is what encoding/json reads of documents.
type plainly struct {
	usage  Usage
	chars  int64
	finish Finish
	failed bool
}

func (p *plainly) add(t *testing.T, raw []byte) {
	t.Helper()
	var c chunkJSON
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	for _, ch := range c.Choices {
		p.chars += ch.Delta.chars() + ch.Message.chars()
		if ch.Finish != "" {
			p.finish = finishOf([]byte(ch.Finish))
		}
	}
	p.failed = p.failed || c.Error != nil
	for _, u := range []*usageJSON{c.Usage, c.Groq.Usage} {
		if u == nil {
			continue
		}
		set := func(v *int64, to *int64, has *bool) {
			if v != nil {
				*to, *has = *v, true
			}
		}
		set(u.Prompt, &p.usage.PromptTok, &p.usage.HasPrompt)
		set(u.Output, &p.usage.OutputTok, &p.usage.HasOutput)
		set(u.Total, &p.usage.TotalTok, &p.usage.HasTotal)
	}
}

func (p *plainly) compare(t *testing.T, name string, a *Answer) {
	t.Helper()
	got := a.Usage
	got.CachedTok, got.ReasoningTok = 0, 0
	if got != p.usage || a.Chars != p.chars || a.Finish != p.finish || a.Failed != p.failed {
		t.Errorf("%s: usage %+v, %d characters, finish %d, failed %v; want %+v", name, got, a.Chars, a.Finish, a.Failed, *p)
	}
}

// TestRecordedStreams reads every recorded stream of this dialect, whole and
// cut everywhere, and compares with encoding/json.
func TestRecordedStreams(t *testing.T) {
	for name, b := range recordings(t, "*chat*stream*.sse") {
		var want plainly
		for line := range strings.Lines(string(b)) {
			data, ok := strings.CutPrefix(strings.TrimSpace(line), "data:")
			if data = strings.TrimSpace(data); ok && data != "[DONE]" {
				want.add(t, []byte(data))
			}
		}
		var s Stream
		for rest := b; len(rest) > 0; {
			n, _ := s.Scan(rest)
			rest = rest[n:]
		}
		s.End()
		want.compare(t, name, &s.Answer)
		if s.Done != bytes.Contains(b, []byte("[DONE]")) {
			t.Errorf("%s: done %v", name, s.Done)
		}
		whole := told(string(b))
		for i := 1 + len(b)%7; i < len(b); i += 1 + len(b)/100 {
			if got := told(string(b[:i]), string(b[i:])); got != whole {
				t.Fatalf("%s cut at %d:\n%s\nwhole:\n%s", name, i, got, whole)
			}
		}
		if got := told(strings.Split(string(b), "")...); got != whole {
			t.Errorf("%s in pieces of a character differs", name)
		}
	}
}

// TestRecordedAnswers reads every recorded answer that is no stream.
func TestRecordedAnswers(t *testing.T) {
	for _, glob := range []string{"openai-chat-json*.response.json", "vllm-chat-json*.response.json", "compat-chat-json*.response.json", "perplexity-chat-json*.response.json", "openai-chat-error*.response.json", "embeddings-*.response.json"} {
		for name, b := range recordings(t, glob) {
			var want plainly
			want.add(t, b)
			for i := 0; i < len(b); i += 1 + len(b)/100 {
				var a Answer
				a.Feed(b[:i])
				a.Feed(b[i:])
				a.EndDocument()
				want.compare(t, name, &a)
			}
		}
	}
}

// recordedBodies are the names and bytes of the recorded request bodies.
func recordedBodies(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dataFolder(t), "bodies", "*.json"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no bodies (%v)", err)
	}
	m := make(map[string][]byte)
	for _, n := range names {
		b, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		m[filepath.Base(n)] = b
	}
	return m
}

// TestRecordedBodies reads every recorded request body.
func TestRecordedBodies(t *testing.T) {
	for name, b := range recordedBodies(t) {
		var r Request
		if f := r.Scan(b); f != FaultNone {
			t.Errorf("%s: fault %d at %d", name, f, r.At)
			continue
		}
		compareFacts(t, &r, b)
	}
}
