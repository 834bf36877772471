package mockupstream

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
)

// maxModels bounds how many model names have answers of their own; later ones
// are answered under the script's name.
const maxModels = 64

// compiled is a script made ready to answer.
type compiled struct {
	script  Script // filled
	pieces  []string
	content string
	faults  []fault
	timed   bool          // some wait is not none
	seq     atomic.Uint64 // requests that drew waits
	generic *answers
	models  [numModes]*message

	mu      sync.Mutex
	byModel map[string]*answers
}

func compile(s Script) (*compiled, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	cs := &compiled{script: s.filled(), byModel: make(map[string]*answers)}
	cs.pieces, cs.content = cs.script.pieces(), cs.script.Content()
	cs.timed = cs.script.Timing.First.Kind != WaitNone || cs.script.Timing.Gap.Kind != WaitNone
	cs.generic = &answers{cs: cs, model: cs.script.Model}
	cs.faults = make([]fault, len(cs.script.Faults))
	for i, f := range cs.script.Faults {
		cs.faults[i].Fault = f
		if f.Kind != FaultStatus {
			continue
		}
		extra := ""
		if f.RetryAfterS > 0 {
			extra = fmt.Sprintf("Retry-After: %d\r\n", f.RetryAfterS)
		}
		text := http.StatusText(f.Status)
		if text == "" {
			text = "Error"
		}
		for md := range numModes {
			cs.faults[i].answer[md] = jsonMessage(f.Status, extra, errorBody(f.Status, "Scripted fault: "+text+"."), md)
		}
	}
	for md := range numModes {
		cs.models[md] = cs.renderModels(md)
	}
	return cs, nil
}

// answers are the messages for one model name, rendered when first asked for.
type answers struct {
	cs        *compiled
	model     string
	mu        sync.Mutex // held while rendering
	plain     [numModes]atomic.Pointer[message]
	embedding [numModes]atomic.Pointer[message]
	streams   [numFramings][2]atomic.Pointer[message] // second index: usage asked
}

// answersFor finds the answers of a model name, which may be empty.
func (cs *compiled) answersFor(model []byte) *answers {
	if len(model) == 0 {
		return cs.generic
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if a, ok := cs.byModel[string(model)]; ok {
		return a
	}
	if len(cs.byModel) >= maxModels {
		return cs.generic
	}
	a := &answers{cs: cs, model: string(model)}
	cs.byModel[a.model] = a
	return a
}

// once returns what p holds, rendering it first if need be.
func (a *answers) once(p *atomic.Pointer[message], render func() *message) *message {
	a.mu.Lock()
	defer a.mu.Unlock()
	m := p.Load()
	if m == nil {
		m = render()
		p.Store(m)
	}
	return m
}

func (a *answers) plainFor(md mode) *message {
	p := &a.plain[md]
	if m := p.Load(); m != nil {
		return m
	}
	return a.once(p, func() *message { return a.cs.renderPlain(a.model, md) })
}

func (a *answers) embeddingFor(md mode) *message {
	p := &a.embedding[md]
	if m := p.Load(); m != nil {
		return m
	}
	return a.once(p, func() *message { return a.cs.renderEmbedding(a.model, md) })
}

func (a *answers) streamFor(fr framing, usage bool) *message {
	i := 0
	if usage {
		i = 1
	}
	p := &a.streams[fr][i]
	if m := p.Load(); m != nil {
		return m
	}
	return a.once(p, func() *message { return a.cs.renderStream(a.model, usage, fr) })
}

// plainName reports whether a model name can stand in JSON as it is.
func plainName(b []byte) bool {
	for _, c := range b {
		if c < 0x20 || c > 0x7e || c == '"' || c == '\\' {
			return false
		}
	}
	return len(b) > 0 && len(b) <= maxModelBytes
}
