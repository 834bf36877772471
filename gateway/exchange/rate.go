package exchange

import (
	"strconv"

	"github.com/tollgate-lab/tollgate/gateway/admission"
)

var (
	nameLimitRequests     = []byte("x-ratelimit-limit-requests")
	nameRemainingRequests = []byte("x-ratelimit-remaining-requests")
	nameResetRequests     = []byte("x-ratelimit-reset-requests")
	nameLimitTokens       = []byte("x-ratelimit-limit-tokens")
	nameRemainingTokens   = []byte("x-ratelimit-remaining-tokens")
	nameResetTokens       = []byte("x-ratelimit-reset-tokens")
)

// setRate keeps what the rate-limit fields tell.
func (x *Exchange) setRate(r admission.Rate) {
	x.rate = r
	x.rated = r.LimitRequests > 0 || r.LimitTokens > 0
}

// addRate adds the rate-limit fields of the limits that are set.
func (x *Exchange) addRate() {
	if !x.rated {
		return
	}
	r := &x.rate
	if r.LimitRequests > 0 {
		x.fields = append(x.fields,
			Field{nameLimitRequests, x.integer(r.LimitRequests)},
			Field{nameRemainingRequests, x.integer(max(0, r.RemainingRequests))},
			Field{nameResetRequests, x.duration(r.ResetRequestsNs)})
	}
	if r.LimitTokens > 0 {
		x.fields = append(x.fields,
			Field{nameLimitTokens, x.integer(r.LimitTokens)},
			Field{nameRemainingTokens, x.integer(max(0, r.RemainingTokens))},
			Field{nameResetTokens, x.duration(r.ResetTokensNs)})
	}
}

func (x *Exchange) integer(n int64) []byte {
	at := len(x.arena)
	x.arena = strconv.AppendInt(x.arena, n, 10)
	return x.arena[at:len(x.arena):len(x.arena)]
}

func (x *Exchange) duration(ns int64) []byte {
	at := len(x.arena)
	x.arena = appendDuration(x.arena, ns)
	return x.arena[at:len(x.arena):len(x.arena)]
}

// appendDuration appends a time in OpenAI's form, rounded up to milliseconds:
// "20ms", "1s", "1.5s", "6m0s", "1h0m0.25s".
func appendDuration(dst []byte, ns int64) []byte {
	const ms, second, minute, hour = int64(1e6), int64(1e3), int64(60e3), int64(3600e3)
	n := max(0, ns) / ms
	if ns > n*ms {
		n++
	}
	if n < second {
		if n == 0 {
			return append(dst, "0s"...)
		}
		dst = strconv.AppendInt(dst, n, 10)
		return append(dst, "ms"...)
	}
	if n >= hour {
		dst = strconv.AppendInt(dst, n/hour, 10)
		dst = append(dst, 'h')
	}
	if n >= minute {
		dst = strconv.AppendInt(dst, n%hour/minute, 10)
		dst = append(dst, 'm')
	}
	dst = strconv.AppendInt(dst, n%minute/second, 10)
	if f := n % second; f != 0 {
		digits := [4]byte{'.', byte('0' + f/100), byte('0' + f/10%10), byte('0' + f%10)}
		end := len(digits)
		for digits[end-1] == '0' {
			end--
		}
		dst = append(dst, digits[:end]...)
	}
	return append(dst, 's')
}

// seconds is a time in whole seconds, rounded up, at least 1.
func seconds(ns int64) int64 {
	const second = int64(1e9)
	return max(1, ns/second+min(1, ns%second))
}
