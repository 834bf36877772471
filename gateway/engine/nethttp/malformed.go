package nethttp

import "strings"

// malformed tells a head that does not parse from a connection that ended: the
// standard transport gives the first no type of its own, only words.
func malformed(err error) bool {
	s := err.Error()
	for _, words := range []string{
		"malformed HTTP", "malformed MIME", "bad Content-Length", "unsupported transfer encoding",
		"too many transfer encodings", "multiple Content-Length", "Content-Lengths", "invalid Content-Length",
	} {
		if strings.Contains(s, words) {
			return true
		}
	}
	return false
}
