package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// FolderName is the name of a run's folder: <utc>-<host>-<commit>, in
// characters that every file system takes. commit is cut to 12 characters.
func FolderName(started time.Time, host, commit string) string {
	if len(commit) > 12 {
		commit = commit[:12]
	}
	return started.UTC().Format("20060102T150405Z") + "-" + safeName(host) + "-" + safeName(commit)
}

func safeName(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '_':
			return r
		}
		return '_'
	}, s)
	if strings.Trim(s, "._") == "" {
		return "unknown"
	}
	return s
}

// Writer appends records to a run's file. Each record is one write(2) of a
// whole line, so a process that dies loses at most the line it was writing.
// Its methods may be called from several goroutines.
type Writer struct {
	mu     sync.Mutex
	f      *os.File
	dir    string
	closed bool
}

var errClosed = errors.New("the run is closed")

// Create makes the folder parent/h.Name, which must not exist yet, and writes
// the header. It fills in h.Version.
func Create(parent string, h *Header) (*Writer, error) {
	if h.Name == "" || h.Name != filepath.Base(h.Name) || strings.HasPrefix(h.Name, ".") {
		return nil, fmt.Errorf("create run: %q is no folder name", h.Name)
	}
	h.Version = Version
	if err := h.validate(); err != nil {
		return nil, fmt.Errorf("create run %s: %w", h.Name, err)
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, fmt.Errorf("create run: %w", err)
	}
	dir := filepath.Join(parent, h.Name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, fmt.Errorf("create run: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, FileName), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("create run: %w", err)
	}
	w := &Writer{f: f, dir: dir}
	if err := w.append(&Record{Header: h}); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// Dir is the run's folder.
func (w *Writer) Dir() string { return w.dir }

// Repetition appends one repetition.
func (w *Writer) Repetition(r *Repetition) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.append(&Record{Repetition: r})
}

// Section appends one measurement without load.
func (w *Writer) Section(s *Section) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.append(&Record{Section: s})
}

// Close appends the final record and forces the file and its folder to disk.
// A second Close is an error.
func (w *Writer) Close(final *Final) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return fmt.Errorf("close run %s: %w", w.dir, errClosed)
	}
	err := w.append(&Record{Final: final})
	w.closed = true
	err = errors.Join(err, w.f.Sync(), w.f.Close(), syncDir(w.dir))
	if err != nil {
		return fmt.Errorf("close run %s: %w", w.dir, err)
	}
	return nil
}

// append validates r, so that a writer cannot make what Read refuses.
func (w *Writer) append(r *Record) error {
	if w.closed {
		return fmt.Errorf("append to run %s: %w", w.dir, errClosed)
	}
	if err := r.validate(); err != nil {
		return fmt.Errorf("append to run %s: %w", w.dir, err)
	}
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("append to run %s: %w", w.dir, err)
	}
	if _, err := w.f.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("append to run %s: %w", w.dir, err)
	}
	return nil
}
