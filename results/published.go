package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"
)

// PublishedFile is the name of the map of published runs, in the results
// folder; RunsDir is the folder of runs beside it.
const (
	PublishedFile = "published.yaml"
	RunsDir       = "runs"
)

// Published maps each section of BENCHMARKS.md to the run that feeds it, so
// that sections can be measured on different days and say so.
type Published struct {
	Version  int               `yaml:"version"`  // 1
	Sections map[string]string `yaml:"sections"` // section → name of a folder in runs/
}

const publishedHead = `# Which run feeds which section of BENCHMARKS.md. "matrix run --publish" moves
# the sections of a run here; the runs are folders in runs/.
`

// ParsePublished reads published.yaml. Unknown keys are errors.
func ParsePublished(text []byte) (*Published, error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	var p Published
	if err := d.Decode(&p); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("parse %s: %w", PublishedFile, err)
	}
	if p.Version != 1 {
		return nil, fmt.Errorf("parse %s: version %d, want 1", PublishedFile, p.Version)
	}
	for section, run := range p.Sections {
		if section == "" || run == "" || run != filepath.Base(run) {
			return nil, fmt.Errorf("parse %s: section %q is fed by %q, which is no run's name", PublishedFile, section, run)
		}
	}
	if p.Sections == nil {
		p.Sections = make(map[string]string)
	}
	return &p, nil
}

// LoadPublished reads published.yaml of the results folder dir. A missing
// file is an empty map.
func LoadPublished(dir string) (*Published, error) {
	text, err := os.ReadFile(filepath.Join(dir, PublishedFile))
	if errors.Is(err, os.ErrNotExist) {
		return &Published{Version: 1, Sections: make(map[string]string)}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load published runs: %w", err)
	}
	return ParsePublished(text)
}

// Update moves every section that run holds to run. It refuses a run that is
// not complete.
func (p *Published) Update(run *Run) error {
	if err := publishable(run); err != nil {
		return fmt.Errorf("publish %s: %w", run.Header.Name, err)
	}
	if p.Sections == nil {
		p.Sections = make(map[string]string)
	}
	for _, s := range run.SectionNames() {
		p.Sections[s] = run.Header.Name
	}
	return nil
}

// Save writes published.yaml into the results folder dir, replacing it in one
// step.
func (p *Published) Save(dir string) error {
	var b bytes.Buffer
	b.WriteString(publishedHead)
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(p), e.Close()); err != nil {
		return fmt.Errorf("save published runs: %w", err)
	}
	path := filepath.Join(dir, PublishedFile)
	if err := os.WriteFile(path+".new", b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("save published runs: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("save published runs: %w", err)
	}
	return nil
}

// Load reads every run that p names from the results folder dir and validates
// p against them: each is complete and holds the sections it feeds.
func (p *Published) Load(dir string) (map[string]*Run, error) {
	runs := make(map[string]*Run)
	for _, name := range p.Sections {
		if runs[name] != nil {
			continue
		}
		run, err := ReadFile(filepath.Join(dir, RunsDir, name))
		if err != nil {
			return nil, fmt.Errorf("load published runs: %w", err)
		}
		runs[name] = run
	}
	return runs, p.Validate(runs)
}

// Validate checks p against the runs it names, keyed by name.
func (p *Published) Validate(runs map[string]*Run) error {
	var errs []error
	for section, name := range p.Sections {
		run := runs[name]
		if run == nil {
			errs = append(errs, fmt.Errorf("section %s: run %s is missing", section, name))
			continue
		}
		if err := publishable(run); err != nil {
			errs = append(errs, fmt.Errorf("section %s: run %s: %w", section, name, err))
		}
		if run.Header.Name != name {
			errs = append(errs, fmt.Errorf("section %s: the folder %s holds run %s", section, name, run.Header.Name))
		}
		if !slices.Contains(run.SectionNames(), section) {
			errs = append(errs, fmt.Errorf("section %s: run %s has no such section", section, name))
		}
	}
	// Map order is random; a message should not be.
	slices.SortFunc(errs, func(a, b error) int { return bytes.Compare([]byte(a.Error()), []byte(b.Error())) })
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("validate published runs: %w", err)
	}
	return nil
}

func publishable(run *Run) error {
	if run.Final == nil {
		return errors.New("the run was cut off")
	}
	if run.Final.Status != Complete {
		return fmt.Errorf("the run is %s", run.Final.Status)
	}
	return nil
}

// SectionNames lists the sections that the run holds, sorted.
func (run *Run) SectionNames() []string {
	seen := make(map[string]bool)
	for i := range run.Repetitions {
		seen[run.Repetitions[i].Cell.Section] = true
	}
	for i := range run.Sections {
		seen[run.Sections[i].Cell.Section] = true
	}
	names := make([]string, 0, len(seen))
	for s := range seen {
		names = append(names, s)
	}
	slices.Sort(names)
	return names
}
