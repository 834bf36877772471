package child

import (
	"fmt"
	"net"
)

// FreeAddr is a loopback address that was free a moment ago, for a child to
// listen on.
func FreeAddr() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	addr := ln.Addr().String()
	return addr, ln.Close()
}
