package wire

// Kind is how a body is framed.
type Kind uint8

const (
	BodyNone    Kind = iota
	BodyLength       // as many bytes as Content-Length says
	BodyChunked      // to the last chunk and its trailers
	BodyClose        // to the end of the connection; answers only
)

// Bounds of what a chunked body may carry beside its data. Extensions and
// trailers are read over, never passed on.
const (
	maxExtensionBytes = 64 << 10 // of one body
	maxTrailerBytes   = 8 << 10
	maxSizeDigits     = 15
)

type chunkState uint8

const (
	sizeFirst chunkState = iota // at the first digit of a size
	size                        // after it
	extension                   // after ';'
	sizeLF                      // after the CR of a size line
	chunkData                   // inside the data
	dataCR                      // after the data
	dataLF                      // after the CR behind the data
	lineFirst                   // at the first byte of a trailer line
	lineName                    // inside its name
	lineValue                   // after its colon
	lineLF                      // after its CR
	finalLF                     // after the CR of the empty line
	finished
)

// Body takes the framing off a body that arrives in pieces.
type Body struct {
	kind   Kind
	state  chunkState
	digits int
	spare  int   // bytes of extensions, then of trailers
	left   int64 // bytes to come: of the body, or of this chunk
	done   bool
}

// Reset begins a body; length is used with BodyLength.
func (d *Body) Reset(kind Kind, length int64) {
	*d = Body{kind: kind}
	if kind == BodyLength {
		d.left = length
	}
	d.done = kind == BodyNone || kind == BodyLength && length == 0
}

// Done reports whether the body has been read whole.
func (d *Body) Done() bool { return d.done }

// Left is the number of bytes that are still to come of a body of known
// length, -1 when it is not known.
func (d *Body) Left() int64 {
	if d.kind > BodyLength {
		return -1
	}
	return d.left
}

// Close is told that the connection has ended. It returns nil when that, or
// what came before it, was the end of the body.
func (d *Body) Close() error {
	if d.done || d.kind == BodyClose {
		d.done = true
		return nil
	}
	return errShortBody
}

// Decode reads framing and data from b. It returns the data, one slice of b
// however many chunks it came in (they are moved together in place), and the
// number of bytes that belong to this body; what follows belongs to the next
// message. Decode reads all of b or up to the end of the body; data that came
// before an error is returned with it.
func (d *Body) Decode(b []byte) (data []byte, n int, err error) {
	switch {
	case d.done:
		return nil, 0, nil
	case d.kind == BodyLength:
		n = len(b)
		if int64(n) >= d.left {
			n = int(d.left)
			d.done = true
		}
		d.left -= int64(n)
		return b[:n], n, nil
	case d.kind == BodyClose:
		return b, len(b), nil
	}
	return d.chunked(b)
}

func (d *Body) chunked(b []byte) (data []byte, i int, err error) {
	start, end := 0, 0 // the data so far is b[start:end]
	for i < len(b) && d.state != finished {
		if d.state == chunkData {
			k := len(b) - i
			if int64(k) > d.left {
				k = int(d.left)
			}
			switch {
			case start == end:
				start, end = i, i
			case end != i:
				copy(b[end:], b[i:i+k])
			}
			end += k
			i += k
			if d.left -= int64(k); d.left == 0 {
				d.state = dataCR
			}
			continue
		}
		if err := d.framing(b[i]); err != nil {
			return b[start:end], i, err
		}
		i++
	}
	d.done = d.state == finished
	return b[start:end], i, nil
}

// framing takes one byte that is not data.
func (d *Body) framing(c byte) *Error {
	switch d.state {
	case sizeFirst, size:
		if v := unhex(c); v >= 0 {
			if d.digits++; d.digits > maxSizeDigits {
				return errChunkSize
			}
			d.left, d.state = d.left<<4|int64(v), size
			return nil
		}
		switch {
		case d.state == sizeFirst:
			return errChunkSize
		case c == '\r':
			d.state = sizeLF
		case c == ';':
			d.state = extension
		default:
			return errChunkSize
		}
	case extension:
		if d.spare++; d.spare > maxExtensionBytes {
			return errChunkExt
		}
		switch {
		case c == '\r':
			d.state = sizeLF
		case c < 0x20 && c != '\t' || c == 0x7f:
			return errChunkExt
		}
	case sizeLF:
		if c != '\n' {
			return errChunkSize
		}
		d.digits = 0
		if d.state = chunkData; d.left == 0 {
			d.state, d.spare = lineFirst, 0
		}
	case dataCR:
		if c != '\r' {
			return errChunkEnd
		}
		d.state = dataLF
	case dataLF:
		if c != '\n' {
			return errChunkEnd
		}
		d.state = sizeFirst
	default:
		return d.trailer(c)
	}
	return nil
}

// trailer takes one byte behind the last chunk.
func (d *Body) trailer(c byte) *Error {
	if d.spare++; d.spare > maxTrailerBytes {
		return errTrailer
	}
	switch d.state {
	case lineFirst:
		switch {
		case c == '\r':
			d.state = finalLF
		case class[c]&classToken != 0:
			d.state = lineName
		default:
			return errTrailer
		}
	case lineName:
		switch {
		case c == ':':
			d.state = lineValue
		case class[c]&classToken == 0:
			return errTrailer
		}
	case lineValue:
		switch {
		case c == '\r':
			d.state = lineLF
		case c < 0x20 && c != '\t' || c == 0x7f:
			return errTrailer
		}
	case lineLF:
		if c != '\n' {
			return errTrailer
		}
		d.state = lineFirst
	case finalLF:
		if c != '\n' {
			return errTrailer
		}
		d.state = finished
	}
	return nil
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
