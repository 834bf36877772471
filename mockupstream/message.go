package mockupstream

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// mode is how a connection goes on after an answer.
type mode uint8

const (
	keepAlive   mode = iota // HTTP/1.1: stays open without saying so
	closing                 // the answer is the connection's last
	keepAlive10             // HTTP/1.0 and asked for: must be said
	numModes
)

var connectionLine = [numModes]string{"", "Connection: close\r\n", "Connection: Keep-Alive\r\n"}

// framing is how a stream's body is delimited.
type framing uint8

const (
	chunked      framing = iota
	chunkedClose         // chunked, on a connection that closes afterwards
	unframed             // HTTP/1.0: up to the end of the connection
	numFramings
)

// message is one answer rendered for the wire. It is never changed once made.
type message struct {
	wire    []byte
	head    int   // length of the head
	ends    []int // where each write ends when frames are not coalesced
	first   int   // index of the write with the first content frame
	frames  int   // content frames
	status  int
	prompt  int // usage told; 0 for answers without usage
	output  int
	stream  bool
	trailer string // ends the body after a stream that is left unterminated
	slots   []int  // offsets of the prompt and total counts, under chars4
}

// afterFrames is the length of the message up to and with its kth content
// frame; when it is not streamed, up to half its body.
func (m *message) afterFrames(k int) int {
	if !m.stream {
		return m.head + (len(m.wire)-m.head)/2
	}
	return m.ends[m.first+k-1]
}

// unterminated is the length of a stream up to its [DONE].
func (m *message) unterminated() int { return m.ends[len(m.ends)-2] }

// framesWithin counts the content frames that lie whole in the first n bytes.
func (m *message) framesWithin(n int) int {
	if n >= len(m.wire) {
		return m.frames
	}
	k := 0
	for k < m.frames && m.ends[m.first+k] <= n {
		k++
	}
	return k
}

// jsonMessage renders an answer with a Content-Length. extra holds header
// lines, each with its CRLF.
func jsonMessage(status int, extra string, body []byte, md mode) *message {
	w := append([]byte(nil), "HTTP/1.1 "...)
	w = strconv.AppendInt(w, int64(status), 10)
	w = append(w, ' ')
	w = append(w, http.StatusText(status)...)
	w = append(w, "\r\nContent-Type: application/json\r\nContent-Length: "...)
	w = strconv.AppendInt(w, int64(len(body)), 10)
	w = append(w, "\r\n"+extra+connectionLine[md]+"\r\n"...)
	m := &message{head: len(w), status: status}
	m.wire = append(w, body...)
	m.ends = []int{len(m.wire)}
	return m
}

// errorBody is an error as OpenAI words them.
func errorBody(status int, text string) []byte {
	type detail struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	}
	d := detail{Message: text, Type: "invalid_request_error"}
	code := func(s string) *string { return &s }
	switch {
	case status == http.StatusUnauthorized:
		d.Code = code("invalid_api_key")
	case status == http.StatusTooManyRequests:
		d.Type, d.Code = "requests", code("rate_limit_exceeded")
	case status >= 500:
		d.Type = "server_error"
	}
	b, err := json.Marshal(map[string]detail{"error": d})
	if err != nil {
		panic(err) // strings only: it cannot fail
	}
	return b
}

// refusal is why a request cannot be answered as asked: HTTP that cannot be
// read, an unknown route, a wrong method. One per reason, rendered once.
type refusal struct {
	status int
	text   string
	answer [numModes]*message
}

func newRefusal(status int, extra, text string) *refusal {
	r := &refusal{status: status, text: text}
	for md := range numModes {
		r.answer[md] = jsonMessage(status, extra, errorBody(status, text), md)
	}
	return r
}

func (r *refusal) Error() string { return strconv.Itoa(r.status) + " " + r.text }

// What the parser refuses; the connection closes afterwards.
var (
	badLine        = newRefusal(400, "", "The request line could not be parsed.")
	badHeader      = newRefusal(400, "", "A header line could not be parsed.")
	bareLF         = newRefusal(400, "", "A line of the head does not end in CRLF.")
	noHost         = newRefusal(400, "", "An HTTP/1.1 request needs exactly one Host header.")
	badLength      = newRefusal(400, "", "The length of the body is not stated in exactly one way.")
	badChunk       = newRefusal(400, "", "The chunked body could not be parsed.")
	bodyTooLarge   = newRefusal(413, "", "The request body is larger than this server accepts.")
	badExpectation = newRefusal(417, "", "Only the expectation 100-continue is known.")
	headTooLarge   = newRefusal(431, "", "The request head is larger than this server accepts.")
	unknownCoding  = newRefusal(501, "", "Only the transfer coding chunked is known.")
	unknownVersion = newRefusal(505, "", "Only HTTP/1.0 and HTTP/1.1 are known.")
)

// What a request read whole may be refused for; the connection stays.
var (
	unknownRoute = newRefusal(404, "", "Unknown request URL.")
	wantPost     = newRefusal(405, "Allow: POST\r\n", "Only POST requests are accepted here.")
	wantGet      = newRefusal(405, "Allow: GET, HEAD\r\n", "Only GET requests are accepted here.")
	badJSON      = newRefusal(400, "", "The body of the request is not a JSON object.")
)
