package bodies

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the embedded bodies")

func TestEmbeddedBodiesAreWhatTheirNamesSay(t *testing.T) {
	tiny := []byte(`{"model":"bench","messages":[{"role":"user","content":"Name one thing worth measuring."}]}`)
	for _, c := range []struct {
		name         string
		bytes, turns int
		text         []byte
	}{
		{"90B", 90, 1, tiny},
		{"52KB", 52 << 10, 16, compose(1, 16, 52<<10)},
		{"200KB", 200 << 10, 40, compose(2, 40, 200<<10)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if *update {
				if err := os.WriteFile(c.name+".json", c.text, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			b, ok := Embedded(c.name)
			if !ok || !bytes.Equal(b, c.text) {
				t.Fatalf("%s.json is not what the composer makes; -update rewrites it", c.name)
			}
			if len(b) != c.bytes {
				t.Errorf("%d bytes, want %d", len(b), c.bytes)
			}
			var got chat
			if err := json.Unmarshal(b, &got); err != nil {
				t.Fatal(err)
			}
			if got.Model != Model || len(got.Messages) != c.turns {
				t.Errorf("model %q, %d turns, want %q and %d", got.Model, len(got.Messages), Model, c.turns)
			}
		})
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	if got, why := DataFolder("", func(string) string { return dir }); got != "" || why == "" {
		t.Errorf("a folder without bodies/ was taken: %q %q", got, why)
	}
	if err := os.Mkdir(filepath.Join(dir, "bodies"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b.json", "a.json", "index.jsonl", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, "bodies", name), []byte(`{"model":"m"}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, why := DataFolder("", func(string) string { return dir })
	if got != dir || why != "" {
		t.Fatalf("DataFolder = %q %q", got, why)
	}
	names, err := Folder(dir)
	if err != nil || !slices.Equal(names, []string{"a.json", "b.json"}) {
		t.Errorf("Folder = %v %v", names, err)
	}
	if _, err := Read(dir, "../a.json"); err == nil {
		t.Error("read outside the folder")
	}
	if _, err := Read(dir, "c.json"); err == nil {
		t.Error("read a body that is not there")
	}
	if b, err := Read(dir, "a.json"); err != nil || string(b) != `{"model":"m"}` {
		t.Errorf("%q %v", b, err)
	}
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		`{"model":"m", "n":1}`: `{"model":"m", "n":1}`,
		`{"model":"m","stream":true,"stream_options":{"include_usage":true}}`: `{"model":"m"}`,
	} {
		got, err := Plain([]byte(in))
		if err != nil || string(got) != want {
			t.Errorf("Plain(%s) = %s %v, want %s", in, got, err, want)
		}
	}
	if _, err := Plain([]byte(`[`)); err == nil {
		t.Error("no error for a broken body")
	}
}

func FuzzPlain(f *testing.F) {
	f.Add([]byte(`{"model":"m","stream":true}`))
	f.Add([]byte(`{"stream":`))
	f.Fuzz(func(t *testing.T, b []byte) {
		out, err := Plain(b)
		if err == nil && !json.Valid(out) {
			t.Errorf("Plain(%q) = %q", b, out)
		}
	})
}
