package answer

import (
	"bytes"
	"fmt"

	"github.com/tollgate-lab/tollgate/loadgen/sse"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// maxBody bounds an answer that is not streamed, in bytes.
const maxBody = 256 << 20

// Checker judges one answer after the other. Make it with New.
type Checker struct {
	// AnyBody takes any answer that is not streamed for good.
	AnyBody bool

	// Of the answer being read. Times are the stamps given to Read.
	Frames       int     // content frames: chunks with text in their delta
	Coalesced    int     // of them, those that came in the same read as the one before
	FirstContent int64   // stamp of the first content frame, 0: none came
	LastContent  int64   // stamp of the last one
	Gaps         []int64 // nanoseconds between content frames of different reads

	match    matcher
	streamed bool
	at       int64  // stamp of the current read
	reads    uint64 // reads so far, of all answers
	framedIn uint64 // value of reads at the last content frame
	events   sse.Parser
	ended    bool // [DONE] was seen
	outcome  contract.Outcome
	words    string // why outcome is not Answered

	body []byte // an answer that is not streamed
	good []byte // the last such answer that was found good
	// Around the content text of an earlier chunk. A chunk that has equal
	// bytes there, and text between, has the same shape.
	before, after []byte
}

// New makes a checker of answers whose content must be expect; with an empty
// expect, of their form only.
func New(expect string) *Checker { return &Checker{match: matcher{want: expect}} }

// Begin starts an answer. streamed says that a stream was asked for.
func (c *Checker) Begin(streamed bool) {
	c.Frames, c.Coalesced, c.FirstContent, c.LastContent = 0, 0, 0, 0
	c.Gaps = c.Gaps[:0]
	c.streamed, c.ended = streamed, false
	c.outcome, c.words = contract.Answered, ""
	c.match.reset()
	if streamed {
		c.events.Reset()
	} else {
		c.body = c.body[:0]
	}
}

// Read says that the bytes fed from now on came in one read, which ended at
// stamp at.
func (c *Checker) Read(at int64) {
	c.at = at
	c.reads++
}

// Feed takes body bytes. They are not kept.
func (c *Checker) Feed(b []byte) {
	if c.streamed {
		c.feedStream(b)
		return
	}
	if len(c.body)+len(b) > maxBody {
		c.fail(contract.BadStream, "the answer has more than %d bytes", maxBody)
		return
	}
	c.body = append(c.body, b...)
}

// End is called when the body was whole. It gives the outcome and, unless
// that is Answered, why.
func (c *Checker) End() (contract.Outcome, string) {
	switch {
	case c.outcome != contract.Answered:
	case c.streamed:
		c.endStream()
	case c.AnyBody:
	case len(c.good) > 0 && bytes.Equal(c.body, c.good):
	default:
		c.endBody()
	}
	return c.outcome, c.words
}

// fail notes the first fault. Its words cost an allocation, which only
// failures pay.
func (c *Checker) fail(o contract.Outcome, format string, args ...any) {
	if c.outcome == contract.Answered {
		c.outcome, c.words = o, fmt.Sprintf(format, args...)
	}
}

func (c *Checker) endBody() {
	ch, ok := scanChat(c.body, "message")
	switch {
	case !ok:
		c.fail(contract.BadStream, "the answer is not one JSON object: %q", clip(c.body))
		return
	case ch.failed:
		c.fail(contract.UpstreamError, "an error in a successful answer: %q", clip(c.body))
		return
	}
	if c.match.want != "" {
		if ch.first {
			c.match.text(c.body[ch.from:ch.to])
		}
		c.endMatch()
	}
	if c.outcome == contract.Answered {
		c.good = append(c.good[:0], c.body...)
	}
}

func (c *Checker) endMatch() {
	if !c.match.whole() {
		c.fail(contract.ContentMismatch, "the content differs from the expected %d bytes at byte %d", len(c.match.want), c.match.pos)
	}
}

// clip keeps an error message short.
func clip(b []byte) []byte { return b[:min(len(b), 200)] }
