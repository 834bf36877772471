package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Parse reads a spec strictly. source names it in errors.
func Parse(source string, text []byte) (*Spec, error) {
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s: empty spec", source)
		}
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	var more yaml.Node
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: more than one YAML document", source)
	}
	s := &Spec{Source: source, Text: bytes.Clone(text), CanaryLimit: 1.5}
	if len(doc.Content) != 1 {
		return nil, fmt.Errorf("%s: empty spec", source)
	}
	if err := unknownKeys(source, doc.Content[0], reflect.TypeFor[Spec](), 0); err != nil {
		return nil, err
	}
	if err := doc.Decode(s); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	if s.CanaryLimit == 0 {
		s.CanaryLimit = 1.5
	}
	if err := s.validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return s, nil
}

// maxDepth bounds recursion; a spec is four levels deep.
const maxDepth = 16

// unknownKeys walks a node beside the type it will be decoded into and
// refuses keys that the type does not have.
func unknownKeys(source string, n *yaml.Node, t reflect.Type, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%s:%d: nested too deeply", source, n.Line)
	}
	switch {
	case n.Kind == yaml.AliasNode:
		return fmt.Errorf("%s:%d: aliases are not allowed", source, n.Line)
	case t.Kind() == reflect.Slice && n.Kind == yaml.SequenceNode:
		for _, c := range n.Content {
			if err := unknownKeys(source, c, t.Elem(), depth+1); err != nil {
				return err
			}
		}
	case t.Kind() == reflect.Struct && n.Kind == yaml.MappingNode:
		fields := knownFields(t)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			ft, ok := fields[key.Value]
			if !ok {
				return fmt.Errorf("%s:%d: unknown key %q%s", source, key.Line, key.Value, suggest(key.Value, fields))
			}
			if err := unknownKeys(source, n.Content[i+1], ft, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func knownFields(t reflect.Type) map[string]reflect.Type {
	m := make(map[string]reflect.Type)
	for i := range t.NumField() {
		f := t.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case opts == "inline":
			for k, v := range knownFields(f.Type) {
				m[k] = v
			}
		case name != "" && name != "-":
			m[name] = f.Type
		}
	}
	return m
}

// suggest names the nearest known key, or all of them when none is near.
func suggest(key string, fields map[string]reflect.Type) string {
	names := make([]string, 0, len(fields))
	for k := range fields {
		names = append(names, k)
	}
	slices.Sort(names)
	best, bestAt := len(key)/2+1, ""
	for _, n := range names {
		if d := distance(key, n); d < best {
			best, bestAt = d, n
		}
	}
	if bestAt == "" {
		return "; known keys: " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("; did you mean %q?", bestAt)
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diag := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diag
			if a[i-1] != b[j-1] {
				cost++
			}
			diag = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
