package http1

import "bytes"

// Framing facts that a head's lines add up to.
type framing struct {
	minor      byte // of HTTP/1.x
	length     int64
	hasLength  bool
	chunked    bool
	saysClose  bool
	saysKeepOn bool
}

// parseHead reads a head whose every line ends in CRLF, without the empty one.
func (p *Parser) parseHead(h []byte) error {
	line, rest, err := cutLine(h)
	if err != nil {
		return err
	}
	var f framing
	status, err := parseStatusLine(line, &f)
	if err != nil {
		return err
	}
	p.Head = Head{Status: status, Length: -1}
	for len(rest) > 0 {
		if line, rest, err = cutLine(rest); err != nil {
			return err
		}
		if err := p.parseField(line, &f); err != nil {
			return err
		}
	}
	return p.settle(&f)
}

// settle turns the collected facts into the way the body is read.
func (p *Parser) settle(f *framing) error {
	status := p.Head.Status
	if status < 200 {
		if status == 101 {
			return syntax("answer 101 to a request that asked for no upgrade")
		}
		if p.hints++; p.hints > maxHints {
			return syntax("more than %d interim answers", maxHints)
		}
		p.Head = Head{}
		return nil // the final answer's head follows
	}
	if f.minor == 1 {
		p.Head.KeepAlive = !f.saysClose
	} else {
		p.Head.KeepAlive = f.saysKeepOn && !f.saysClose
	}
	switch {
	case f.chunked && f.hasLength:
		return syntax("both Transfer-Encoding and Content-Length")
	case f.chunked && f.minor == 0:
		return syntax("Transfer-Encoding in an HTTP/1.0 answer")
	case p.noBody || status == 204 || status == 304:
		p.Head.Length = 0
		p.state = done
	case f.chunked:
		p.state = inChunkSize
	case f.hasLength:
		p.Head.Length, p.left = f.length, f.length
		if p.state = inBody; f.length == 0 {
			p.state = done
		}
	default:
		p.state = untilClose
		p.Head.KeepAlive = false
	}
	return nil
}

func parseStatusLine(line []byte, f *framing) (int, error) {
	const form = "HTTP/1.x nnn"
	if len(line) < len(form) || string(line[:7]) != "HTTP/1." || line[7] != '0' && line[7] != '1' || line[8] != ' ' {
		return 0, syntax("status line %q", clip(line))
	}
	f.minor = line[7] - '0'
	status := 0
	for _, c := range line[9:12] {
		if c < '0' || c > '9' {
			return 0, syntax("status line %q", clip(line))
		}
		status = status*10 + int(c-'0')
	}
	if status < 100 || len(line) > 12 && line[12] != ' ' {
		return 0, syntax("status line %q", clip(line))
	}
	return status, nil
}

func (p *Parser) parseField(line []byte, f *framing) error {
	colon := bytes.IndexByte(line, ':')
	if colon <= 0 {
		return syntax("header line %q", clip(line))
	}
	name := line[:colon]
	for _, c := range name {
		if !isToken[c] {
			return syntax("header name %q", clip(name))
		}
	}
	// The length singles out the few names that matter.
	switch len(name) {
	case len("content-length"):
		if foldEqual(name, "content-length") {
			return f.setLength(trim(line[colon+1:]))
		}
	case len("transfer-encoding"):
		if foldEqual(name, "transfer-encoding") {
			if f.chunked || !foldEqual(trim(line[colon+1:]), "chunked") {
				return syntax("Transfer-Encoding %q", clip(trim(line[colon+1:])))
			}
			f.chunked = true
			return nil
		}
	case len("connection"):
		if foldEqual(name, "connection") {
			f.setConnection(line[colon+1:])
			return nil
		}
	}
	if p.Mark != "" && len(name) == len(p.Mark) && foldEqual(name, p.Mark) {
		p.Head.Marked = true
		p.Head.Mark = p.mark[:copy(p.mark[:], trim(line[colon+1:]))]
	}
	return nil
}

func (f *framing) setLength(v []byte) error {
	var n int64
	for _, c := range v {
		if c < '0' || c > '9' {
			return syntax("Content-Length %q", clip(v))
		}
		if n = n*10 + int64(c-'0'); n > maxChunk {
			return syntax("Content-Length %q is too large", clip(v))
		}
	}
	if len(v) == 0 || f.hasLength && n != f.length {
		return syntax("Content-Length %q", clip(v))
	}
	f.hasLength, f.length = true, n
	return nil
}

func (f *framing) setConnection(v []byte) {
	for len(v) > 0 {
		option := v
		if i := bytes.IndexByte(v, ','); i >= 0 {
			option, v = v[:i], v[i+1:]
		} else {
			v = nil
		}
		switch option = trim(option); {
		case foldEqual(option, "close"):
			f.saysClose = true
		case foldEqual(option, "keep-alive"):
			f.saysKeepOn = true
		}
	}
}

// cutLine takes the first line off h, whose lines end in CRLF.
func cutLine(h []byte) (line, rest []byte, err error) {
	i := bytes.IndexByte(h, '\n')
	if i < 1 || h[i-1] != '\r' {
		return nil, nil, syntax("head line ends in LF without CR")
	}
	line, rest = h[:i-1], h[i+1:]
	if bytes.IndexByte(line, '\r') >= 0 || bytes.IndexByte(line, 0) >= 0 {
		return nil, nil, syntax("CR or NUL inside head line %q", clip(line))
	}
	return line, rest, nil
}
