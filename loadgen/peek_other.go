//go:build !unix

package loadgen

import "net"

// peerIdle cannot look without waiting here, so it supposes that an idle
// connection is still good. If the server closed it meanwhile, the next
// request on it counts as reset.
func peerIdle(net.Conn) bool { return true }
