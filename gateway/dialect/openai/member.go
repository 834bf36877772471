package openai

// member is the set of top-level members seen.
type member uint16

const (
	memberModel member = 1 << iota
	memberStream
	memberOptions
	memberMax
	memberMaxCompletion
	memberN
	memberUser
	memberMessages
	memberInput
	memberTools
	memberOther member = 0
)

// once is the members that must not repeat, with their names.
const once = memberModel | memberStream | memberOptions | memberMax | memberMaxCompletion | memberN

var memberNames = [...]string{"model", "stream", "stream_options", "max_tokens", "max_completion_tokens", "n"}

func nameOf(m member) string {
	for i, s := range memberNames {
		if m == 1<<i {
			return s
		}
	}
	return ""
}

func memberOf(k []byte) member {
	switch len(k) {
	case 1:
		if k[0] == 'n' {
			return memberN
		}
	case 4:
		if string(k) == "user" {
			return memberUser
		}
	case 5:
		switch string(k) {
		case "model":
			return memberModel
		case "input":
			return memberInput
		case "tools":
			return memberTools
		}
	case 6:
		if string(k) == "stream" {
			return memberStream
		}
	case 8:
		if string(k) == "messages" {
			return memberMessages
		}
	case 9:
		if string(k) == "functions" {
			return memberTools
		}
	case 10:
		if string(k) == "max_tokens" {
			return memberMax
		}
	case 14:
		if string(k) == "stream_options" {
			return memberOptions
		}
	case 21:
		if string(k) == "max_completion_tokens" {
			return memberMaxCompletion
		}
	}
	return memberOther
}

// longestName bounds the decoding of names that have escapes: a name that is
// longer cannot be one of ours. Each of its characters may take six bytes.
const longestName = len("max_completion_tokens")
