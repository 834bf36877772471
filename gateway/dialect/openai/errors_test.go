package openai

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

type errorBody struct {
	Error struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	} `json:"error"`
}

func decodeError(t *testing.T, b []byte) errorBody {
	t.Helper()
	var e errorBody
	if err := json.Unmarshal(b, &e); err != nil {
		t.Fatalf("%q: %v", b, err)
	}
	return e
}

func TestErrorForm(t *testing.T) {
	e := Error{Message: "no `%` here", Type: TypeInvalidRequest, Code: "model_not_found"}
	got := string(e.AppendAbout(nil, []byte("a\"b\n\xff")))
	want := `{"error":{"message":"no ` + "`a\\\"b\\u000a\uFFFD` here" + `","type":"invalid_request_error","param":null,"code":"model_not_found"}}`
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	ev := string(e.AppendEvent(nil))
	if !strings.HasPrefix(ev, "data: {") || !strings.HasSuffix(ev, "}\n\n") {
		t.Errorf("event %q", ev)
	}
}

// FuzzError: whatever a message holds, the error is JSON and says it.
func FuzzError(f *testing.F) {
	f.Add("plain", "about")
	f.Add("\x00\"\\\u2028\x7f", "\xff\xfe%")
	f.Fuzz(func(t *testing.T, message, about string) {
		e := Error{Message: message, Type: "t", Param: about}
		b := e.Append(nil)
		if !utf8.Valid(b) {
			t.Fatalf("not UTF-8: %q", b)
		}
		if got := decodeError(t, b); got.Error.Message != string([]rune(message)) {
			t.Fatalf("%q says %q", message, got.Error.Message)
		}
		decodeError(t, e.AppendAbout(nil, []byte(about)))
		event := e.AppendEvent(nil)
		if strings.Contains(strings.TrimSuffix(string(event), "\n\n"), "\n") {
			t.Fatalf("an event of several lines: %q", event)
		}
	})
}

func TestModels(t *testing.T) {
	m := NewModels([]string{"a", `b"c`}, 7)
	type list struct {
		Object string
		Data   []struct {
			ID, Object string
			Created    int64
			OwnedBy    string `json:"owned_by"`
		}
	}
	for _, tc := range []struct {
		story string
		raw   []byte
		want  []string
	}{
		{"all", m.All(), []string{"a", `b"c`}},
		{"some", m.AppendList(nil, func(i int) bool { return i == 1 }), []string{`b"c`}},
		{"none", m.AppendList(nil, func(int) bool { return false }), nil},
	} {
		var l list
		if err := json.Unmarshal(tc.raw, &l); err != nil {
			t.Fatalf("%s: %v", tc.story, err)
		}
		if l.Object != "list" || len(l.Data) != len(tc.want) {
			t.Fatalf("%s: %s", tc.story, tc.raw)
		}
		for i, id := range tc.want {
			if d := l.Data[i]; d.ID != id || d.Object != "model" || d.Created != 7 || d.OwnedBy == "" {
				t.Errorf("%s: %+v", tc.story, d)
			}
		}
	}
	if !json.Valid(m.Entry(1)) {
		t.Errorf("entry %s", m.Entry(1))
	}
}
