package stack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// ErrNoProfile is a stack whose gateway cannot be profiled from outside.
var ErrNoProfile = errors.New("no control listener of its own serves what the load goes through")

// maxProfile bounds a profile in bytes; one of a few seconds has some ten
// thousand.
const maxProfile = 64 << 20

// CPUProfile takes a CPU profile of the gateway over so many whole seconds,
// from its control listener: a gzipped pprof profile.
func (s *Stack) CPUProfile(ctx context.Context, seconds int) (profile []byte, err error) {
	g, ok := s.gate.(*outerGate)
	if !ok || s.Cell.Workers > 1 {
		return nil, ErrNoProfile
	}
	err = get(ctx, fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", g.control, seconds), func(r io.Reader) error {
		profile, err = io.ReadAll(io.LimitReader(r, maxProfile))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("CPU profile: %w", err)
	}
	if !bytes.HasPrefix(profile, []byte{0x1f, 0x8b}) {
		return nil, fmt.Errorf("CPU profile: %d bytes that are no gzip", len(profile))
	}
	return profile, nil
}
