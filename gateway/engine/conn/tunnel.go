package conn

import (
	"errors"
	"fmt"
	"io"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/wire"
)

// maxTunnelHead bounds a proxy's answer to CONNECT, in bytes.
const maxTunnelHead = 16 << 10

var errTunnelTalks = errors.New("proxy: bytes behind the answer to CONNECT, before anything was asked of the endpoint")

// tunnel asks the proxy at the other end of c to connect to the endpoint (RFC
// 9110, 9.3.6). After it, c leads there. The head is read a byte at a time: what
// follows it belongs to the endpoint, and a new connection is rare.
func tunnel(c io.ReadWriter, ep *exchange.Endpoint) error {
	ask := "CONNECT " + ep.Host + " HTTP/1.1\r\nHost: " + ep.Host + "\r\n"
	if ep.ProxyAuth != "" {
		ask += "Proxy-Authorization: " + ep.ProxyAuth + "\r\n"
	}
	if _, err := io.WriteString(c, ask+"\r\n"); err != nil {
		return fmt.Errorf("proxy: %w", err)
	}
	head := make([]byte, 0, 512)
	for {
		head = append(head, 0)
		if _, err := io.ReadFull(c, head[len(head)-1:]); err != nil {
			if len(head) > 1 && err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("proxy: read its answer to CONNECT: %w", err)
		}
		if head[len(head)-1] != '\n' {
			if len(head) == maxTunnelHead {
				return fmt.Errorf("proxy: its answer to CONNECT is longer than %d bytes", maxTunnelHead)
			}
			continue
		}
		var res wire.Response
		// A 2xx answer to CONNECT has no body, whatever it says.
		n, err := res.Parse(head, wire.Limits{Bytes: maxTunnelHead}, true)
		switch {
		case err != nil:
			return fmt.Errorf("proxy: its answer to CONNECT: %w", err)
		case n == 0:
			continue
		case n != len(head):
			return errTunnelTalks
		case res.Interim():
			head = head[:0]
			continue
		case res.Status < 200 || res.Status > 299:
			return fmt.Errorf("proxy: refused CONNECT to %s with status %d", ep.Host, res.Status)
		}
		return nil
	}
}
