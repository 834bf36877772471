package config

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
	"time"
)

//go:embed types.go
var typesSource string

// Reference is a complete config file: every key with its default and, as
// comment, the comment of its field in types.go. Lines that begin with "## " are
// words, other lines that begin with "# " are an example of what has no default.
func Reference() (string, error) {
	docs, err := fieldDocs(typesSource)
	if err != nil {
		return "", err
	}
	w := reference{docs: docs}
	w.prose("", "Config of the tollgate gateway: every key, with its default. Parse is strict: an unknown key is refused.\n"+
		"Nothing here is substituted from the environment; a comment names the variable where one overrides a key.")
	w.section(reflect.ValueOf(Default()).Elem(), "", "")
	return w.String(), nil
}

type reference struct {
	strings.Builder
	docs map[string]string // by "Type.Field"
}

// section writes the keys of a struct. mark is "# " inside an example.
func (w *reference) section(v reflect.Value, mark, indent string) {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		key := f.Tag.Get("yaml")
		if key == "" {
			continue
		}
		if mark == "" && indent == "" {
			w.WriteByte('\n')
		}
		w.prose(mark+indent, w.docs[t.Name()+"."+f.Name])
		w.field(v.Field(i), f, key, mark, indent)
	}
}

func (w *reference) field(v reflect.Value, f reflect.StructField, key, mark, indent string) {
	if v.Kind() == reflect.Pointer {
		v = reflect.New(v.Type().Elem()).Elem()
	}
	switch {
	case v.Kind() == reflect.Struct:
		fmt.Fprintf(w, "%s%s%s:\n", mark, indent, key)
		w.section(v, mark, indent+"  ")
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		e := reflect.New(v.Type().Elem())
		if d, ok := e.Interface().(defaulter); ok {
			d.setDefaults()
		}
		fmt.Fprintf(w, "%s%s%s: []\n# %s:\n", mark, indent, key, key)
		w.element(e.Elem())
	case v.Kind() == reflect.Slice:
		fmt.Fprintf(w, "%s%s%s: [%s]\n", mark, indent, key, f.Tag.Get("example"))
	default:
		text := render(v)
		if example, ok := f.Tag.Lookup("example"); ok && mark != "" {
			text = quote(v, example)
		}
		fmt.Fprintf(w, "%s%s%s: %s\n", mark, indent, key, text)
	}
}

// element writes a list's only example element: its first key gets the dash.
func (w *reference) element(v reflect.Value) {
	inner := reference{docs: w.docs}
	inner.section(v, "# ", "    ")
	dashed := false
	for line := range strings.Lines(inner.String()) {
		if !dashed && !strings.HasPrefix(strings.TrimLeft(line[2:], " "), "## ") {
			line = "#   - " + line[len("#     "):]
			dashed = true
		}
		w.WriteString(line)
	}
}

// prose writes words as comment lines of at most 100 bytes.
func (w *reference) prose(before, text string) {
	const width = 100
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		line := before + "##"
		for word := range strings.FieldsSeq(paragraph) {
			if len(line)+1+len(word) > width {
				w.WriteString(line + "\n")
				line = before + "##"
			}
			line += " " + word
		}
		w.WriteString(line + "\n")
	}
}

func render(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case time.Duration:
		return formatDuration(x)
	case fmt.Stringer:
		return quote(v, x.String())
	}
	return quote(v, fmt.Sprint(v.Interface()))
}

// quote puts quotes around text and money, so that YAML reads neither as
// something else.
func quote(v reflect.Value, s string) string {
	if v.Kind() == reflect.String || v.Type() == reflect.TypeFor[Dollars]() {
		return strconv.Quote(s)
	}
	return s
}

// fieldDocs reads the comments of a Go source's struct fields, by
// "Type.Field". The lines of a comment are one paragraph.
func fieldDocs(source string) (map[string]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "types.go", source, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("read the comments of the config's fields: %w", err)
	}
	docs := make(map[string]string)
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if s, ok := spec.Type.(*ast.StructType); ok {
			for _, f := range s.Fields.List {
				for _, name := range f.Names {
					docs[spec.Name.Name+"."+name.Name] = strings.ReplaceAll(strings.TrimSpace(f.Doc.Text()), "\n", " ")
				}
			}
		}
		return false
	})
	return docs, nil
}
