package loadgen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// checkObject says why body is not one JSON object.
func checkObject(body []byte) error {
	switch b := bytes.TrimSpace(body); {
	case len(b) == 0:
		return errors.New("is empty, and a JSON object is needed")
	case b[0] != '{':
		return errors.New("is no JSON object")
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	var v json.RawMessage
	if err := dec.Decode(&v); err != nil {
		return fmt.Errorf("is no JSON object: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("has more than one JSON object")
	}
	return nil
}

// setMember gives the object body a member name with the JSON text value. A
// member of that name keeps its place; a new one comes first. All other bytes
// stay as they are. It returns where the value starts.
func setMember(body []byte, name, value string) (out []byte, at int, err error) {
	from, to, err := findMember(body, name)
	if err != nil {
		return nil, 0, err
	}
	if to > 0 {
		out = append(out, body[:from]...)
		at = len(out)
		out = append(out, value...)
		return append(out, body[to:]...), at, nil
	}
	open := bytes.IndexByte(body, '{') + 1
	out = append(out, body[:open]...)
	out = append(out, '"')
	out = append(out, name...)
	out = append(out, `":`...)
	at = len(out)
	out = append(out, value...)
	if rest := bytes.TrimSpace(body[open:]); rest[0] != '}' {
		out = append(out, ',')
	}
	return append(out, body[open:]...), at, nil
}

// findMember says where the value of the object's last member called name is;
// to is 0 when there is none. The last one is the one that a decoder keeps.
func findMember(body []byte, name string) (from, to int, err error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return 0, 0, fmt.Errorf("find member %q: no JSON object", name)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return 0, 0, fmt.Errorf("find member %q: %w", name, err)
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return 0, 0, fmt.Errorf("find member %q: value of %q: %w", name, key, err)
		}
		if key == name {
			to = int(dec.InputOffset())
			from = to - len(v)
		}
	}
	return from, to, nil
}

// streamBody makes the streamed form of a request body.
func streamBody(body []byte, askUsage bool) ([]byte, error) {
	out, _, err := setMember(body, "stream", "true")
	if err == nil && askUsage {
		out, _, err = setMember(out, "stream_options", `{"include_usage":true}`)
	}
	return out, err
}
