package build

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Programs is the files that a run starts.
type Programs struct {
	Gateway string
	Mock    string
	Loadgen string
	From    string // where they came from, in words
}

// Module is the module's path.
const Module = "github.com/tollgate-lab/tollgate"

// mains is the main packages by the names of their programs.
var mains = []struct{ name, pkg string }{
	{"gateway", "./gateway/cmd/gateway"},
	{"mockupstream", "./mockupstream/cmd/mockupstream"},
	{"loadgen", "./loadgen/cmd/loadgen"},
}

func exe(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// In is the programs in dir, which must all be there.
func In(dir, from string) (Programs, error) {
	for _, m := range mains {
		st, err := os.Stat(filepath.Join(dir, exe(m.name)))
		if errors.Is(err, fs.ErrNotExist) {
			return Programs{}, fmt.Errorf("programs in %s: %s is missing", dir, m.name)
		}
		if err != nil {
			return Programs{}, fmt.Errorf("programs in %s: %w", dir, err)
		}
		if !st.Mode().IsRegular() {
			return Programs{}, fmt.Errorf("programs in %s: %s is no file", dir, m.name)
		}
	}
	at := func(name string) string { return filepath.Join(dir, exe(name)) }
	return Programs{Gateway: at("gateway"), Mock: at("mockupstream"), Loadgen: at("loadgen"), From: from}, nil
}

// Stamp is what a built file says about itself.
type Stamp struct {
	Version  string // of the main module: "v1.2.3", or "(devel)"
	Go       string // "go1.26.0"
	Revision string // VCS revision; "" when it was built without
	Modified bool   // from a changed checkout
}

// ReadStamp reads the stamp of a Go program.
func ReadStamp(file string) (Stamp, error) {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return Stamp{}, fmt.Errorf("build info of %s: %w", filepath.Base(file), err)
	}
	s := Stamp{Version: info.Main.Version, Go: info.GoVersion}
	for _, kv := range info.Settings {
		switch kv.Key {
		case "vcs.revision":
			s.Revision = kv.Value
		case "vcs.modified":
			s.Modified = kv.Value == "true"
		}
	}
	return s, nil
}
