package wire

import (
	"bytes"
	"strings"
	"testing"
)

func TestChunked(t *testing.T) {
	for _, c := range []struct{ story, in, data, rest, err string }{
		{"three chunks in one slice", "1\r\na\r\n2\r\nbc\r\n0A\r\n0123456789\r\n0\r\n\r\n", "abc0123456789", "", ""},
		{"the next message is left", "1\r\na\r\n0\r\n\r\nGET /", "a", "GET /", ""},
		{"extensions are read over", "1;a=\"b\"\r\na\r\n0;x\r\n\r\n", "a", "", ""},
		{"trailers are read over", "0\r\nX-A: b\r\nY:\r\n\r\n", "", "", ""},
		{"bare LF behind the size", "1\na\r\n0\r\n\r\n", "", "", "chunk size"},
		{"space behind the size", "1 \r\na\r\n0\r\n\r\n", "", "", "chunk size"},
		{"0x", "0x1\r\na\r\n0\r\n\r\n", "", "", "chunk size"},
		{"negative", "-1\r\na\r\n0\r\n\r\n", "", "", "chunk size"},
		{"no size", "\r\na\r\n", "", "", "chunk size"},
		{"size overflows", "1000000000000000\r\n", "", "", "chunk size"},
		{"data too long", "1\r\nab\r\n0\r\n\r\n", "a", "", "CRLF"},
		{"bare LF behind the data", "1\r\na\n0\r\n\r\n", "a", "", "CRLF"},
		{"bare LF in an extension", "1;a\nb\r\na\r\n", "", "", "extension"},
		{"extension too long", "1;" + strings.Repeat("a", 70000) + "\r\na\r\n0\r\n\r\n", "", "", "extension"},
		{"trailer too long", "0\r\nX:" + strings.Repeat("a", 9000) + "\r\n\r\n", "", "", "trailer"},
		{"trailer without a colon", "0\r\nX\r\n\r\n", "", "", "trailer"},
		{"trailer folded", "0\r\nX: a\r\n b\r\n\r\n", "", "", "trailer"},
		{"bare LF as the end", "0\r\n\n", "", "", "trailer"},
		{"cut short", "5\r\nab", "ab", "", "closed inside"},
	} {
		t.Run(c.story, func(t *testing.T) {
			for step := 1; step <= len(c.in); step += max(1, len(c.in)/40) {
				data, rest, err := decodeBy(c.in, step)
				msg := ""
				if err != nil {
					msg = err.Error()
				}
				if data != c.data || rest != c.rest || (c.err == "") != (err == nil) || !strings.Contains(msg, c.err) {
					t.Fatalf("by %d bytes: data %q rest %q err %v", step, data, rest, err)
				}
			}
			if data, _, _ := decodeBy(c.in, len(c.in)); data != c.data {
				t.Errorf("whole: data %q", data)
			}
		})
	}
}

// decodeBy decodes a chunked body that arrives in pieces of step bytes.
func decodeBy(in string, step int) (data, rest string, err error) {
	var d Body
	d.Reset(BodyChunked, 0)
	for len(in) > 0 && !d.Done() {
		piece := []byte(in[:min(step, len(in))])
		got, n, err := d.Decode(piece)
		data += string(got)
		if err != nil {
			return data, "", err
		}
		in = in[n:]
	}
	return data, in, d.Close()
}

func TestLengthBody(t *testing.T) {
	var d Body
	d.Reset(BodyLength, 5)
	data, n, err := d.Decode([]byte("abc"))
	if string(data) != "abc" || n != 3 || err != nil || d.Done() || d.Left() != 2 {
		t.Fatalf("first piece: %q %d %v", data, n, err)
	}
	if d.Close() == nil {
		t.Error("a short body closed without an error")
	}
	data, n, err = d.Decode([]byte("deGET"))
	if string(data) != "de" || n != 2 || err != nil || !d.Done() {
		t.Fatalf("second piece: %q %d %v", data, n, err)
	}
}

func TestCloseBody(t *testing.T) {
	var d Body
	d.Reset(BodyClose, 0)
	if data, n, err := d.Decode([]byte("abc")); string(data) != "abc" || n != 3 || err != nil || d.Done() {
		t.Fatalf("%q %d %v", data, n, err)
	}
	if err := d.Close(); err != nil || !d.Done() {
		t.Errorf("Close: %v", err)
	}
}

// TestDecodeMovesInPlace: the data is a slice of the buffer that was read into.
func TestDecodeMovesInPlace(t *testing.T) {
	var d Body
	d.Reset(BodyChunked, 0)
	b := []byte("1\r\na\r\n1\r\nb\r\n1\r\nc\r\n")
	data, n, err := d.Decode(b)
	if err != nil || n != len(b) || !bytes.Equal(data, []byte("abc")) || &data[0] != &b[3] {
		t.Errorf("%q %d %v", data, n, err)
	}
}
