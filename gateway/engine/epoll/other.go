//go:build !linux

package epoll

import (
	"errors"
	"runtime"

	"github.com/tollgate-lab/tollgate/gateway/engine"
)

// New refuses: the engine needs Linux.
func New(engine.Options) (engine.Engine, error) {
	return nil, errors.New("engine epoll: not on " + runtime.GOOS + "; use engine: conn")
}
