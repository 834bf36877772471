package answer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// recordings is the folder of recorded provider answers.
func recordings(t *testing.T) string {
	root := os.Getenv("TOLLGATE_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data") // beside the module's root
	}
	dir := filepath.Join(root, "recordings")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("TOLLGATE_REQUIRE_DATA") == "1" {
			t.Fatalf("the data folder is required: %v", err)
		}
		t.Skipf("no recorded answers: %v", err)
	}
	return dir
}

// oracle concatenates the first choice's content of a recorded stream with
// encoding/json, and says whether the stream is plain enough to compare: ended
// by [DONE], all JSON, no error.
func oracle(stream string) (content string, frames int, ok bool) {
	var text strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(stream, "\r\n", "\n")) {
		data, isData := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "data:")
		if !isData {
			continue
		}
		data = strings.TrimPrefix(data, " ")
		if data == terminator {
			return text.String(), frames, strings.HasSuffix(stream, "\n\n") || strings.HasSuffix(stream, "\r\n\r\n")
		}
		var c struct {
			Error   any
			Choices []struct {
				Index int
				Delta struct{ Content any }
			}
		}
		if json.Unmarshal([]byte(data), &c) != nil || c.Error != nil {
			return "", 0, false
		}
		for _, choice := range c.Choices {
			if s, isText := choice.Delta.Content.(string); isText && s != "" {
				frames++
				if choice.Index == 0 {
					text.WriteString(s)
				}
				break
			}
		}
	}
	return "", 0, false
}

// Real streams of many providers give the content that encoding/json finds in
// them, whole and split at forty places.
func TestRecordedStreams(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(recordings(t), "*.sse"))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		in := string(raw)
		content, frames, ok := oracle(in)
		if !ok || frames == 0 {
			continue
		}
		compared++
		c := New(content)
		step := max(1, len(in)/40)
		for cut := 0; cut < len(in); cut += step {
			if got, words := judge(c, true, in[:cut], in[cut:]); got != contract.Answered || c.Frames != frames {
				t.Errorf("%s split at %d: %v (%s), %d frames, want %d", filepath.Base(name), cut, got, words, c.Frames, frames)
				break
			}
		}
		if got, _ := judge(New(content+"x"), true, in); got != contract.ContentMismatch {
			t.Errorf("%s: other content than expected gives %v", filepath.Base(name), got)
		}
	}
	if compared < 10 {
		t.Errorf("only %d of %d recorded streams were compared", compared, len(files))
	}
	t.Logf("%d of %d recorded streams compared", compared, len(files))
}

// Every recorded JSON answer is taken for what encoding/json takes it for.
func TestRecordedAnswers(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(recordings(t), "*.response.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, ok := scanChat(raw, "message")
		want := json.Valid(raw) && strings.HasPrefix(strings.TrimSpace(string(raw)), "{")
		if ok != want {
			t.Errorf("%s: object %v, want %v", filepath.Base(name), ok, want)
		}
	}
}
