// Package bodies holds the lab's own request bodies: a chat request of 90
// bytes, a conversation of 52 KB in 16 turns and one of 200 KB in 40. Their
// text was composed for the lab; the package's test composes it again and
// compares, byte for byte.
//
// A data folder may offer more (Folder).
package bodies

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed *.json
var files embed.FS

// Model is the model name in every body of the lab's own.
const Model = "bench"

// Names is the names of the embedded bodies, smallest first.
func Names() []string { return []string{"90B", "52KB", "200KB"} }

// Embedded is one of the lab's own bodies.
func Embedded(name string) ([]byte, bool) {
	if !slices.Contains(Names(), name) {
		return nil, false
	}
	b, err := files.ReadFile(name + ".json")
	return b, err == nil
}

// DataFolder finds the folder of shared data: TOLLGATE_DATA, or else
// ../shared/data seen from the module's root. The second result says why there
// is none.
func DataFolder(moduleRoot string, getenv func(string) string) (dir, why string) {
	dir = getenv("TOLLGATE_DATA")
	if dir == "" {
		if moduleRoot == "" {
			return "", "TOLLGATE_DATA is not set"
		}
		dir = filepath.Join(moduleRoot, "..", "shared", "data")
	}
	if st, err := os.Stat(filepath.Join(dir, "bodies")); err != nil || !st.IsDir() {
		return "", "no folder of request bodies; TOLLGATE_DATA names the data folder that holds bodies/"
	}
	return dir, ""
}

// Folder is the names of the bodies in dir/bodies: every .json file but the
// index, sorted.
func Folder(dir string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(dir, "bodies"))
	if err != nil {
		return nil, fmt.Errorf("list request bodies: %w", err)
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), ".json") && e.Name() != "index.json" {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Read is a body by name: an embedded one, or a file of dir/bodies.
func Read(dir, name string) ([]byte, error) {
	if b, ok := Embedded(name); ok {
		return b, nil
	}
	if dir == "" || name != filepath.Base(name) {
		return nil, fmt.Errorf("request body %q: neither one of %s nor a file of the data folder", name, strings.Join(Names(), ", "))
	}
	b, err := os.ReadFile(filepath.Join(dir, "bodies", name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("request body %q: neither one of %s nor a file of the data folder", name, strings.Join(Names(), ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("request body %q: %w", name, err)
	}
	return b, nil
}

// Plain is body without its own wish for a stream: the load decides which
// requests are streamed. Member order of the top level is not kept when
// something is removed; everything else is.
func Plain(body []byte) ([]byte, error) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(body, &top); err != nil {
		return nil, fmt.Errorf("request body: %w", err)
	}
	_, stream := top["stream"]
	_, options := top["stream_options"]
	if !stream && !options {
		return body, nil
	}
	delete(top, "stream")
	delete(top, "stream_options")
	out, err := json.Marshal(top)
	if err != nil {
		return nil, fmt.Errorf("request body: %w", err)
	}
	return out, nil
}
