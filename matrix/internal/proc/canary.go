package proc

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"time"
)

// CanaryRounds is the round trips of one canary reading: about 20 ms on an
// idle host.
const CanaryRounds = 2000

// Canary is a fixed piece of work that has nothing to do with what is
// measured: two threads hand one byte back and forth over pipes. It returns
// the median time of a round trip. It grows when others take the cores.
func Canary(rounds int) (time.Duration, error) {
	pingR, pingW, err := os.Pipe()
	if err != nil {
		return 0, fmt.Errorf("canary: %w", err)
	}
	defer pingR.Close()
	pongR, pongW, err := os.Pipe()
	if err != nil {
		pingW.Close()
		return 0, fmt.Errorf("canary: %w", err)
	}
	defer pongR.Close()
	// Fd takes a pipe out of Go's poller: a read blocks its thread in the
	// kernel, so that the round trip is two real thread switches.
	for _, f := range []*os.File{pingR, pingW, pongR, pongW} {
		_ = f.Fd()
	}
	echoed := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer pongW.Close()
		echoed <- echo(pingR, pongW)
	}()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	times := make([]time.Duration, 0, rounds)
	var b [1]byte
	for range rounds {
		start := time.Now()
		if _, err = pingW.Write(b[:]); err != nil {
			break
		}
		if _, err = io.ReadFull(pongR, b[:]); err != nil {
			break
		}
		times = append(times, time.Since(start))
	}
	pingW.Close()
	if echoErr := <-echoed; err == nil {
		err = echoErr
	}
	if err != nil {
		return 0, fmt.Errorf("canary: %w", err)
	}
	return Median(times), nil
}

func echo(r io.Reader, w io.Writer) error {
	var b [1]byte
	for {
		if _, err := r.Read(b[:]); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		if _, err := w.Write(b[:]); err != nil {
			return err
		}
	}
}

// Median is the middle value, the lower of two; 0 for none.
func Median(ds []time.Duration) time.Duration {
	if len(ds) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(ds))
	return s[(len(s)-1)/2]
}
