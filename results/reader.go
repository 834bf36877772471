package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// maxLine bounds one record, in bytes.
const maxLine = 32 << 20

// Run is one run read back.
type Run struct {
	Header      Header
	Repetitions []Repetition // in file order
	Sections    []Section    // in file order
	Final       *Final       // nil when the run was cut off
	// Warnings are doubts about the file, not about the measurements.
	Warnings []string
}

// ReadFile reads the run in folder dir.
func ReadFile(dir string) (*Run, error) {
	path := filepath.Join(dir, FileName)
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read run: %w", err)
	}
	defer f.Close()
	run, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("read run %s: %w", path, err)
	}
	return run, nil
}

// Read reads a run: strictly, but for a last line without a line end, which
// is what a crash in the middle of a write leaves. That line is dropped with
// a warning.
func Read(r io.Reader) (*Run, error) {
	br := bufio.NewReaderSize(r, 1<<16)
	run := new(Run)
	headed := false
	for number := 1; ; number++ {
		line, err := readLine(br)
		if errors.Is(err, io.EOF) {
			if len(line) > 0 {
				run.Warnings = append(run.Warnings, fmt.Sprintf("line %d: torn: %d bytes without a line end, dropped", number, len(line)))
			}
			break
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		var rec Record
		if err := decodeStrict(line, &rec); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		switch {
		case !headed && rec.Header == nil:
			return nil, fmt.Errorf("line %d: the first record is no header", number)
		case headed && rec.Header != nil:
			return nil, fmt.Errorf("line %d: a second header", number)
		case run.Final != nil:
			return nil, fmt.Errorf("line %d: a record after the final one", number)
		case rec.Header != nil:
			run.Header, headed = *rec.Header, true
		case rec.Repetition != nil:
			run.Repetitions = append(run.Repetitions, *rec.Repetition)
		case rec.Section != nil:
			run.Sections = append(run.Sections, *rec.Section)
		case rec.Final != nil:
			run.Final = rec.Final
		}
	}
	if !headed {
		return nil, errors.New("no header: the run is empty")
	}
	if run.Final == nil {
		run.Warnings = append(run.Warnings, "no final record: the run was cut off")
	}
	return run, nil
}

// readLine returns a line without its end; at the end of the file what is
// left, with io.EOF.
func readLine(br *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := br.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, fmt.Errorf("longer than %d bytes", maxLine)
		}
		switch {
		case err == nil:
			return line[:len(line)-1], nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}

func decodeStrict(line []byte, rec *Record) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(rec); err != nil {
		// A newer version has members that are unknown here: say the version,
		// not the member.
		var head struct {
			Header *struct {
				Version int `json:"version"`
			} `json:"header"`
		}
		if json.Unmarshal(line, &head) == nil && head.Header != nil && head.Header.Version != Version {
			return fmt.Errorf("schema version %d, this program reads %d", head.Header.Version, Version)
		}
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value")
	}
	return rec.validate()
}
