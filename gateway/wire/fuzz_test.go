package wire

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

var requestSeeds = []string{
	"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET http://a/x?y HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"POST /v1/x HTTP/1.1\r\nHost: a:1\r\nContent-Length: 3\r\n\r\nabc",
	"POST /v1/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;e=f\r\nabc\r\n0\r\nT: u\r\n\r\n",
	"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
	"GET / HTTP/1.1\nHost: a\n\n",
	"GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n",
	"GET /%41%zz HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
}

// FuzzRequest: what we accept, net/http accepts too, and reads the same.
//
// net/http refuses two things that are accepted here on purpose; none of them
// moves the end of a message. It parses the authority of an absolute-form
// target as a URL host (port digits, brackets, escapes), where we compare it
// with Host and then ignore it; and it knows a few field values (Content-Length
// of a bodiless method is kept, Trailer may not name framing fields).
func FuzzRequest(f *testing.F) {
	for _, s := range requestSeeds {
		f.Add([]byte(s), uint8(7))
	}
	f.Fuzz(func(t *testing.T, in []byte, cut uint8) {
		var r Request
		n, err := r.Parse(bytes.Clone(in), limits)
		requireSplitEqual(t, in, int(cut), n, err)
		if err != nil || n == 0 {
			return
		}
		theirs, terr := http.ReadRequest(bufio.NewReader(bytes.NewReader(in)))
		if terr != nil {
			absolute := !bytes.Contains(in[:bytes.IndexByte(in, '\n')], append([]byte(" "), r.Target...))
			if absolute || strings.HasPrefix(targetOf(in), "http") || strings.Contains(terr.Error(), "bad trailer key") {
				return
			}
			t.Fatalf("accepted here, refused there: %v", terr)
		}
		if theirs.Method != string(r.Method) || theirs.ProtoMinor != r.Minor {
			t.Fatalf("method %q minor %d, theirs %q %d", r.Method, r.Minor, theirs.Method, theirs.ProtoMinor)
		}
		if theirs.ContentLength != r.ContentLength {
			t.Fatalf("length %d, theirs %d", r.ContentLength, theirs.ContentLength)
		}
		if !strings.HasPrefix(targetOf(in), "http") && theirs.RequestURI != string(r.Target) {
			t.Fatalf("target %q, theirs %q", r.Target, theirs.RequestURI)
		}
		requireFields(t, r.Fields, theirs.Header)
		requireBody(t, in[n:], r.Body, r.ContentLength, theirs.Body)
	})
}

func targetOf(in []byte) string {
	_, rest, _ := strings.Cut(string(in), " ")
	return strings.ToLower(rest)
}

// requireSplitEqual: the head read in two pieces is the head read whole.
func requireSplitEqual(t *testing.T, in []byte, cut, n int, err error) {
	t.Helper()
	var r Request
	if cut < len(in) {
		if first, ferr := r.Parse(bytes.Clone(in[:cut]), limits); first != 0 || ferr != nil {
			if ferr == nil && first != n {
				t.Fatalf("first piece reads %d bytes, whole %d", first, n)
			}
			if ferr != nil && err == nil {
				t.Fatalf("first piece refused: %v", ferr)
			}
			return
		}
	}
	n2, err2 := r.Parse(bytes.Clone(in), limits)
	if n2 != n && err == nil || (err2 == nil) != (err == nil) && n2 != 0 {
		t.Fatalf("split at %d: %d, %v; whole: %d, %v", cut, n2, err2, n, err)
	}
}

func requireFields(t *testing.T, ours []exchange.Field, theirs http.Header) {
	t.Helper()
	for _, f := range ours {
		name := http.CanonicalHeaderKey(string(f.Name))
		switch name {
		case "Host", "Transfer-Encoding", "Trailer":
			continue // net/http takes them out
		}
		found := false
		for _, v := range theirs[name] {
			found = found || v == string(f.Value)
		}
		if !found {
			t.Fatalf("field %q: %q, theirs %q", f.Name, f.Value, theirs[name])
		}
	}
}

// requireBody: a body that we read whole, net/http reads whole and equal.
func requireBody(t *testing.T, in []byte, kind Kind, length int64, theirs io.Reader) {
	t.Helper()
	var d Body
	d.Reset(kind, length)
	data, _, err := d.Decode(bytes.Clone(in))
	if err != nil || !d.Done() {
		return
	}
	got, terr := io.ReadAll(theirs)
	if terr != nil {
		t.Fatalf("body read here, refused there: %v", terr)
	}
	if !bytes.Equal(got, data) {
		t.Fatalf("body %q, theirs %q", data, got)
	}
}

// FuzzResponse: what we accept, net/http accepts too, and reads the same.
func FuzzResponse(f *testing.F) {
	for _, s := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
		"HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
		"HTTP/1.0 404 Not Found\r\n\r\nabc",
		"HTTP/1.1 204 \r\nContent-Length: 9\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var r Response
		n, err := r.Parse(bytes.Clone(in), limits, false)
		if err != nil || n == 0 || r.Interim() {
			return
		}
		theirs, terr := http.ReadResponse(bufio.NewReader(bytes.NewReader(in)), nil)
		if terr != nil {
			if strings.Contains(terr.Error(), "bad trailer key") {
				return
			}
			t.Fatalf("accepted here, refused there: %v", terr)
		}
		if theirs.StatusCode != r.Status {
			t.Fatalf("status %d, theirs %d", r.Status, theirs.StatusCode)
		}
		if r.Body == BodyLength && theirs.ContentLength != r.ContentLength || r.Body == BodyChunked && theirs.ContentLength != -1 {
			t.Fatalf("length %d, theirs %d", r.ContentLength, theirs.ContentLength)
		}
		requireFields(t, r.Fields, theirs.Header)
		if r.Body != BodyNone {
			requireBody(t, in[n:], r.Body, r.ContentLength, theirs.Body)
		}
	})
}

// FuzzChunked: a body split at any two places is the body read whole.
func FuzzChunked(f *testing.F) {
	f.Add([]byte("1\r\na\r\n2;x=y\r\nbc\r\n0\r\nT: u\r\n\r\nrest"), uint16(3), uint16(9))
	f.Add([]byte("ffffffff\r\n"), uint16(1), uint16(2))
	f.Fuzz(func(t *testing.T, in []byte, a, b uint16) {
		whole, n, err := decodePieces(in)
		i, j := min(int(a), len(in)), min(int(b), len(in))
		if i > j {
			i, j = j, i
		}
		split, m, serr := decodePieces(in[:i], in[i:j], in[j:])
		if whole != split || n != m || (err == nil) != (serr == nil) {
			t.Fatalf("whole %q %d %v; split %q %d %v", whole, n, err, split, m, serr)
		}
	})
}

func decodePieces(pieces ...[]byte) (data string, total int, err error) {
	var d Body
	d.Reset(BodyChunked, 0)
	for _, p := range pieces {
		got, n, err := d.Decode(bytes.Clone(p))
		data += string(got)
		total += n
		if err != nil {
			return data, total, err
		}
	}
	return data, total, nil
}
