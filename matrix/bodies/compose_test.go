package bodies

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
)

// The conversation is made of sentences of a fixed frame with parts drawn from
// the lists below by a seeded generator.
var (
	who = []string{
		"the night operator", "a second reader", "the ferry company", "our smallest customer", "the archive",
		"the weather station", "an apprentice", "the harbour office", "the printing shop", "the choir",
		"the orchard", "a retired surveyor", "the observatory", "the bakery", "the bridge keeper",
	}
	does = []string{
		"counts", "records", "moves", "sorts", "repairs", "forgets", "describes", "measures", "doubles", "returns",
		"labels", "hides", "compares", "waits for", "copies",
	}
	what = []string{
		"every arrival", "three ledgers", "the long queue", "a box of lamps", "the evening table", "two clocks",
		"the lower gate", "an open account", "the western wall", "half of the letters", "a list of names",
		"the spare key", "one careful map", "the quiet hour", "all the receipts",
	}
	when = []string{
		"before noon", "twice a week", "while it rains", "at the turn of the tide", "after the last train",
		"whenever the bell rings", "in the first month", "without being asked", "for no stated reason", "on market days",
	}
	ask = []string{
		"Why is that?", "What would you change first?", "Which of these matters most?", "Can that be shown?",
		"How would one check it?", "What does it cost?", "Who should be told?", "Is there a shorter way?",
	}
)

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type chat struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

func sentence(r *rand.Rand) string {
	s := pick(r, who) + " " + pick(r, does) + " " + pick(r, what) + " " + pick(r, when) + "."
	return strings.ToUpper(s[:1]) + s[1:]
}

// compose makes a conversation of the given number of turns whose JSON is
// exactly size bytes long.
func compose(seed uint64, turns, size int) []byte {
	r := rand.New(rand.NewPCG(seed, uint64(size)))
	c := chat{Model: Model}
	for i := range turns {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		c.Messages = append(c.Messages, message{Role: role})
	}
	room := size - len(encode(c))
	for i := range turns {
		share := room / turns
		if i == turns-1 {
			share = size - len(encode(c))
		}
		tail := ""
		if i%2 == 0 {
			tail = " " + pick(r, ask)
		}
		var b strings.Builder
		for {
			next := sentence(r)
			if b.Len() > 0 {
				next = " " + next
			}
			if b.Len()+len(next)+len(tail) > share {
				break
			}
			b.WriteString(next)
		}
		b.WriteString(tail)
		if i == turns-1 { // the last turn makes the size exact
			b.WriteString(strings.Repeat(".", share-b.Len()))
		}
		c.Messages[i].Content = b.String()
	}
	return encode(c)
}

func encode(c chat) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(c); err != nil {
		panic(err) // strings always encode
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
