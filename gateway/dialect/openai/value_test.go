package openai

import "testing"

func TestFinish(t *testing.T) {
	for reason, want := range map[string]Finish{
		`"stop"`: FinishStop, `"length"`: FinishLength, `"tool_calls"`: FinishToolCalls, `"content_filter"`: FinishContentFilter, `"function_call"`: FinishFunctionCall,
		`"end_turn"`: FinishOther, `"a reason that is longer than any name that is known"`: FinishOther, `"st\u006fp"`: FinishOther, `null`: FinishNone, `""`: FinishNone,
	} {
		var a Answer
		a.Feed([]byte(`{"choices":[{"index":0,"finish_reason":` + reason + `}]}`))
		a.EndDocument()
		if a.Finish != want {
			t.Errorf("%s: %d, want %d", reason, a.Finish, want)
		}
	}
}

// TestFinishStays: a later chunk without a reason does not take it back.
func TestFinishStays(t *testing.T) {
	var a Answer
	for _, r := range []string{`"length"`, `null`} {
		a.Feed([]byte(`{"choices":[{"finish_reason":` + r + `}]}`))
		a.EndDocument()
	}
	if a.Finish != FinishLength {
		t.Errorf("finish %d", a.Finish)
	}
}

func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{
		`\b\f\n\r\t\/\\\"`: "\b\f\n\r\t/\\\"", `\uD83D\uDE00`: "😀", `\ud83d`: "\uFFFD", `\ud83dx`: "\uFFFDx", `\ude00`: "\uFFFD", `\uABCD`: "\uABCD", `\ud83d\u0041`: "\uFFFDA",
	} {
		if got := string(unescape(nil, []byte(in))); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
		a := Answer{KeepText: true}
		a.Feed([]byte(`{"choices":[{"delta":{"content":"` + in + `"}}]}`))
		if got := string(a.Text); got != want {
			t.Errorf("%s as text: %q, want %q", in, got, want)
		}
	}
}

// TestNumbers: every form of number that JSON has, and none that it has not.
func TestNumbers(t *testing.T) {
	for in, good := range map[string]bool{
		"0": true, "-0": true, "10": true, "0.5": true, "-1.25e+10": true, "1E-2": true, "1e5": true,
		"-": false, "01": false, "1.": false, ".5": false, "1e": false, "1e+": false, "+1": false, "-a": false, "0x1": false,
	} {
		var r Request
		if f := r.Scan([]byte(`{"a":` + in + `}`)); (f == FaultNone) != good {
			t.Errorf("%s: fault %d", in, f)
		}
	}
}
