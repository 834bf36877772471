//go:build !linux

package worker

import (
	"errors"
	"net"
)

// Supported reports whether the kernel spreads connections over sockets that
// share a port.
const Supported = false

var errUnsupported = errors.New("this system does not spread connections over processes that share a port: use one worker")

func claim(string) (string, error) { return "", errUnsupported }

func listen(string) (*net.TCPListener, error) { return nil, errUnsupported }
