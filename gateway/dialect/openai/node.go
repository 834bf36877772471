package openai

// node is where in an answer an open bracket stands.
type node uint8

const (
	nodeOther node = iota // nothing below it is read
	nodeRoot
	nodeChoices
	nodeChoice
	nodeDelta // delta of a chunk, message of an answer
	nodeParts // content given as a list of parts
	nodePart
	nodeCalls
	nodeCall
	nodeFunction
	nodeUsage
	nodePromptDetails
	nodeOutputDetails
	nodeGroq // x_groq: Groq's place for usage
)

// want is what the value that comes next is read for.
type want uint8

const (
	wantNone want = iota
	wantRoot
	wantChoices
	wantDelta
	wantFinish
	wantText
	wantChoiceText  // text of a legacy completion, which some send beside the delta
	wantReason      // reasoning_content
	wantReasonOther // reasoning: some providers send both, with the same text
	wantCalls
	wantIndex
	wantCallID
	wantFunction
	wantCallName
	wantArguments
	wantUsage
	wantPrompt
	wantOutput
	wantTotal
	wantPromptDetails
	wantOutputDetails
	wantCached
	wantReasoningTok
	wantError
	wantGroq
)

// maxName is the longest member name that is told apart.
const maxName = len("completion_tokens_details")

// member is what the member k of an object at n is read for.
func (n node) member(k []byte) want {
	switch n {
	case nodeRoot:
		switch string(k) {
		case "choices":
			return wantChoices
		case "usage":
			return wantUsage
		case "error":
			return wantError
		case "x_groq":
			return wantGroq
		}
	case nodeChoice:
		switch string(k) {
		case "delta", "message":
			return wantDelta
		case "index":
			return wantIndex
		case "finish_reason":
			return wantFinish
		case "text":
			return wantChoiceText
		case "usage":
			return wantUsage
		}
	case nodeDelta:
		switch string(k) {
		case "content", "refusal":
			return wantText
		case "reasoning_content":
			return wantReason
		case "reasoning":
			return wantReasonOther
		case "tool_calls":
			return wantCalls
		case "function_call":
			return wantFunction
		}
	case nodePart:
		switch string(k) {
		case "text", "thinking":
			return wantText
		}
	case nodeCall:
		switch string(k) {
		case "index":
			return wantIndex
		case "id":
			return wantCallID
		case "function":
			return wantFunction
		}
	case nodeFunction:
		switch string(k) {
		case "name":
			return wantCallName
		case "arguments":
			return wantArguments
		}
	case nodeUsage:
		switch string(k) {
		case "prompt_tokens":
			return wantPrompt
		case "completion_tokens":
			return wantOutput
		case "total_tokens":
			return wantTotal
		case "prompt_tokens_details":
			return wantPromptDetails
		case "completion_tokens_details":
			return wantOutputDetails
		}
	case nodePromptDetails:
		if string(k) == "cached_tokens" {
			return wantCached
		}
	case nodeOutputDetails:
		if string(k) == "reasoning_tokens" {
			return wantReasoningTok
		}
	case nodeGroq:
		if string(k) == "usage" {
			return wantUsage
		}
	}
	return wantNone
}

// object is the node of an object that is read for w.
func (w want) object() node {
	switch w {
	case wantRoot:
		return nodeRoot
	case wantDelta:
		return nodeDelta
	case wantFunction:
		return nodeFunction
	case wantUsage:
		return nodeUsage
	case wantPromptDetails:
		return nodePromptDetails
	case wantOutputDetails:
		return nodeOutputDetails
	case wantGroq:
		return nodeGroq
	}
	return nodeOther
}

// array is the node of an array that is read for w.
func (w want) array() node {
	switch w {
	case wantChoices:
		return nodeChoices
	case wantCalls:
		return nodeCalls
	case wantText:
		return nodeParts
	}
	return nodeOther
}

// element is the node of an object that is an element of the array n.
func (n node) element() node {
	switch n {
	case nodeChoices:
		return nodeChoice
	case nodeCalls:
		return nodeCall
	case nodeParts:
		return nodePart
	}
	return nodeOther
}
