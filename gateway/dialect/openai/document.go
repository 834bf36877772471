package openai

// document is the reading of one JSON text.
type document struct {
	stack      [12]node // open brackets that are read
	depth      int      // how many
	isArray    uint16   // bit per depth
	skip       int      // open brackets of a value that is not read
	state      docState
	key        bool // the next string is a member's name
	want       want
	str        strKind
	esc        uint8 // inside an escape: 1 after the backslash, 2 to 5 hexadecimal digits
	unit       rune  // the \u escape that is read
	high       rune  // a first surrogate that waits for its second
	nameLen    int   // bytes kept of a name or value; maxName+1: too long
	name       [maxName]byte
	number     int64
	notInteger bool

	chars, text, reason, reasonOther int64
	hasChoice, hasUsage, failed      bool
	begun                            bool // some byte of it was seen
	hasText                          bool // a text that counts began
	effect                           bool // it told something beyond one text
}

type docState uint8

const (
	docBetween docState = iota
	docString
	docToken // number or word
)

// strKind says what the string that is read is for.
type strKind uint8

const (
	strSkip strKind = iota
	strName
	strCount
	strKeep // the bytes of a short value
)
