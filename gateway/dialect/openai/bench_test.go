package openai

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// body is a chat request of about size bytes, in turns of text.
func body(size int) []byte {
	var b strings.Builder
	b.WriteString(`{"model":"mock-model","messages":[{"role":"system","content":"hello"}`)
	for b.Len() < size-80 {
		n := max(1, min(3200, size-b.Len()-80))
		b.WriteString(`,{"role":"user","content":"`)
		b.WriteString(strings.Repeat("The quick brown fox jumps over it.\\n", n/36+1)[:n/36*36])
		b.WriteString(`"}`)
	}
	b.WriteString(`],"stream":true}`)
	return []byte(b.String())
}

var sizes = []struct {
	name string
	n    int
}{{"90B", 90}, {"6KB", 6 << 10}, {"52KB", 52 << 10}, {"200KB", 200 << 10}}

func BenchmarkRequestScan(b *testing.B) {
	for _, s := range sizes {
		b.Run("body="+s.name, func(b *testing.B) {
			text := body(s.n)
			var r Request
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if r.Scan(text) != FaultNone {
					b.Fatal("fault")
				}
			}
		})
	}
}

// BenchmarkRequestScanFloor is encoding/json's check of the same bodies, which
// reads nothing of them.
func BenchmarkRequestScanFloor(b *testing.B) {
	for _, s := range sizes {
		b.Run("body="+s.name, func(b *testing.B) {
			text := body(s.n)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if !json.Valid(text) {
					b.Fatal("invalid")
				}
			}
		})
	}
}

// BenchmarkRecordedBodies scans real bodies, whose strings are shorter and
// have more escapes than ours.
func BenchmarkRecordedBodies(b *testing.B) {
	for name, text := range recordedBodies(b) {
		b.Run(name, func(b *testing.B) {
			var r Request
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.Scan(text)
			}
		})
	}
}

func chunk(text string) string {
	return fmt.Sprintf(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"mock-model","choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}]}`+"\n\n", text)
}

func BenchmarkStreamFrame(b *testing.B) {
	text := []byte(chunk("abcd"))
	var s Stream
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s.Scan(text)
	}
}

// BenchmarkAnswer reads an answer that is no stream.
func BenchmarkAnswer(b *testing.B) {
	floats := strings.Repeat("-0.0123456789,", 1536)
	for name, text := range map[string]string{
		"chat":       `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"Hello from the mock."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}}`,
		"embeddings": `{"object":"list","data":[{"embedding":[` + floats + `0]}],"usage":{"prompt_tokens":9,"total_tokens":9}}`,
	} {
		b.Run(name, func(b *testing.B) {
			raw := []byte(text)
			var a Answer
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				a.Feed(raw)
				a.EndDocument()
			}
		})
	}
}
