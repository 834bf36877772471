package answer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// chunk is a chat-completion chunk of the first choice, as an event.
func chunk(content string) string {
	return fmt.Sprintf("data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"},\"finish_reason\":null}]}\n\n", content)
}

const (
	role   = "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n"
	finish = "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
	usage  = "data: {\"id\":\"c\",\"choices\":[],\"usage\":{\"prompt_tokens\":1}}\n\n"
	done   = "data: [DONE]\n\n"
)

func whole(content string) string {
	return fmt.Sprintf(`{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"%s"},"finish_reason":"stop"}],"usage":{"total_tokens":3}}`, content)
}

// judge feeds a body in pieces, each a read of its own.
func judge(c *Checker, streamed bool, pieces ...string) (contract.Outcome, string) {
	c.Begin(streamed)
	for i, p := range pieces {
		c.Read(int64(i+1) * 100)
		b := []byte(p)
		c.Feed(b)
		clear(b) // the checker may keep nothing
	}
	return c.End()
}

var verdicts = []struct {
	story    string
	expect   string
	streamed bool
	in       string
	want     contract.Outcome
	frames   int
}{
	{"a whole answer", "Hello.", false, whole("Hello."), contract.Answered, 0},
	{"an answer with escapes", "a\"b\\c/\n\té🌍", false, whole(`a\"b\\c\/\n\t\u00e9\ud83c\udf0d`), contract.Answered, 0},
	{"an answer with raw characters", "é🌍", false, whole("é🌍"), contract.Answered, 0},
	{"white space everywhere", "x", false, " {\n\"choices\" :\t[ { \"message\" : { \"content\" : \"x\" } } ] , \"n\" : -1.5e+3 } \r\n", contract.Answered, 0},
	{"an escaped member name", "x", false, `{"ch\u006fices":[{"message":{"content":"x"}}]}`, contract.Answered, 0},
	{"the last of two contents counts", "x", false, `{"choices":[{"message":{"content":"y","content":"x"}}]}`, contract.Answered, 0},
	{"content elsewhere does not count", "x", false, `{"content":"x","choices":[{"content":"x","message":{"a":{"content":"x"}}}]}`, contract.ContentMismatch, 0},
	{"a second choice does not count", "x", false, `{"choices":[{"index":1,"message":{"content":"x"}}]}`, contract.ContentMismatch, 0},
	{"the first choice may come second", "x", false, `{"choices":[{"index":1,"message":{"content":"y"}},{"index":0,"message":{"content":"x"}}]}`, contract.Answered, 0},
	{"too short", "Hello.", false, whole("Hello"), contract.ContentMismatch, 0},
	{"too long", "Hello.", false, whole("Hello.."), contract.ContentMismatch, 0},
	{"other content", "Hello.", false, whole("Hallo."), contract.ContentMismatch, 0},
	{"no content", "Hello.", false, `{"choices":[{"message":{"content":null}}]}`, contract.ContentMismatch, 0},
	{"an embedding", "", false, `{"object":"list","data":[{"embedding":[0.1,-2e-3,0]}]}`, contract.Answered, 0},
	{"an error with a good status", "", false, `{"error":{"message":"no"}}`, contract.UpstreamError, 0},
	{"a null error is none", "", false, `{"error":null}`, contract.Answered, 0},
	{"not JSON", "", false, `<html>`, contract.BadStream, 0},
	{"not an object", "", false, `[1]`, contract.BadStream, 0},
	{"cut JSON", "", false, `{"a":1`, contract.BadStream, 0},
	{"two objects", "", false, `{}{}`, contract.BadStream, 0},
	{"nothing at all", "", false, ``, contract.BadStream, 0},

	{"a stream", "Hello.", true, role + chunk("Hel") + chunk("lo.") + finish + usage + done, contract.Answered, 2},
	{"comments and CRLF", "ab", true, strings.ReplaceAll(": hi\n"+chunk("a")+": ping\n\n"+chunk("b")+done, "\n", "\r\n"), contract.Answered, 2},
	{"a surrogate pair split over two chunks", "🌍", true, chunk(`\ud83c`) + chunk(`\udf0d`) + done, contract.Answered, 2},
	{"half a surrogate pair", "a\ufffd", true, chunk(`a`) + chunk(`\ud83c`) + done, contract.Answered, 2},
	{"a chunk over two data lines", "a", true, "data: {\"choices\":[{\"delta\":\ndata: {\"content\":\"a\"}}]}\n\n" + done, contract.Answered, 1},
	{"quotes look like the next chunk's shape", `a","x":"b`, true, chunk("a") + chunk(`\",\"x\":\"`) + chunk("b") + done, contract.Answered, 3},
	{"no terminator", "Hello.", true, chunk("Hello.") + finish, contract.BadStream, 1},
	{"a terminator without its empty line", "Hello.", true, chunk("Hello.") + "data: [DONE]\n", contract.BadStream, 1},
	{"content after the terminator", "ab", true, chunk("a") + done + chunk("b"), contract.BadStream, 1},
	{"two terminators", "a", true, chunk("a") + done + done, contract.BadStream, 1},
	{"a chunk that is not JSON", "a", true, chunk("a") + "data: {\"choices\n\n" + done, contract.BadStream, 1},
	{"a chunk with a line feed in its text", "a", true, chunk("a") + chunk("b\x01c") + done, contract.BadStream, 1},
	{"a whole answer where a stream was asked for", "a", true, whole("a"), contract.BadStream, 0},
	{"an error inside", "ab", true, chunk("a") + "data: {\"error\":{\"message\":\"overloaded\"}}\n\n", contract.UpstreamError, 1},
	{"a frame is missing", "Hello.", true, chunk("Hel") + done, contract.ContentMismatch, 1},
	{"a frame comes twice", "Hello.", true, chunk("Hel") + chunk("Hel") + chunk("lo.") + done, contract.ContentMismatch, 3},
	{"another choice's text is counted, not compared", "a", true, chunk("a") + strings.Replace(chunk("z"), `"index":0`, `"index":1`, 1) + done, contract.Answered, 2},
	{"any content will do", "", true, chunk("x") + done, contract.Answered, 1},
	{"no content is well-formed", "", true, finish + done, contract.Answered, 0},
}

func TestVerdicts(t *testing.T) {
	for _, tt := range verdicts {
		t.Run(tt.story, func(t *testing.T) {
			c := New(tt.expect)
			check := func(how string, pieces ...string) {
				t.Helper()
				got, words := judge(c, tt.streamed, pieces...)
				if got != tt.want || c.Frames != tt.frames {
					t.Errorf("%s: outcome %v (%s), %d frames; want %v, %d frames", how, got, words, c.Frames, tt.want, tt.frames)
				}
				if (got == contract.Answered) != (words == "") {
					t.Errorf("%s: outcome %v with words %q", how, got, words)
				}
			}
			check("whole", tt.in)
			check("again", tt.in)
			for i := range tt.in {
				check(fmt.Sprint("split at ", i), tt.in[:i], tt.in[i:])
			}
			check("byte by byte", strings.Split(tt.in, "")...)
		})
	}
}

// What was good once does not make another answer good.
func TestAGoodAnswerVouchesOnlyForItself(t *testing.T) {
	c := New("Hello.")
	for i, tt := range []struct {
		in   string
		want contract.Outcome
	}{
		{whole("Hello."), contract.Answered},
		{whole("Hallo."), contract.ContentMismatch},
		{whole("Hello."), contract.Answered},
		{whole("Hello.") + "x", contract.BadStream},
		{"", contract.BadStream},
	} {
		if got, words := judge(c, false, tt.in); got != tt.want {
			t.Errorf("answer %d: %v (%s), want %v", i, got, words, tt.want)
		}
	}
}

func TestFramesOfOneReadAreNotSpreadOut(t *testing.T) {
	c := New("abcde")
	got, words := judge(c, true,
		role,
		chunk("a")+chunk("b")+chunk("c"),
		chunk("d")[:10],
		chunk("d")[10:],
		finish,
		chunk("e")+done)
	if got != contract.Answered {
		t.Fatal(got, words)
	}
	if c.Frames != 5 || c.Coalesced != 2 || c.FirstContent != 200 || c.LastContent != 600 || !slices.Equal(c.Gaps, []int64{200, 200}) {
		t.Errorf("frames %d coalesced %d first %d last %d gaps %v, want 5, 2, 200, 600, [200 200]",
			c.Frames, c.Coalesced, c.FirstContent, c.LastContent, c.Gaps)
	}
}

// The first read of one answer is not the last read of the answer before.
func TestReadsOfTwoAnswersAreToldApart(t *testing.T) {
	c := New("ab")
	for range 2 {
		if got, words := judge(c, true, chunk("a"), chunk("b")+done); got != contract.Answered || c.Coalesced != 0 || len(c.Gaps) != 1 {
			t.Fatalf("%v (%s), %d coalesced, gaps %v", got, words, c.Coalesced, c.Gaps)
		}
	}
}

func TestAnyBody(t *testing.T) {
	c := New("")
	c.AnyBody = true
	if got, words := judge(c, false, "ok"); got != contract.Answered {
		t.Error(got, words)
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	stream := []byte(role + chunk("Hel") + chunk("lo.") + finish + usage + done)
	plain := [][]byte{[]byte(whole("Hello.")), []byte(strings.Replace(whole("Hello."), `"c"`, `"d"`, 1))}
	c := New("Hello.")
	once := func() {
		c.Begin(true)
		for i, b := range [][]byte{stream[:100], stream[100:200], stream[200:]} {
			c.Read(int64(i))
			c.Feed(b)
		}
		if o, words := c.End(); o != contract.Answered {
			t.Fatal(o, words)
		}
		for _, b := range plain {
			c.Begin(false)
			c.Read(1)
			c.Feed(b)
			if o, words := c.End(); o != contract.Answered {
				t.Fatal(o, words)
			}
		}
	}
	once()
	if n := testing.AllocsPerRun(100, once); n != 0 {
		t.Errorf("%v allocations for three answers", n)
	}
}
