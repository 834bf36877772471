package stack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/tollgate-lab/tollgate/gateway/direct"
	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// canned fetches what the mock answers to what the core asks of it.
func (d *Direct) canned(ctx context.Context, c *contract.Cell) error {
	asked, err := d.first.asked()
	if err != nil {
		return err
	}
	m, err := startInnerMock(c, "")
	if err != nil {
		return err
	}
	defer m.close()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+m.addr()+"/v1/chat/completions", bytes.NewReader(asked))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := control.Do(req)
	if err != nil {
		return fmt.Errorf("fetch the mock's answer: %w", err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		return fmt.Errorf("fetch the mock's answer: status %d: %w", res.StatusCode, err)
	}
	d.answer = direct.Answer{Status: res.StatusCode, Length: res.ContentLength, Chunks: [][]byte{text}}
	d.answer.Fields = []exchange.Field{{Name: []byte("Content-Type"), Value: []byte(res.Header.Get("Content-Type"))}}
	if c.StreamEvery == 1 {
		d.answer.Chunks = nil
		for frame := range strings.SplitAfterSeq(string(text), "\n\n") {
			if frame != "" {
				d.answer.Chunks = append(d.answer.Chunks, []byte(frame))
			}
		}
		if c.Coalesce {
			d.answer.Chunks = [][]byte{text}
		}
	}
	return nil
}

// withMember is a JSON object with one more member.
func withMember(body []byte, name string, value any) ([]byte, error) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(body, &top); err != nil {
		return nil, fmt.Errorf("request body: %w", err)
	}
	v, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	top[name] = v
	return json.Marshal(top)
}

func asStream(body []byte) ([]byte, error) { return withMember(body, "stream", true) }

// prove makes one call and looks at the whole answer.
func (d *Direct) prove(c *contract.Cell) error {
	res, err := d.first.call()
	if err != nil {
		return err
	}
	text, err := assistantText(res.Body, c.StreamEvery == 1)
	if err != nil {
		return err
	}
	if want := Content(c); text != want {
		return fmt.Errorf("the answer says %.80q, want %.80q", text, want)
	}
	d.length = len(res.Body)
	return nil
}

// assistantText reads the text of an answer.
func assistantText(body []byte, stream bool) (string, error) {
	type choices struct {
		Choices []struct {
			Message, Delta struct {
				Content string `json:"content"`
			}
		} `json:"choices"`
	}
	var b strings.Builder
	read := func(text []byte) error {
		var c choices
		if err := json.Unmarshal(text, &c); err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		for _, ch := range c.Choices {
			b.WriteString(ch.Message.Content + ch.Delta.Content)
		}
		return nil
	}
	if !stream {
		err := read(body)
		return b.String(), err
	}
	ended := false
	for line := range strings.Lines(string(body)) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		switch {
		case !ok:
		case data == "[DONE]":
			ended = true
		default:
			if err := read([]byte(data)); err != nil {
				return "", err
			}
		}
	}
	if !ended {
		return "", errors.New("read the answer: the stream has no terminator")
	}
	return b.String(), nil
}
