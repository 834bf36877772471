package loadgen

import (
	"fmt"
	"net/http"
	"net/url"
	"sort"
	"strconv"
	"strings"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// userAgent tells whoever reads the target's log where the load comes from.
const userAgent = "tollgate-loadgen"

// message is one variant of the request, rendered once. The id is not part of
// it: it stands between before and after on the wire.
type message struct {
	before, after []byte // of the id's digits; without an id all is in before
	hasID         bool
	bodyLen       int64

	// The same request for net/http.
	header http.Header // without the id
	body   []byte      // with 16 zeros in the id's place
	idAt   int         // of the id in body; -1: not there
}

// rendered holds both variants and where they go.
type rendered struct {
	hostport string // to dial
	url      string // absolute, for net/http
	anyBody  bool   // a successful answer need not be JSON
	plain    message
	stream   message
}

// render makes the requests of a validated job with its defaults filled in.
func (j *Job) render() (*rendered, error) {
	u, err := url.Parse(j.Target)
	if err != nil {
		return nil, fmt.Errorf("render request: target: %w", err)
	}
	port := u.Port()
	if port == "" {
		if port = "80"; u.Scheme == "https" {
			port = "443"
		}
	}
	prefix := u.EscapedPath()
	for len(prefix) > 0 && prefix[len(prefix)-1] == '/' {
		prefix = prefix[:len(prefix)-1]
	}
	r := &rendered{
		hostport: hostPort(u.Hostname(), port),
		url:      u.Scheme + "://" + u.Host + prefix + j.Path,
		anyBody:  j.Method == "GET" && !strings.HasPrefix(j.Path, "/v1/"),
	}
	if r.plain, err = j.message(j.Body, u.Host, prefix+j.Path); err != nil {
		return nil, err
	}
	if j.StreamEvery > 0 {
		body := j.StreamBody
		if len(body) == 0 {
			if body, err = streamBody(j.Body, j.AskUsage); err != nil {
				return nil, fmt.Errorf("render request: %w", err)
			}
		}
		if r.stream, err = j.message(body, u.Host, prefix+j.Path); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func hostPort(host, port string) string {
	for _, c := range host {
		if c == ':' {
			return "[" + host + "]:" + port
		}
	}
	return host + ":" + port
}

func (j *Job) message(body []byte, host, path string) (message, error) {
	m := message{idAt: -1, header: http.Header{}, hasID: j.Join != contract.JoinNone}
	if j.Join == contract.JoinBody && len(body) > 0 {
		zeros := make([]byte, contract.IDLen)
		contract.PutID(zeros, 0)
		spliced, at, err := setMember(body, "user", `"`+string(zeros)+`"`)
		if err != nil {
			return m, fmt.Errorf("render request: %w", err)
		}
		body, m.idAt = spliced, at+1
	}
	m.body, m.bodyLen = body, int64(len(body))

	head := []byte(j.Method + " " + path + " HTTP/1.1\r\n")
	field := func(name, value string) {
		head = append(head, name+": "+value+"\r\n"...)
		if name != "Host" && name != "Content-Length" {
			m.header[http.CanonicalHeaderKey(name)] = []string{value}
		}
	}
	field("Host", host)
	if !hasHeader(j.Headers, "User-Agent") {
		field("User-Agent", userAgent)
	}
	if j.Key != "" {
		field("Authorization", "Bearer "+j.Key)
	}
	if len(body) > 0 {
		if !hasHeader(j.Headers, "Content-Type") {
			field("Content-Type", "application/json")
		}
		field("Content-Length", strconv.Itoa(len(body)))
	} else if j.Method == "POST" || j.Method == "PUT" || j.Method == "PATCH" {
		field("Content-Length", "0")
	}
	// In a fixed order, so that equal jobs send equal bytes.
	names := make([]string, 0, len(j.Headers))
	for name := range j.Headers {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		field(name, j.Headers[name])
	}
	switch {
	case m.idAt >= 0:
		m.before = append(append(head, "\r\n"...), body[:m.idAt]...)
		m.after = body[m.idAt+contract.IDLen:]
	case m.hasID:
		m.before = append(head, contract.HeaderRequestID+": "...)
		m.after = append([]byte("\r\n\r\n"), body...)
	default:
		m.before = append(append(head, "\r\n"...), body...)
	}
	return m, nil
}

func hasHeader(h map[string]string, name string) bool {
	for k := range h {
		if http.CanonicalHeaderKey(k) == name {
			return true
		}
	}
	return false
}
