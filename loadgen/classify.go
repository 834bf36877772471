package loadgen

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/tollgate-lab/tollgate/loadgen/http1"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// markGatewayError is the header that the gateway adds to errors of its own
// making, in lower case. Its value is the reason.
const markGatewayError = "x-tollgate-error"

// classifyStatus gives the outcome that a status alone decides. ok says that
// it is a success, whose body decides.
func classifyStatus(status int, gatewayMade bool) (o contract.Outcome, ok bool) {
	switch {
	case status >= 200 && status < 300:
		return contract.Answered, true
	case status == 400 || status == 401 || status == 403 || status == 413 || status == 429:
		return contract.Rejected, false
	case gatewayMade:
		return contract.GatewayError, false
	}
	return contract.UpstreamError, false
}

// classifyBroken gives the outcome of a request whose answer did not come
// whole. begun says that a byte of it came; left that the client was told to
// stop.
func classifyBroken(err error, begun, left bool) contract.Outcome {
	switch {
	case left:
		return contract.ClientAborted
	case isTimeout(err):
		return contract.Timeout
	case !begun:
		return contract.Reset
	case errors.Is(err, http1.ErrSyntax):
		return contract.BadStream
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), isDisconnect(err):
		return contract.ShortBody
	}
	// net/http has no error value of its own for malformed framing.
	return contract.BadStream
}

// classifyDial gives the outcome of a request for which no connection could
// be had. rig says that this host lacks ports or descriptors: then nothing
// was asked of the target.
func classifyDial(err error, left bool) (o contract.Outcome, rig bool) {
	switch {
	case left:
		return contract.ClientAborted, false
	case isExhausted(err):
		return contract.Unsent, true
	case isTimeout(err):
		return contract.Timeout, false
	}
	return contract.Refused, false
}

func isTimeout(err error) bool {
	var ne net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) ||
		errors.As(err, &ne) && ne.Timeout()
}

func isDisconnect(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, syscall.ECONNABORTED) || errors.Is(err, net.ErrClosed) ||
		// Windows has numbers of its own for a reset; its text is stable.
		strings.Contains(err.Error(), "forcibly closed")
}

func isExhausted(err error) bool {
	return errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EMFILE) ||
		errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOBUFS) || errors.Is(err, syscall.ENOMEM)
}
