package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Parse reads a config file's bytes; file is its name, for errors. Keys that are
// left out have their defaults.
func Parse(file string, data []byte) (*Config, error) {
	c := Default()
	c.src = source{file: file, lines: make(map[string]int)}
	root, err := parseYAML(file, data)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return c, nil
	}
	d := decoder{faults{src: &c.src}}
	d.node(root, reflect.ValueOf(c).Elem(), "")
	if err := errors.Join(d.list...); err != nil {
		return nil, err
	}
	return c, nil
}

var yamlLine = regexp.MustCompile(`^line (\d+): `)

// parseYAML returns the only document's root, nil when there is none.
func parseYAML(file string, data []byte) (*yaml.Node, error) {
	fault := func(line int, err error) error { return &Error{At: fmt.Sprintf("%s:%d", file, line), Err: err} }
	if line := unreadable(data); line > 0 {
		return nil, fault(line, errors.New("not a text file: a byte is neither UTF-8 nor allowed in YAML"))
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		text, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
		if m := yamlLine.FindStringSubmatch(text); m != nil {
			text = text[len(m[0]):]
			if n, err := strconv.Atoi(m[1]); err == nil {
				line = max(n, 1) // the parser counts from 0 here and there
			}
		}
		return nil, fault(line, fmt.Errorf("not YAML: %s", text))
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, fault(max(more.Line, 1), errors.New("a config is one YAML document, here is a second"))
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, nil
	}
	return doc.Content[0], nil
}

// unreadable is the line of the first byte that no YAML file has, 0: there is
// none.
func unreadable(data []byte) int {
	for line, at := 1, 0; at < len(data); {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n == 1 || r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f {
			return line
		}
		if r == '\n' {
			line++
		}
		at += n
	}
	return 0
}

type decoder struct{ faults }

func (d *decoder) node(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if _, seen := d.src.lines[path]; !seen {
		d.src.lines[path] = n.Line
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Struct:
		d.mapping(n, v, path)
	case reflect.Slice:
		d.sequence(n, v, path)
	default:
		d.scalar(n, v, path)
	}
}

func (d *decoder) mapping(n *yaml.Node, v reflect.Value, path string) {
	if isNull(n) {
		return // a section whose keys are all commented out
	}
	if n.Kind != yaml.MappingNode {
		d.addf(path, "want keys and values, got %s", kindOf(n))
		return
	}
	fields, known := fieldsOf(v.Type())
	seen := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := key.Value
		at := join(path, name)
		field, ok := fields[name]
		if key.Kind != yaml.ScalarNode || !ok {
			d.addAt(key.Line, path, unknownKey(name, known))
			continue
		}
		d.src.lines[at] = key.Line
		if line, ok := seen[name]; ok {
			d.addf(at, "given twice, first on line %d", line)
			continue
		}
		seen[name] = key.Line
		d.node(value, v.Field(field), at)
	}
}

func (d *decoder) sequence(n *yaml.Node, v reflect.Value, path string) {
	if isNull(n) {
		return
	}
	if n.Kind != yaml.SequenceNode {
		d.addf(path, "want a list, got %s", kindOf(n))
		return
	}
	list := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, element := range n.Content {
		e := list.Index(i)
		if def, ok := e.Addr().Interface().(defaulter); ok {
			def.setDefaults()
		}
		d.node(element, e, fmt.Sprintf("%s[%d]", path, i))
	}
	v.Set(list)
}

func (d *decoder) scalar(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.ScalarNode {
		d.addf(path, "want one value, got %s", kindOf(n))
		return
	}
	if isNull(n) {
		d.addf(path, "has no value: give one, or leave the key out")
		return
	}
	if v.Kind() == reflect.String && n.Tag == "!!bool" {
		d.addf(path, "want text, got %s: put it in quotes", n.Value)
		return
	}
	if err := setScalar(v, n.Value); err != nil {
		d.add(path, err)
	}
}

// setScalar reads text as what v is.
func setScalar(v reflect.Value, text string) error {
	var err error
	switch v.Type() {
	case reflect.TypeFor[time.Duration]():
		var t time.Duration
		t, err = parseDuration(text)
		v.SetInt(int64(t))
	case reflect.TypeFor[Size]():
		var s Size
		s, err = ParseSize(text)
		v.SetInt(int64(s))
	case reflect.TypeFor[Dollars]():
		var m Dollars
		m, err = ParseDollars(text)
		v.SetInt(int64(m))
	case reflect.TypeFor[int]():
		var n int64
		n, err = parseInt(text)
		if err == nil && n != int64(int(n)) {
			err = fmt.Errorf("want a smaller number, got %q", text)
		}
		v.SetInt(n)
	case reflect.TypeFor[int64]():
		var n int64
		n, err = parseInt(text)
		v.SetInt(n)
	case reflect.TypeFor[bool]():
		var b bool
		b, err = parseBool(text)
		v.SetBool(b)
	case reflect.TypeFor[string]():
		v.SetString(text)
	default:
		err = fmt.Errorf("a value of type %s cannot be read", v.Type())
	}
	return err
}

// fieldsOf lists the keys of a section, by name and in order.
func fieldsOf(t reflect.Type) (index map[string]int, names []string) {
	index = make(map[string]int)
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("yaml"); name != "" {
			index[name] = i
			names = append(names, name)
		}
	}
	return index, names
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys and values"
	case yaml.SequenceNode:
		return "a list"
	}
	if isNull(n) {
		return "nothing"
	}
	return strconv.Quote(n.Value)
}
