package mockupstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Limits of a script. They bound the memory of one rendered answer.
const (
	maxFrames     = 10_000
	maxTextBytes  = 16 << 20
	maxPadBytes   = 16 << 20
	maxDims       = 4096
	maxModelBytes = 128
)

// PromptMode says how usage.prompt_tokens is found.
type PromptMode string

const (
	PromptFixed  PromptMode = "fixed"  // Script.PromptTokens, whatever was asked
	PromptChars4 PromptMode = "chars4" // a quarter of the prompt's characters, rounded up
)

// Script fixes what the mock answers, when, and how it fails. The zero value
// is the default script: instant, four content frames, no faults.
type Script struct {
	// Frames is the number of content frames of a stream, and the
	// completion_tokens of every answer, streamed or not: one token a frame.
	// 1 to 10,000; 0 means 4, or as many as Text has characters if fewer.
	Frames int `json:"frames"`
	// Text is the assistant's text, cut into Frames pieces. When empty each
	// frame is four characters that tell its place: t000, t001, and so on.
	Text string `json:"content,omitempty"`
	// Model is told in answers to requests whose own model name is absent,
	// longer than 128 bytes or not plain ASCII; others get theirs back. Empty
	// means "mock-model".
	Model string `json:"model"`
	// Coalesce sends all frames of a stream in one write.
	Coalesce bool `json:"coalesce"`
	// PromptTokens is usage.prompt_tokens under PromptFixed; 0 means 7.
	PromptTokens int `json:"prompt_tokens"`
	// PromptMode is "fixed" when empty. "chars4" counts the characters of all
	// strings under keys "content", "text" and "input".
	PromptMode PromptMode `json:"prompt_mode"`
	// PadBytes makes answers that are not streamed larger by a field of that
	// many bytes beside the choices, so that the text stays what a stream
	// says. 0 to 16 MiB.
	PadBytes int `json:"pad_bytes"`
	// EmbeddingDims is the length of an embedding; 1 to 4096, 0 means 16.
	EmbeddingDims int `json:"embedding_dims"`
	// Timing holds the waits; the zero value waits nowhere.
	Timing Timing `json:"timing"`
	// Faults apply to chat completions and embeddings.
	Faults []Fault `json:"faults,omitempty"`
	// Seed of waits and fault rates. Draws depend on it and on a request's
	// place in the order of arrival, on nothing else.
	Seed uint64 `json:"seed"`
}

// Timing holds the waits of an answer.
type Timing struct {
	// First lies between the last byte of the request and the first of the
	// answer, streamed or not.
	First Wait `json:"first"`
	// Gap lies between consecutive content frames of a stream, counted from
	// the start of the earlier one's write.
	Gap Wait `json:"gap"`
}

// filled returns s with its defaults written out.
func (s Script) filled() Script {
	if s.Frames == 0 {
		s.Frames = 4
		if n := utf8.RuneCountInString(s.Text); s.Text != "" && n < s.Frames {
			s.Frames = n
		}
	}
	if s.Model == "" {
		s.Model = "mock-model"
	}
	if s.PromptTokens == 0 {
		s.PromptTokens = 7
	}
	if s.PromptMode == "" {
		s.PromptMode = PromptFixed
	}
	if s.EmbeddingDims == 0 {
		s.EmbeddingDims = 16
	}
	s.Timing.First = s.Timing.First.filled()
	s.Timing.Gap = s.Timing.Gap.filled()
	s.Faults = append([]Fault(nil), s.Faults...)
	for i := range s.Faults {
		if s.Faults[i].On == "" {
			s.Faults[i].On = OnAny
		}
	}
	return s
}

// Validate reports the first field that is out of range, by its JSON name.
func (s *Script) Validate() error {
	f := s.filled()
	within := func(key string, v, lo, hi int) error {
		if v < lo || v > hi {
			return fmt.Errorf("script: %s is %d, want %d to %d", key, v, lo, hi)
		}
		return nil
	}
	if err := errors.Join(
		within("frames", f.Frames, 1, maxFrames),
		within("content (bytes)", len(f.Text), 0, maxTextBytes),
		within("model (bytes)", len(f.Model), 1, maxModelBytes),
		within("prompt_tokens", f.PromptTokens, 1, 1<<30),
		within("pad_bytes", f.PadBytes, 0, maxPadBytes),
		within("embedding_dims", f.EmbeddingDims, 1, maxDims),
	); err != nil {
		return err
	}
	if !plainName([]byte(f.Model)) {
		return fmt.Errorf("script: model %q: want plain ASCII without quotes and backslashes", f.Model)
	}
	if !utf8.ValidString(f.Text) {
		return errors.New("script: content is not valid UTF-8")
	}
	if n := utf8.RuneCountInString(f.Text); f.Text != "" && n < f.Frames {
		return fmt.Errorf("script: content has %d characters, too few for %d frames", n, f.Frames)
	}
	if f.PromptMode != PromptFixed && f.PromptMode != PromptChars4 {
		return fmt.Errorf("script: prompt_mode %q, want %q or %q", f.PromptMode, PromptFixed, PromptChars4)
	}
	if err := f.Timing.First.validate("timing.first"); err != nil {
		return err
	}
	if err := f.Timing.Gap.validate("timing.gap"); err != nil {
		return err
	}
	if f.Coalesce && f.Timing.Gap.Kind != WaitNone {
		return errors.New("script: timing.gap needs a write per frame, and coalesce sends one write")
	}
	for i := range f.Faults {
		if err := f.Faults[i].validate(f.Frames); err != nil {
			return fmt.Errorf("script: faults[%d]: %w", i, err)
		}
	}
	return nil
}

// Content is the assistant's text: of an answer that is not streamed, and of
// a stream's frames put together.
func (s *Script) Content() string { return strings.Join(s.pieces(), "") }

// DecodeScript reads a script from JSON. Unknown keys and anything after the
// object are errors.
func DecodeScript(raw []byte) (Script, error) {
	var s Script
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return Script{}, fmt.Errorf("script: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Script{}, errors.New("script: more than one JSON value")
	}
	if err := s.Validate(); err != nil {
		return Script{}, err
	}
	return s, nil
}
