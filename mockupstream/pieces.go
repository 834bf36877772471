package mockupstream

import "unicode/utf8"

// pieces are the texts of the content frames.
func (s *Script) pieces() []string {
	f := s.filled()
	out := make([]string, 0, max(f.Frames, 0))
	if f.Text == "" {
		for i := range f.Frames {
			out = append(out, frameText(i))
		}
		return out
	}
	// Character c of n belongs to piece c·frames/n, so that lengths differ by
	// one at most and no character is cut.
	n, rest := utf8.RuneCountInString(f.Text), f.Text
	for i := range f.Frames {
		size := 0
		for range (i+1)*n/f.Frames - i*n/f.Frames {
			_, w := utf8.DecodeRuneInString(rest[size:])
			size += w
		}
		out = append(out, rest[:size])
		rest = rest[size:]
	}
	return out
}

// frameText is four ASCII characters that differ between any two frames of a
// stream: a letter for the thousands, from t on, and three digits. Four,
// because estimators of token counts take four characters for one token.
func frameText(i int) string {
	letter := byte('a' + ('t'-'a'+i/1000)%26)
	return string([]byte{letter, byte('0' + i/100%10), byte('0' + i/10%10), byte('0' + i%10)})
}
