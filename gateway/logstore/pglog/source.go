package pglog

import (
	"bytes"
	"sync"
)

// source is the data of one COPY. When a COPY fails, the driver may return
// while a goroutine of its own still reads: end takes the data away from it,
// and the next COPY gets another source.
type source struct {
	mu sync.Mutex
	r  bytes.Reader
}

func (s *source) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Read(p)
}

func (s *source) begin(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.r.Reset(data)
}

// end makes every further Read find nothing; when it returns, nobody reads the
// data.
func (s *source) end() { s.begin(nil) }
