package logstore

import (
	"bytes"
	"unicode/utf8"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// cleanID makes the request id text that every store takes: a client chose
// it, and PostgreSQL refuses invalid UTF-8 and NUL, with the whole batch.
func cleanID(r *logrow.Row) {
	id := r.ID()
	for _, c := range id {
		if c < 0x20 || c >= 0x7f {
			r.SetID(cleanText(id))
			return
		}
	}
}

// cleanText replaces each control byte and each run of invalid UTF-8 by '?'.
func cleanText(id []byte) []byte {
	out := bytes.ToValidUTF8(id, []byte{'?'})
	for i, c := range out {
		if c < 0x20 || c == 0x7f {
			out[i] = '?'
		}
	}
	// SetID cuts at a byte: never inside a character.
	for len(out) > logrow.MaxRequestID || !utf8.Valid(out) {
		out = out[:len(out)-1]
	}
	return out
}
