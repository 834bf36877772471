package openai

// Usage is what the provider said it used: the last value seen of each field,
// so that an early zero does not win. A field whose Has… is false never came.
type Usage struct {
	PromptTok, OutputTok, TotalTok int64
	CachedTok, ReasoningTok        int64
	HasPrompt, HasOutput, HasTotal bool
}

// Billed is the tokens to bill. Two readings are taken where providers differ:
// a missing output is what the total leaves beside the prompt (embeddings tell
// prompt and total), and reasoning that a provider leaves out of
// completion_tokens but counts in total_tokens is output.
func (u *Usage) Billed() (prompt, output int64) {
	prompt, output = u.PromptTok, u.OutputTok
	switch {
	case !u.HasTotal:
	case !u.HasPrompt && u.HasOutput:
		prompt = max(0, u.TotalTok-output)
	case !u.HasPrompt:
		prompt = u.TotalTok
	case !u.HasOutput:
		output = max(0, u.TotalTok-prompt)
	case u.ReasoningTok > 0 && u.TotalTok == prompt+output+u.ReasoningTok:
		output += u.ReasoningTok
	}
	return prompt, output
}

// Estimate is the tokens of text of so many characters, rounded up: four
// characters a token.
func Estimate(chars int64) int64 { return (chars + 3) / 4 }

// Finish is why an answer ended, as far as the gateway tells reasons apart.
type Finish uint8

const (
	FinishNone Finish = iota
	FinishStop
	FinishLength
	FinishToolCalls
	FinishContentFilter
	FinishFunctionCall
	FinishOther
)

func finishOf(s []byte) Finish {
	switch string(s) {
	case "stop":
		return FinishStop
	case "length":
		return FinishLength
	case "tool_calls":
		return FinishToolCalls
	case "content_filter":
		return FinishContentFilter
	case "function_call":
		return FinishFunctionCall
	}
	return FinishOther
}
