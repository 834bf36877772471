package canon

// Count is a number of tokens that may be unknown.
type Count struct {
	N     int64
	Known bool
}

// Tokens is a known count.
func Tokens(n int64) Count { return Count{N: n, Known: true} }

// Or is c, or o when c is unknown.
func (c Count) Or(o Count) Count {
	if c.Known {
		return c
	}
	return o
}

// Plus adds two counts; unknown counts as 0, and two unknowns stay unknown.
func (c Count) Plus(o Count) Count { return Count{N: c.N + o.N, Known: c.Known || o.Known} }

// Usage is the tokens of an answer.
//
// Input is the whole prompt, what was read from and written to the provider's
// cache included (Anthropic counts these apart). Output is everything the
// model made, thinking included (Gemini counts thoughts apart). CacheRead,
// CacheWrite, ToolPrompt and InputAudio are parts of Input; Reasoning and
// OutputAudio of Output.
type Usage struct {
	Input, Output           Count
	CacheRead, CacheWrite   Count
	Reasoning               Count
	InputAudio, OutputAudio Count
	ToolPrompt              Count // tokens that the provider's own tools added
	// Total is the provider's own sum, which may count more than the two.
	Total Count
}

// Merge takes over what o knows: the last one seen wins, per field.
func (u *Usage) Merge(o Usage) {
	u.Input, u.Output = o.Input.Or(u.Input), o.Output.Or(u.Output)
	u.CacheRead, u.CacheWrite = o.CacheRead.Or(u.CacheRead), o.CacheWrite.Or(u.CacheWrite)
	u.Reasoning = o.Reasoning.Or(u.Reasoning)
	u.InputAudio, u.OutputAudio = o.InputAudio.Or(u.InputAudio), o.OutputAudio.Or(u.OutputAudio)
	u.ToolPrompt, u.Total = o.ToolPrompt.Or(u.ToolPrompt), o.Total.Or(u.Total)
}

// Known reports whether anything is known.
func (u *Usage) Known() bool { return u.Input.Known || u.Output.Known || u.Total.Known }

// Sum is the provider's total, or input and output together.
func (u *Usage) Sum() int64 {
	if u.Total.Known {
		return u.Total.N
	}
	return u.Input.N + u.Output.N
}
