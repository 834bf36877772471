package openai

import "unicode/utf8"

// escape is the length of the escape sequence at b[i], or 0 when it is none.
func escape(b []byte, i int) int {
	if i+1 >= len(b) {
		return 0
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if i+6 > len(b) {
			return 0
		}
		for _, c := range b[i+2 : i+6] {
			if hex(c) < 0 {
				return 0
			}
		}
		return 6
	}
	return 0
}

func hex(c byte) int {
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

// lowSurrogate tells from the first two digits of \uXXXX whether it is the
// second half of a pair, DC00 to DFFF.
func lowSurrogate(a, b byte) bool { return a|0x20 == 'd' && hex(b) >= 0xC }

// unescape appends the text of the inside of a valid JSON string to dst.
func unescape(dst, s []byte) []byte {
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			dst = append(dst, s[i])
			i++
			continue
		}
		n := escape(s, i)
		if n == 0 {
			return dst // not a valid string
		}
		if n == 2 {
			dst = append(dst, plainEscape(s[i+1]))
			i += 2
			continue
		}
		u := unit(s[i+2:])
		i += 6
		if 0xD800 <= u && u < 0xDC00 && escape(s, min(i, len(s))) == 6 {
			if low := unit(s[i+2:]); 0xDC00 <= low && low < 0xE000 {
				dst = utf8.AppendRune(dst, 0x10000+(u-0xD800)<<10+(low-0xDC00))
				i += 6
				continue
			}
		}
		dst = utf8.AppendRune(dst, u) // a lone surrogate becomes U+FFFD
	}
	return dst
}

// plainEscape is the character that \c stands for.
func plainEscape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// unit is the value of four hexadecimal digits.
func unit(s []byte) rune {
	return rune(hex(s[0])<<12 | hex(s[1])<<8 | hex(s[2])<<4 | hex(s[3]))
}
