package answer

import (
	"bytes"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// terminator ends an OpenAI stream. It is no JSON, so it is looked for first.
const terminator = "[DONE]"

func (c *Checker) feedStream(b []byte) {
	for len(b) > 0 {
		data, n, ok, err := c.events.Next(b)
		if err != nil {
			c.fail(contract.BadStream, "read event: %v", err)
			return
		}
		b = b[n:]
		if ok {
			c.event(data)
		}
	}
}

func (c *Checker) event(data []byte) {
	switch {
	case c.ended:
		c.fail(contract.BadStream, "an event after [DONE]: %q", clip(data))
	case string(data) == terminator:
		c.ended = true
	case c.sameShape(data):
		c.content(data[len(c.before):len(data)-len(c.after)], true)
	default:
		c.chunk(data)
	}
}

// sameShape reports whether data is an earlier chunk with other text for its
// content: equal before and after, and a valid string body between. Such a
// chunk needs no second look at its structure.
func (c *Checker) sameShape(data []byte) bool {
	n := len(data) - len(c.after)
	if len(c.before) == 0 || n <= len(c.before) || !bytes.HasPrefix(data, c.before) || !bytes.HasSuffix(data, c.after) {
		return false
	}
	text := data[len(c.before):n]
	end, ok := stringEnd(text)
	return ok && end == len(text)
}

func (c *Checker) chunk(data []byte) {
	ch, ok := scanChat(data, "delta")
	switch {
	case !ok:
		c.fail(contract.BadStream, "an event is not one JSON object: %q", clip(data))
	case ch.failed:
		c.fail(contract.UpstreamError, "an error inside the stream: %q", clip(data))
	case ch.from < ch.to:
		if ch.first {
			c.before = append(c.before[:0], data[:ch.from]...)
			c.after = append(c.after[:0], data[ch.to:]...)
		}
		c.content(data[ch.from:ch.to], ch.first)
	}
}

// content counts a content frame. Only text of the first choice is compared.
func (c *Checker) content(text []byte, first bool) {
	c.Frames++
	switch {
	case c.Frames == 1:
		c.FirstContent = c.at
	case c.framedIn == c.reads:
		c.Coalesced++
	default:
		c.Gaps = append(c.Gaps, c.at-c.LastContent)
	}
	c.LastContent, c.framedIn = c.at, c.reads
	if first && c.match.want != "" {
		c.match.text(text)
	}
}

func (c *Checker) endStream() {
	switch {
	case c.ended:
		if c.match.want != "" {
			c.endMatch()
		}
	case c.events.Unfinished():
		c.fail(contract.BadStream, "the stream ends inside an event, without [DONE] and an empty line after it")
	default:
		c.fail(contract.BadStream, "the stream has no [DONE]")
	}
}
