package micro

import (
	"fmt"
	"strings"
)

// sizes are the bodies of the suites: one short question, a thread, a context
// near the largest that clients send.
var sizes = []struct {
	name  string
	bytes int
}{{"90B", 90}, {"6KB", 6 << 10}, {"52KB", 52 << 10}, {"200KB", 200 << 10}}

// chatBody is a chat request of about n bytes: turns of plain prose with the
// quotes and line ends that prose has.
func chatBody(n int, stream bool) []byte {
	const turn = `A gateway stands between a client and a model.\nIt reads \"model\", counts, and passes the rest on as it came. `
	var b strings.Builder
	b.WriteString(`{"model":"bench","messages":[{"role":"user","content":"`)
	tail := `"}]`
	if stream {
		tail += `,"stream":true`
	}
	tail += "}"
	for i := 1; b.Len()+len(tail) < n; i++ {
		if i%8 == 0 {
			role := []string{"user", "assistant"}[i/8%2]
			fmt.Fprintf(&b, `"},{"role":%q,"content":"`, role)
			continue
		}
		b.WriteString(turn[:min(len(turn)-1, max(4, n-b.Len()-len(tail)))])
	}
	if s := b.String(); strings.HasSuffix(s, `\`) {
		b.WriteString("n")
	}
	b.WriteString(tail)
	return []byte(b.String())
}

// streamAnswer is an SSE answer of so many content frames of four characters,
// with its usage frame and terminator.
func streamAnswer(frames int) []byte {
	var b strings.Builder
	frame := func(delta, finish, rest string) {
		fmt.Fprintf(&b, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"bench","choices":[{"index":0,"delta":%s,"finish_reason":%s}]%s}`+"\n\n", delta, finish, rest)
	}
	frame(`{"role":"assistant","content":""}`, "null", "")
	for i := range frames {
		frame(fmt.Sprintf(`{"content":"t%03d"}`, i), "null", "")
	}
	frame(`{}`, `"stop"`, "")
	fmt.Fprintf(&b, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"bench","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":%d,"total_tokens":%d}}`+"\n\ndata: [DONE]\n\n", frames, frames+7)
	return []byte(b.String())
}
