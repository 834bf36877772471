package report

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// column is the head of one column of a table.
type column struct {
	title string
	words bool // aligned to the left; numbers stand to the right
	wide  bool // left out on a terminal
}

// table is rows that may be compared with each other: all of one shape.
type table struct {
	columns []column
	rows    [][]string
	shape   contract.Shape
}

// errShapes is why two shapes never share a table.
var errShapes = errors.New("figures of two shapes are never set side by side: " +
	"one includes sockets, processes and copies that the other has not, so their difference would say nothing about the gateway")

// add appends a row measured in shape.
func (t *table) add(shape contract.Shape, row ...string) error {
	if t.shape == "" {
		t.shape = shape
	}
	if t.shape != shape {
		return fmt.Errorf("a table of shape %s got a row of shape %s: %w", t.shape, shape, errShapes)
	}
	if len(row) != len(t.columns) {
		return fmt.Errorf("a table of %d columns got a row of %d", len(t.columns), len(row))
	}
	t.rows = append(t.rows, row)
	return nil
}

// prune drops the columns that say nothing in any row, but for the first keep.
func (t *table) prune(keep int) {
	for i := len(t.columns) - 1; i >= keep; i-- {
		said := false
		for _, row := range t.rows {
			said = said || row[i] != none
		}
		if said {
			continue
		}
		t.columns = append(t.columns[:i:i], t.columns[i+1:]...)
		for j, row := range t.rows {
			t.rows[j] = append(row[:i:i], row[i+1:]...)
		}
	}
}

func (t *table) markdown(w io.Writer) error {
	return t.write(w, func(column) bool { return true }, escapeCell, tablewriter.WithRenderer(renderer.NewMarkdown()))
}

func (t *table) terminal(w io.Writer) error {
	plain := tw.Rendition{
		Borders: tw.BorderNone,
		Symbols: tw.NewSymbols(tw.StyleLight),
		Settings: tw.Settings{
			Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
			Lines:      tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off, ShowHeaderLine: tw.On, ShowFooterLine: tw.Off},
		},
	}
	return t.write(w, func(c column) bool { return !c.wide }, unmark, tablewriter.WithRenderer(renderer.NewBlueprint(plain)))
}

func (t *table) write(w io.Writer, show func(column) bool, clean func(string) string, how tablewriter.Option) error {
	var align []tw.Align
	var head []string
	var shown []int
	for i, c := range t.columns {
		if !show(c) {
			continue
		}
		shown = append(shown, i)
		head = append(head, clean(c.title))
		if c.words {
			align = append(align, tw.AlignLeft)
		} else {
			align = append(align, tw.AlignRight)
		}
	}
	as := tw.CellAlignment{Global: tw.AlignRight, PerColumn: align}
	cell := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Alignment:  as,
	}
	out := tablewriter.NewTable(w, how, tablewriter.WithConfig(tablewriter.Config{Header: cell, Row: cell}))
	out.Header(head)
	for _, row := range t.rows {
		var line []string
		for _, i := range shown {
			line = append(line, clean(row[i]))
		}
		if err := out.Append(line); err != nil {
			return fmt.Errorf("table: %w", err)
		}
	}
	if err := out.Render(); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	return nil
}

// oneLine keeps a cell on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// escapeCell keeps what somebody else wrote from ending a Markdown cell or
// opening markup.
func escapeCell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(oneLine(s))
}
