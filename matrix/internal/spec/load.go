package spec

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/tollgate-lab/tollgate/matrix/specs"
)

// Embedded is the names of the specs that the program carries.
func Embedded() []string {
	entries, err := specs.FS.ReadDir(".")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".yaml"); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Load reads an embedded spec by name, or else a file.
func Load(nameOrFile string) (*Spec, error) {
	if slices.Contains(Embedded(), nameOrFile) {
		text, err := specs.FS.ReadFile(nameOrFile + ".yaml")
		if err != nil {
			return nil, fmt.Errorf("read embedded spec %s: %w", nameOrFile, err)
		}
		return Parse("embedded "+nameOrFile+".yaml", text)
	}
	text, err := os.ReadFile(nameOrFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("spec %q is neither a file nor one of the embedded %s", nameOrFile, strings.Join(Embedded(), ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("read spec: %w", err)
	}
	return Parse(nameOrFile, text)
}
