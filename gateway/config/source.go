package config

import (
	"fmt"
	"strings"
)

// source says where the value of each key came from, for errors found later.
type source struct {
	file  string
	lines map[string]int    // by path: "providers[0].base_url"
	env   map[string]string // path to the variable that overrode it
}

// at is where the value of path stands: "gateway.yaml:12", or the variable. A
// path that the file does not have is where its nearest parent is.
func (s *source) at(path string) string {
	if name, ok := s.env[path]; ok {
		return "environment " + name
	}
	if s.file == "" {
		return "config"
	}
	for p := path; ; {
		if line, ok := s.lines[p]; ok {
			return fmt.Sprintf("%s:%d", s.file, line)
		}
		cut := strings.LastIndexAny(p, ".[")
		if cut < 0 {
			return s.file + ":1"
		}
		p = p[:cut]
	}
}

// Error is one fault of a config, with the place and the key.
type Error struct {
	At  string // "gateway.yaml:12"
	Key string // "providers[0].base_url"; "" when the file itself is meant
	Err error
}

func (e *Error) Error() string {
	if e.Key == "" {
		return e.At + ": " + e.Err.Error()
	}
	return e.At + ": " + e.Key + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// faults collects errors, so that a file's mistakes are shown together.
type faults struct {
	src  *source
	list []error
}

// most is enough to work with; one misplaced indent can make hundreds.
const most = 20

func (f *faults) add(path string, err error) { f.append(f.src.at(path), path, err) }

// addAt is add for a line that no path leads to.
func (f *faults) addAt(line int, path string, err error) {
	f.append(fmt.Sprintf("%s:%d", f.src.file, line), path, err)
}

func (f *faults) append(at, path string, err error) {
	if len(f.list) < most {
		f.list = append(f.list, &Error{At: at, Key: path, Err: err})
	}
}

func (f *faults) addf(path, format string, args ...any) { f.add(path, fmt.Errorf(format, args...)) }
