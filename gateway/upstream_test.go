package gateway

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// upstream is a provider with a script: it answers every chat with the same
// words and usage of 10 + 3 tokens, whole or as a stream. A chat whose last
// message is "wait" stops after its first frame until more is closed.
type upstream struct {
	*httptest.Server
	requests atomic.Int64
	auth     atomic.Pointer[string] // of the last request
	started  chan struct{}          // one for each chat that waits
	more     chan struct{}
}

func newUpstream(t *testing.T) *upstream {
	t.Helper()
	u := &upstream{started: make(chan struct{}, 100), more: make(chan struct{})}
	u.Server = httptest.NewServer(http.HandlerFunc(u.chat))
	t.Cleanup(u.Close)
	return u
}

const (
	answer = `{"id":"c1","object":"chat.completion","created":1,"model":"m-upstream","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":3,"total_tokens":13}}`
	frame  = `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m-upstream","choices":[{"index":0,"delta":{"content":%q},"finish_reason":%s}]}`
	usages = `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m-upstream","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":3,"total_tokens":13}}`
)

func (u *upstream) chat(w http.ResponseWriter, r *http.Request) {
	u.requests.Add(1)
	auth := r.Header.Get("Authorization")
	u.auth.Store(&auth)
	body, err := io.ReadAll(r.Body)
	if err != nil || r.URL.Path != "/v1/chat/completions" {
		http.Error(w, "no such thing", http.StatusNotFound)
		return
	}
	var req struct {
		Stream        bool
		StreamOptions struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
		Messages []struct{ Content string }
	}
	if err := json.Unmarshal(body, &req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	wait := len(req.Messages) > 0 && req.Messages[len(req.Messages)-1].Content == "wait"
	if !req.Stream {
		if wait {
			u.pause(r)
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answer)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	u.frame(w, fmt.Sprintf(frame, "hel", "null"))
	if wait {
		u.pause(r)
	}
	u.frame(w, fmt.Sprintf(frame, "lo", `"stop"`))
	if req.StreamOptions.IncludeUsage {
		u.frame(w, usages)
	}
	u.frame(w, "[DONE]")
}

func (u *upstream) frame(w http.ResponseWriter, data string) {
	fmt.Fprintf(w, "data: %s\n\n", data)
	w.(http.Flusher).Flush()
}

func (u *upstream) pause(r *http.Request) {
	u.started <- struct{}{}
	select {
	case <-u.more:
	case <-r.Context().Done():
	}
}

// chatBody is a request whose last message is text.
func chatBody(text string, stream bool) string {
	return fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":%q}],"max_tokens":50,"stream":%v}`, text, stream)
}

// contentOf puts a stream's content together and reports whether it ended as it
// should.
func contentOf(t *testing.T, stream string) (text string, done bool) {
	t.Helper()
	for event := range strings.SplitSeq(stream, "\n\n") {
		data, ok := strings.CutPrefix(event, "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			return text, true
		}
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			t.Fatalf("%v in frame %q", err, data)
		}
		for _, c := range chunk.Choices {
			text += c.Delta.Content
		}
	}
	return text, false
}
