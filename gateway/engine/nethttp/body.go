package nethttp

import (
	"errors"
	"io"
	"sync"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

// sending is a request body that lies in the exchange's memory. The transport
// may read it after RoundTrip has returned; detach ends that, so that the
// exchange can be released.
type sending struct {
	mu    sync.Mutex
	parts [][]byte
	over  bool
}

var errDetached = errors.New("the attempt has ended")

func newSending(u *exchange.Upstream) *sending {
	s := &sending{}
	from := 0
	for _, sp := range u.Splices {
		s.parts = append(s.parts, u.Body[from:sp.At], sp.Put)
		from = sp.At + sp.Cut
	}
	s.parts = append(s.parts, u.Body[from:])
	return s
}

func (s *sending) Read(p []byte) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return 0, errDetached
	}
	for n < len(p) && len(s.parts) > 0 {
		k := copy(p[n:], s.parts[0])
		n += k
		if s.parts[0] = s.parts[0][k:]; len(s.parts[0]) == 0 {
			s.parts = s.parts[1:]
		}
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Close is the transport's: it has read all it wants.
func (s *sending) Close() error { return nil }

func (s *sending) detach() {
	s.mu.Lock()
	s.over, s.parts = true, nil
	s.mu.Unlock()
}
