package compare

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A herd is clients that take their time, on goroutines of their own: what they
// cost here is no part of what is measured.
type herd struct {
	addr string
	stop context.CancelFunc
	ctx  context.Context
	all  sync.WaitGroup

	begun  atomic.Int64 // readers whose answer has begun
	lost   atomic.Int64 // readers whose answer ended before they left
	mu     sync.Mutex
	closed []time.Duration // of heads: from the first byte to the close
	faults []error
}

func newHerd(ctx context.Context, addr string) *herd {
	h := &herd{addr: addr}
	h.ctx, h.stop = context.WithCancel(ctx)
	return h
}

// leave ends the herd.
func (h *herd) leave() {
	h.stop()
	h.all.Wait()
}

func (h *herd) fault(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.faults = append(h.faults, err)
}

// err is the first fault of a client.
func (h *herd) err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.faults) == 0 {
		return nil
	}
	return fmt.Errorf("%d slow clients failed, the first: %w", len(h.faults), h.faults[0])
}

const (
	sipBytes = 1 << 10 // what a reader takes each second
	sipEvery = time.Second
	// A small receive buffer makes the sender feel the reader soon.
	sipBuffer = 4 << 10
)

// dial connects; buffer, when not 0, bounds the receive buffer.
func (h *herd) dial(buffer int) (net.Conn, error) {
	d := net.Dialer{KeepAlive: -1}
	if buffer > 0 {
		d.Control = func(_, _ string, c syscall.RawConn) (err error) {
			if e := c.Control(func(fd uintptr) { err = setReceiveBuffer(fd, buffer) }); e != nil {
				return e
			}
			return err
		}
	}
	return d.DialContext(h.ctx, "tcp", h.addr)
}

// readers adds n clients that each ask for a stream and read it slowly.
func (h *herd) readers(n int, request []byte) {
	for i := range n {
		h.all.Go(func() {
			c, err := h.dial(sipBuffer)
			if err != nil {
				h.fault(err)
				return
			}
			defer c.Close()
			unhook := context.AfterFunc(h.ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
			defer unhook()
			if _, err := c.Write(request); err != nil {
				h.fault(err)
				return
			}
			buf := make([]byte, sipBytes)
			// Spread over the second, as clients are.
			tick := time.NewTicker(sipEvery)
			defer tick.Stop()
			for first := true; ; first = false {
				if _, err := c.Read(buf); err != nil {
					if h.ctx.Err() == nil {
						h.lost.Add(1)
						h.fault(fmt.Errorf("reader %d: %w", i, err))
					}
					return
				}
				if first {
					if string(buf[:12]) != "HTTP/1.1 200" {
						h.fault(fmt.Errorf("reader %d: answer begins with %q", i, buf[:60]))
						return
					}
					h.begun.Add(1)
				}
				select {
				case <-tick.C:
				case <-h.ctx.Done():
					return
				}
			}
		})
	}
}

// heads adds n clients that send a head a byte a second and never end it. done
// is called when the gateway has closed them all.
func (h *herd) heads(n int) (done <-chan struct{}) {
	var these sync.WaitGroup
	for i := range n {
		these.Add(1)
		h.all.Go(func() {
			defer these.Done()
			c, err := h.dial(0)
			if err != nil {
				h.fault(err)
				return
			}
			defer c.Close()
			unhook := context.AfterFunc(h.ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
			defer unhook()
			begun := time.Now()
			if _, err := c.Write([]byte("POST /v1/chat/completions HTTP/1.1\r\nHost: slow\r\nX-Slow: ")); err != nil {
				h.fault(err)
				return
			}
			h.all.Go(func() {
				tick := time.NewTicker(sipEvery)
				defer tick.Stop()
				for {
					select {
					case <-tick.C:
						if _, err := c.Write([]byte("a")); err != nil {
							return
						}
					case <-h.ctx.Done():
						return
					}
				}
			})
			buf := make([]byte, 1<<10)
			for { // a 408 may come first
				if _, err = c.Read(buf); err != nil {
					break
				}
			}
			if h.ctx.Err() != nil {
				h.fault(fmt.Errorf("head %d: still open after %v", i, time.Since(begun).Round(time.Millisecond)))
				return
			}
			h.mu.Lock()
			h.closed = append(h.closed, time.Since(begun))
			h.mu.Unlock()
		})
	}
	gone := make(chan struct{})
	go func() {
		these.Wait()
		close(gone)
	}()
	return gone
}
