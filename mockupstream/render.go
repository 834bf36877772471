package mockupstream

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// created is a fixed Unix time, so that a script always renders to the same
// bytes.
const created = 1700000000

// slotWidth is the room for a number that is filled in per request. JSON
// allows the leading spaces.
const slotWidth = 10

// page is a text under construction that remembers its slots.
type page struct {
	b     []byte
	slots []int
}

func (p *page) text(s string) { p.b = append(p.b, s...) }
func (p *page) num(n int)     { p.b = strconv.AppendInt(p.b, int64(n), 10) }

// quoted appends s as a JSON string.
func (p *page) quoted(s string) {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string: it cannot fail
	}
	p.b = append(p.b, b...)
}

// usage appends the usage object. Without completion tokens it is that of
// embeddings.
func (p *page) usage(prompt, completion int, slots bool) {
	count := func(n int) {
		if slots {
			p.slots = append(p.slots, len(p.b))
			p.text(fmt.Sprintf("%*d", slotWidth, n))
			return
		}
		p.num(n)
	}
	p.text(`{"prompt_tokens":`)
	count(prompt)
	if completion > 0 {
		p.text(`,"completion_tokens":`)
		p.num(completion)
	}
	p.text(`,"total_tokens":`)
	count(prompt + completion)
	p.text(`}`)
}

// told appends usage under the script's prompt mode.
func (cs *compiled) told(p *page, completion int) {
	s := &cs.script
	p.usage(s.PromptTokens, completion, s.PromptMode == PromptChars4)
}

// finish makes the message of a JSON body.
func (cs *compiled) finish(p *page, output int, md mode) *message {
	m := jsonMessage(200, "", p.b, md)
	m.prompt, m.output = cs.script.PromptTokens, output
	for _, at := range p.slots {
		m.slots = append(m.slots, m.head+at)
	}
	return m
}

func (cs *compiled) renderPlain(model string, md mode) *message {
	var p page
	p.text(`{"id":"chatcmpl-mock","object":"chat.completion","created":` + strconv.Itoa(created) +
		`,"model":"` + model + `","choices":[{"index":0,"message":{"role":"assistant","content":`)
	p.quoted(cs.content)
	p.text(`,"refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":`)
	cs.told(&p, cs.script.Frames)
	cs.pad(&p)
	p.text(`}`)
	return cs.finish(&p, cs.script.Frames, md)
}

func (cs *compiled) renderEmbedding(model string, md mode) *message {
	var p page
	p.text(`{"object":"list","data":[{"object":"embedding","index":0,"embedding":[`)
	for i := range cs.script.EmbeddingDims {
		if i > 0 {
			p.text(",")
		}
		// Any values do; these are distinct and below 1.
		p.text(fmt.Sprintf("0.%04d", i+1))
	}
	p.text(`]}],"model":"` + model + `","usage":`)
	cs.told(&p, 0)
	cs.pad(&p)
	p.text(`}`)
	return cs.finish(&p, 0, md)
}

func (cs *compiled) pad(p *page) {
	if n := cs.script.PadBytes; n > 0 {
		p.text(`,"padding":"`)
		for range n {
			p.b = append(p.b, 'x')
		}
		p.text(`"`)
	}
}

func (cs *compiled) renderModels(md mode) *message {
	return jsonMessage(200, "", []byte(`{"object":"list","data":[{"id":"`+cs.script.Model+
		`","object":"model","created":`+strconv.Itoa(created)+`,"owned_by":"mockupstream"}]}`), md)
}

// renderStream lays a stream out as OpenAI does: a frame with the role, the
// content frames, one with the finish reason, one with the usage when it was
// asked for (then every other frame says "usage":null), and the terminator.
func (cs *compiled) renderStream(model string, usage bool, fr framing) *message {
	m := &message{status: 200, stream: true, first: 1, frames: len(cs.pieces), prompt: cs.script.PromptTokens, output: cs.script.Frames}
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	switch fr {
	case chunked:
		head += "Transfer-Encoding: chunked\r\n"
	case chunkedClose:
		head += "Transfer-Encoding: chunked\r\nConnection: close\r\n"
	case unframed:
		head += "Connection: close\r\n"
	}
	m.wire = append(m.wire, head+"\r\n"...)
	m.head = len(m.wire)
	if fr != unframed {
		m.trailer = "0\r\n\r\n"
	}

	put := func(p *page) {
		if fr != unframed {
			m.wire = strconv.AppendInt(m.wire, int64(len(p.b)), 16)
			m.wire = append(m.wire, "\r\n"...)
		}
		for _, at := range p.slots {
			m.slots = append(m.slots, len(m.wire)+at)
		}
		m.wire = append(m.wire, p.b...)
		if fr != unframed {
			m.wire = append(m.wire, "\r\n"...)
		}
		m.ends = append(m.ends, len(m.wire))
	}
	open := `data: {"id":"chatcmpl-mock","object":"chat.completion.chunk","created":` + strconv.Itoa(created) +
		`,"model":"` + model + `","choices":[`
	tail := "}\n\n"
	if usage {
		tail = `,"usage":null` + tail
	}
	choice := func(delta, reason string) {
		p := page{}
		p.text(open + `{"index":0,"delta":{` + delta + `},"logprobs":null,"finish_reason":` + reason + `}]` + tail)
		put(&p)
	}
	choice(`"role":"assistant","content":"","refusal":null`, "null")
	for _, piece := range cs.pieces {
		p := page{}
		p.quoted(piece)
		choice(`"content":`+string(p.b), "null")
	}
	choice("", `"stop"`)
	if usage {
		p := page{}
		p.text(open + `],"usage":`)
		cs.told(&p, cs.script.Frames)
		p.text("}\n\n")
		put(&p)
	}
	put(&page{b: []byte("data: [DONE]\n\n")})
	m.wire = append(m.wire, m.trailer...)
	m.ends[len(m.ends)-1] = len(m.wire)
	return m
}
