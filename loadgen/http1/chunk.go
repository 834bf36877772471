package http1

// readChunkFraming consumes what stands between the data of two chunks: the
// CRLF after data, a size line, and after the last chunk the trailer.
func (p *Parser) readChunkFraming(b []byte) (int, error) {
	for i, c := range b {
		switch p.state {
		case inChunkCR:
			if c != '\r' {
				return i, syntax("byte %q after a chunk's data", c)
			}
			p.state = inChunkLF
		case inChunkLF:
			if c != '\n' {
				return i, syntax("byte %q after a chunk's data", c)
			}
			p.state = inChunkSize
		case inChunkSize:
			if err := p.readSizeByte(c); err != nil {
				return i, err
			}
		case inChunkExt:
			if p.line++; p.line > maxLine {
				return i, syntax("chunk-size line is longer than %d bytes", maxLine)
			}
			switch c {
			case '\r':
				p.state = inChunkSizeLF
			case '\n':
				return i, syntax("chunk-size line ends in LF without CR")
			}
		case inChunkSizeLF:
			if c != '\n' {
				return i, syntax("byte %q after the CR of a chunk-size line", c)
			}
			p.digits, p.line = 0, 0
			if p.left > 0 {
				p.state = inChunkData
				return i + 1, nil
			}
			p.state = inTrailer
		case inTrailer:
			if err := p.readTrailerByte(c); err != nil || p.state == done {
				return i + 1, err
			}
		}
	}
	return len(b), nil
}

func (p *Parser) readSizeByte(c byte) error {
	digit := int64(0)
	switch {
	case '0' <= c && c <= '9':
		digit = int64(c - '0')
	case 'a' <= c && c <= 'f':
		digit = int64(c-'a') + 10
	case 'A' <= c && c <= 'F':
		digit = int64(c-'A') + 10
	case p.digits > 0 && c == ';':
		p.state = inChunkExt
		return nil
	case p.digits > 0 && c == '\r':
		p.state = inChunkSizeLF
		return nil
	default:
		return syntax("byte %q in a chunk size", c)
	}
	if p.digits++; p.digits > 16 {
		return syntax("chunk size has more than 16 digits")
	}
	if p.left = p.left<<4 | digit; p.left > maxChunk {
		return syntax("chunk size is above %d", int64(maxChunk))
	}
	return nil
}

// readTrailerByte ends the answer at the first empty line. What the trailer
// says is not used.
func (p *Parser) readTrailerByte(c byte) error {
	if p.extra++; p.extra > MaxHead {
		return syntax("trailer is longer than %d bytes", MaxHead)
	}
	switch {
	case p.wasCR && c != '\n':
		return syntax("byte %q after a CR in the trailer", c)
	case p.wasCR:
		p.wasCR = false
		if p.line == 0 {
			p.state = done
		}
		p.line = 0
	case c == '\r':
		p.wasCR = true
	case c == '\n':
		return syntax("trailer line ends in LF without CR")
	default:
		p.line++
	}
	return nil
}
