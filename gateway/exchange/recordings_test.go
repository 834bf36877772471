package exchange_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/direct"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// recorded reads files of the data folder. Tests that need it skip without it,
// or fail where it is required.
func recorded(t testing.TB, glob string) map[string][]byte {
	t.Helper()
	dir := os.Getenv("TOLLGATE_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	names, err := filepath.Glob(filepath.Join(dir, glob))
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		if os.Getenv("TOLLGATE_REQUIRE_DATA") == "1" {
			t.Fatalf("the data folder is required: no %s in %s", glob, dir)
		}
		t.Skipf("no %s in %s", glob, dir)
	}
	m := make(map[string][]byte)
	for _, n := range names {
		b, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		m[filepath.Base(n)] = b
	}
	return m
}

// TestRecordedStreamsPass: a client that asks for usage gets every recorded
// stream byte for byte; one that does not lacks the frames that tell usage
// alone, and nothing else. Both whole, and however the bytes are split.
func TestRecordedStreamsPass(t *testing.T) {
	for name, b := range recorded(t, filepath.Join("recordings", "*chat*stream*.sse")) {
		whole := string(b)
		var shown strings.Builder
		for f := range strings.SplitSeq(whole, "\n\n") {
			if usageAlone := strings.Contains(f, `"usage":{`) && strings.Contains(f, `"choices":[]`); !usageAlone {
				shown.WriteString(f + "\n\n")
			}
		}
		want := strings.TrimSuffix(shown.String(), "\n\n") // Split's last, empty piece
		r := newRig(t)
		for _, ask := range []bool{true, false} {
			body, expect := asks, whole
			if !ask {
				body, expect = streamBody, want
			}
			var first logrow.Row
			for _, size := range []int{len(whole), 1, 7, 100, 1460, 4096} {
				var pieces []string
				for rest := whole; rest != ""; {
					n := min(size, len(rest))
					pieces, rest = append(pieces, rest[:n]), rest[n:]
				}
				resp := r.do(post(pathChat, body), sse(pieces...))
				if string(resp.Body) != expect {
					t.Fatalf("%s in pieces of %d, asked %v: %d bytes, want %d", name, size, ask, len(resp.Body), len(expect))
				}
				row := *r.row()
				row.TTFBNs, row.TotalNs, row.StartedNs = 0, 0, 0
				if size == len(whole) {
					first = row
				}
				if row != first {
					t.Fatalf("%s in pieces of %d: row %+v\nwhole: %+v", name, size, row, first)
				}
			}
			if has := bytes.Contains(b, []byte(`"completion_tokens"`)); first.Estimated == has && !strings.Contains(name, "midstream") {
				t.Errorf("%s: estimated %v, usage told %v", name, first.Estimated, has)
			}
		}
	}
}

func TestRecordedAnswersPass(t *testing.T) {
	for name, b := range recorded(t, filepath.Join("recordings", "openai-chat-json*.response.json")) {
		for _, change := range []func(*rig){func(*rig) {}, awaiting} {
			r := newRig(t, change)
			ans := &direct.Answer{Status: 200, Fields: fields("Content-Type: application/json"), Length: int64(len(b))}
			for rest := b; len(rest) > 0; {
				n := min(500, len(rest))
				ans.Chunks, rest = append(ans.Chunks, rest[:n]), rest[n:]
			}
			resp := r.do(post(pathChat, chatBody), ans)
			if !bytes.Equal(resp.Body, b) || r.row().Estimated || r.row().OutputTok == 0 {
				t.Errorf("%s: %+v", name, r.row())
			}
		}
	}
}

func TestRecordedBodiesPass(t *testing.T) {
	anyModel := func(r *rig) {
		r.snap.Models[modelPlain].Name = "*"
		r.snap.AnyModel = modelPlain
		r.snap.Limits.MaxBodyBytes = 0
	}
	for name, b := range recorded(t, filepath.Join("bodies", "*.json")) {
		r := newRig(t, anyModel)
		req := post(pathChat, string(b))
		req.Chunk = 16 << 10
		resp := r.do(req, jsonAnswer(200, answerBody))
		// What was put in is one member, at the end or inside options; the rest
		// is as it came.
		got := bytes.ReplaceAll(resp.UpBody, []byte(`,"stream_options":{"include_usage":true}`), nil)
		if resp.Status != 200 || !bytes.Equal(got, bytes.ReplaceAll(b, []byte(`,"stream_options":{"include_usage":true}`), nil)) {
			t.Errorf("%s: status %d, %d bytes of %d", name, resp.Status, len(resp.UpBody), len(b))
		}
	}
}
