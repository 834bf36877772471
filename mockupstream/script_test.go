package mockupstream

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

func TestDecodeScriptRefuses(t *testing.T) {
	for _, tc := range []struct {
		name, script, want string
	}{
		{"an unknown key", `{"frame":4}`, `"frame"`},
		{"an unknown nested key", `{"timing":{"first":{"mean":4}}}`, `"mean"`},
		{"an unknown key of a fault", `{"faults":[{"kind":"reset","evry":2}]}`, `"evry"`},
		{"a wrong type", `{"frames":"4"}`, "frames"},
		{"two values", `{} {}`, "more than one"},
		{"nothing", ``, "EOF"},
		{"too many frames", `{"frames":10001}`, "frames is 10001"},
		{"negative frames", `{"frames":-1}`, "frames is -1"},
		{"more frames than characters", `{"frames":5,"content":"abc"}`, "3 characters"},
		{"a model name with a quote", `{"model":"a\"b"}`, "model"},
		{"a negative pad", `{"pad_bytes":-1}`, "pad_bytes"},
		{"an unknown prompt mode", `{"prompt_mode":"guess"}`, "prompt_mode"},
		{"a wait without a kind", `{"timing":{"first":{"mean_us":5}}}`, "timing.first"},
		{"a wait of no length", `{"timing":{"gap":{"kind":"constant"}}}`, "timing.gap"},
		{"a wait beyond ten minutes", `{"timing":{"gap":{"kind":"constant","mean_us":1e12}}}`, "timing.gap"},
		{"a constant with a spread", `{"timing":{"first":{"kind":"constant","mean_us":5,"sigma":1}}}`, "sigma"},
		{"a log-normal without one", `{"timing":{"first":{"kind":"lognormal","mean_us":5}}}`, "sigma"},
		{"an unknown wait", `{"timing":{"first":{"kind":"uniform","mean_us":5}}}`, `"uniform"`},
		{"gaps within one write", `{"coalesce":true,"timing":{"gap":{"kind":"constant","mean_us":5}}}`, "coalesce"},
		{"an unknown fault", `{"faults":[{"kind":"explode","every":1}]}`, `faults[0]: kind "explode"`},
		{"a fault that never falls", `{"faults":[{"kind":"reset"}]}`, "every or rate"},
		{"a fault with both", `{"faults":[{"kind":"reset","every":1,"rate":0.5}]}`, "every or rate"},
		{"a rate above one", `{"faults":[{"kind":"reset","rate":1.5}]}`, "rate"},
		{"a negative rate", `{"faults":[{"kind":"reset","rate":-1}]}`, "rate"},
		{"a status that is no error", `{"faults":[{"kind":"status","status":200,"every":1}]}`, "status is 200"},
		{"a status on a reset", `{"faults":[{"kind":"reset","status":500,"every":1}]}`, "status"},
		{"frames before a status", `{"faults":[{"kind":"status","status":500,"after_frames":1,"every":1}]}`, "after_frames"},
		{"more frames than there are", `{"faults":[{"kind":"reset","after_frames":5,"every":1}]}`, "after_frames"},
		{"an unterminated plain answer", `{"faults":[{"kind":"unterminated","on":"plain","every":1}]}`, "streams only"},
		{"an unknown class", `{"faults":[{"kind":"reset","on":"some","every":1}]}`, `on "some"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := DecodeScript([]byte(tc.script))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q in it", err, tc.want)
			}
		})
	}
}

func TestContent(t *testing.T) {
	for _, tc := range []struct {
		name   string
		script Script
		want   []string
	}{
		{"the default", Script{}, []string{"t000", "t001", "t002", "t003"}},
		{"two frames", Script{Frames: 2}, []string{"t000", "t001"}},
		{"a text of one's own", Script{Text: "añb漢c", Frames: 3}, []string{"a", "ñb", "漢c"}},
		{"a text shorter than the default frames", Script{Text: "ab"}, []string{"a", "b"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if err := tc.script.Validate(); err != nil {
				t.Fatal(err)
			}
			if got := tc.script.pieces(); !reflect.DeepEqual(got, tc.want) {
				t.Errorf("pieces %q, want %q", got, tc.want)
			}
			if got, want := tc.script.Content(), strings.Join(tc.want, ""); got != want {
				t.Errorf("content %q, want %q", got, want)
			}
		})
	}
}

func TestFrameTextsDiffer(t *testing.T) {
	seen := make(map[string]bool)
	for i := range maxFrames {
		text := frameText(i)
		if len(text) != 4 || seen[text] {
			t.Fatalf("frame %d is %q", i, text)
		}
		seen[text] = true
	}
}

// chunk is a streamed or whole answer, as far as these tests read it.
type chunk struct {
	Model   string
	Choices []struct {
		Delta        struct{ Role, Content string }
		Message      struct{ Content string }
		FinishReason *string `json:"finish_reason"`
	}
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Total      int `json:"total_tokens"`
	}
	Padding string
}

// readAnswer reads an answer's body: its text, usage and model.
func readAnswer(t testing.TB, r io.Reader) (text string, last chunk, done bool) {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(r), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Header.Get("Content-Type") == "application/json" {
		if err := json.Unmarshal(body, &last); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		return last.Choices[0].Message.Content, last, true
	}
	for frame := range strings.SplitSeq(strings.TrimSuffix(string(body), "\n\n"), "\n\n") {
		data, ok := strings.CutPrefix(frame, "data: ")
		if !ok {
			t.Fatalf("frame %q", frame)
		}
		if data == "[DONE]" {
			done = true
			continue
		}
		last = chunk{}
		if err := json.Unmarshal([]byte(data), &last); err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		for _, c := range last.Choices {
			text += c.Delta.Content
		}
	}
	return text, last, done
}

// A stream and a plain answer carry the same text, and usage tells one token a
// frame, under every script.
func TestStreamEqualsPlain(t *testing.T) {
	for _, s := range []Script{
		{},
		{Frames: 1, Coalesce: true},
		{Frames: 1500, PromptTokens: 99},
		{Text: `quotes " and \ and ` + "\n\u2028é<", Frames: 7, PadBytes: 1000, Model: "other"},
		{PromptMode: PromptChars4},
	} {
		prompt := s.filled().PromptTokens
		if s.PromptMode == PromptChars4 {
			prompt = 2 // "hello"
		}
		for _, body := range []string{plainBody, strings.Replace(usageBody, `[]`, `[{"role":"user","content":"hello"}]`, 1)} {
			mc := talk(t, newServer(t, s), post(chat, "HTTP/1.1", "", body), 0)
			text, last, done := readAnswer(t, &mc.output)
			if text != s.Content() || !done {
				t.Errorf("%+v: text %q, terminated %v, want %q", s, text, done, s.Content())
			}
			frames := s.filled().Frames
			if u := last.Usage; u == nil || u.Completion != frames || u.Prompt != prompt || u.Total != prompt+frames {
				t.Errorf("%+v: usage %+v, want %d prompt and %d completion tokens", s, u, prompt, frames)
			}
			if last.Model != "m-1" {
				t.Errorf("model %q", last.Model)
			}
			if body == plainBody && len(last.Padding) != s.PadBytes {
				t.Errorf("%d bytes of padding, want %d", len(last.Padding), s.PadBytes)
			}
		}
	}
}

func TestModelNamesAreBounded(t *testing.T) {
	cs, err := compile(Script{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 * maxModels {
		cs.answersFor([]byte(frameText(i)))
	}
	if got := cs.answersFor([]byte(frameText(0))).model; got != frameText(0) {
		t.Errorf("first name answered as %q", got)
	}
	if got := cs.answersFor([]byte("late")); got != cs.generic {
		t.Errorf("name beyond the bound answered as %q", got.model)
	}
}

// Draws of a log-normal wait have the mean that was asked for: within four
// standard errors for a fixed seed.
func TestLognormalMean(t *testing.T) {
	w := Wait{Kind: WaitLognormal, MeanUs: 1000, Sigma: 0.8}
	const n = 200_000
	var sum, logs float64
	for i := range uint64(n) {
		ns := float64(w.draw(mix(7) + mix(i)))
		sum += ns
		logs += math.Log(ns)
	}
	sd := 1e6 * math.Sqrt(math.Exp(0.8*0.8)-1)
	if mean := sum / n; math.Abs(mean-1e6) > 4*sd/math.Sqrt(n) {
		t.Errorf("mean %g ns, want 1e6", mean)
	}
	if got, want := logs/n, math.Log(1e6)-0.32; math.Abs(got-want) > 4*0.8/math.Sqrt(n) {
		t.Errorf("mean logarithm %g, want %g", got, want)
	}
}

// Faults by rate fall as often as asked, and two seeds on different requests.
func TestFaultRate(t *testing.T) {
	const n = 20_000
	fall := func(seed uint64) (hits []int) {
		cs, err := compile(Script{Seed: seed, Faults: []Fault{{Kind: FaultReset, Rate: 0.1}}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if cs.drawFault(i%2 == 0) != nil {
				hits = append(hits, i)
			}
		}
		return hits
	}
	a, b := fall(1), fall(2)
	// Four standard deviations of a binomial with n = 20,000, p = 0.1.
	if d := math.Abs(float64(len(a)) - 2000); d > 4*math.Sqrt(n*0.1*0.9) {
		t.Errorf("%d of %d", len(a), n)
	}
	if reflect.DeepEqual(a, b) {
		t.Error("two seeds fall alike")
	}
	if !reflect.DeepEqual(a, fall(1)) {
		t.Error("one seed falls differently")
	}
}

func FuzzDecodeScript(f *testing.F) {
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"frames":74,"coalesce":true,"prompt_mode":"chars4","pad_bytes":10,"seed":9}`))
	f.Add([]byte(`{"content":"añb","timing":{"first":{"kind":"lognormal","mean_us":5,"sigma":1},"gap":{"kind":"constant","mean_us":1}},"faults":[{"kind":"status","status":429,"retry_after_s":2,"rate":0.5,"on":"stream"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := DecodeScript(raw)
		if err != nil {
			return
		}
		// What was accepted survives being written out and read again.
		filled := s.filled()
		again, err := json.Marshal(filled)
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeScript(again)
		if err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		if !reflect.DeepEqual(back.filled(), filled) {
			t.Fatalf("%+v, then %+v", filled, back.filled())
		}
		if got := len(s.pieces()); got != filled.Frames {
			t.Fatalf("%d pieces for %d frames", got, filled.Frames)
		}
		for i, p := range s.pieces() {
			if p == "" {
				t.Fatalf("piece %d is empty", i)
			}
		}
		if s.Text != "" && s.Content() != s.Text {
			t.Fatalf("content %q from %q", s.Content(), s.Text)
		}
	})
}
