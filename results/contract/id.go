package contract

// A request id of the lab is 16 lower-case hexadecimal digits of a uint64,
// sent as X-Request-Id (join: header) or in the body's "user" field (join:
// body). 0 is never used, so it can mean "no id".

// IDLen is the length of an encoded id in bytes.
const IDLen = 16

// HeaderRequestID carries the id when join is "header".
const HeaderRequestID = "X-Request-Id"

const hexDigits = "0123456789abcdef"

// PutID writes id as 16 hexadecimal digits to dst[:16].
func PutID(dst []byte, id uint64) {
	_ = dst[IDLen-1]
	for i := IDLen - 1; i >= 0; i-- {
		dst[i] = hexDigits[id&15]
		id >>= 4
	}
}

// ParseID reads what PutID wrote. It reports false for anything else.
func ParseID(b []byte) (uint64, bool) {
	if len(b) != IDLen {
		return 0, false
	}
	var id uint64
	for _, c := range b {
		switch {
		case '0' <= c && c <= '9':
			id = id<<4 | uint64(c-'0')
		case 'a' <= c && c <= 'f':
			id = id<<4 | uint64(c-'a'+10)
		default:
			return 0, false
		}
	}
	return id, id != 0
}

// MakeID builds the id of request seq (from 0) of generator run nonce. Two
// runs with different nonces share no id while each sends fewer than 2^40
// requests.
func MakeID(nonce uint32, seq uint64) uint64 {
	return uint64(nonce&0xffffff|0x800000)<<40 | seq&(1<<40-1)
}
