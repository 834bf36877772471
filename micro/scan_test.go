package micro

import (
	"encoding/json"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/dialect/openai"
)

// BenchmarkScan is the one look at a request body; its floor reads every byte
// once, and json.Valid is what the standard library would need for less.
func BenchmarkScan(b *testing.B) {
	for _, s := range sizes {
		body := chatBody(s.bytes, false)
		b.Run("body="+s.name+"/by=scan", func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			var r openai.Request
			for b.Loop() {
				if f := r.Scan(body); f != openai.FaultNone {
					b.Fatal(f)
				}
			}
		})
		b.Run("body="+s.name+"/by=json.Valid", func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if !json.Valid(body) {
					b.Fatal("not valid")
				}
			}
		})
		b.Run("body="+s.name+"/by=floor", func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			var sum byte
			for b.Loop() {
				for _, c := range body {
					sum += c
				}
			}
			_ = sum
		})
	}
}

// BenchmarkStream is the tee over an SSE answer that arrives at once.
func BenchmarkStream(b *testing.B) {
	for _, frames := range []int{4, 74} {
		answer := streamAnswer(frames)
		b.Run("frames="+itoa(frames)+"/by=tee", func(b *testing.B) {
			b.SetBytes(int64(len(answer)))
			b.ReportAllocs()
			var s openai.Stream
			for b.Loop() {
				s.Reset()
				for rest := answer; len(rest) > 0; {
					n, _ := s.Scan(rest)
					rest = rest[n:]
				}
				if !s.Done || s.Chars != int64(4*frames) {
					b.Fatalf("done %v, %d characters", s.Done, s.Chars)
				}
			}
		})
		b.Run("frames="+itoa(frames)+"/by=floor", func(b *testing.B) {
			b.SetBytes(int64(len(answer)))
			ends := 0
			for b.Loop() {
				for _, c := range answer {
					if c == '\n' {
						ends++
					}
				}
			}
			_ = ends
		})
	}
}
