package lint

import "strings"

// Cell is one cell of a table.
type Cell struct {
	Text string // markup removed
	Line int
}

// grid is a table before its columns are known.
type grid struct {
	head []string
	rows [][]Cell
	line int // of the head
}

// Table is a table whose columns were recognised.
type Table struct {
	Title   string // its caption, or its section's heading
	Line    int    // of its head
	Section *Section
	Columns []Column
	Rows    []Row
}

// Row is one row.
type Row struct {
	Cells []Cell
	table *Table
}

func newTable(s *Section, title string, g grid) *Table {
	if lying(g) {
		g = g.transposed()
	}
	t := &Table{Title: title, Line: g.line, Section: s}
	for i, h := range g.head {
		t.Columns = append(t.Columns, classify(h, g, i))
	}
	t.markKeys()
	for _, r := range g.rows {
		t.Rows = append(t.Rows, Row{r, t})
	}
	return t
}

// lying reports whether the measures are down the side and what was measured
// stands across.
func lying(g grid) bool {
	if len(g.head) < 2 || len(g.rows) < 2 {
		return false
	}
	across, down := 0, 0
	for _, h := range g.head {
		if c := classify(h, grid{}, 0); c.measured() {
			across++
		}
	}
	for _, r := range g.rows {
		if c := classify(r[0].Text, grid{}, 0); c.measured() && c.Kind != Mix {
			down++
		}
	}
	return across == 0 && 2*down > len(g.rows)
}

func (g grid) transposed() grid {
	out := grid{head: []string{g.head[0]}, line: g.line}
	for _, r := range g.rows {
		out.head = append(out.head, r[0].Text)
	}
	for i := 1; i < len(g.head); i++ {
		row := []Cell{{g.head[i], g.line}}
		for _, r := range g.rows {
			row = append(row, r[i])
		}
		out.rows = append(out.rows, row)
	}
	return out
}

// markKeys: what stands left of the first measure tells rows apart.
func (t *Table) markKeys() {
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.measured() {
			// A table that begins with a number of requests has no other name
			// for its rows.
			c.Key = i == 0 && c.Kind == Samples
			return
		}
		c.Key = true
	}
	// No measure at all: the first column is as good a name as any.
	for i := range t.Columns {
		t.Columns[i].Key = i == 0
	}
}

// Is lists the columns of a kind.
func (t *Table) Is(kinds ...Kind) (out []int) {
	for i, c := range t.Columns {
		for _, k := range kinds {
			if c.Kind == k {
				out = append(out, i)
			}
		}
	}
	return out
}

// only is the one column of a kind; false when there is none, or a choice.
func (t *Table) only(k Kind) (int, bool) {
	list := t.Is(k)
	if len(list) != 1 {
		return 0, false
	}
	return list[0], true
}

// Figure is the figure in column i, in its base unit; false when the cell
// holds none.
func (r *Row) Figure(i int) (Quantity, bool) {
	text := r.Cells[i].Text
	q, ok := ParseQuantity(text)
	if !ok || !q.Figure() || q.Bound != 0 {
		return Quantity{}, false
	}
	return q.in(r.table.Columns[i].unit), true
}

// of is Figure, with the dimension that is wanted.
func (r *Row) of(i int, d Dimension) (Quantity, bool) {
	q, ok := r.Figure(i)
	return q, ok && q.Dim == d
}

// Name is what identifies the row.
func (r *Row) Name() string {
	var parts []string
	for i, c := range r.table.Columns {
		if text := r.Cells[i].Text; c.Key && !blank(text) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ", ")
}

// blank reports whether a cell says nothing.
func blank(text string) bool {
	switch strings.ToLower(text) {
	case "", "–", "-", "—", "n/a", "na", "none":
		return true
	}
	return false
}

// says reports whether any cell or heading of the row's table has one of the
// words, in lower case.
func (r *Row) says(words ...string) bool {
	for _, c := range r.Cells {
		if containsAny(c.Text, words...) {
			return true
		}
	}
	return false
}

func containsAny(text string, words ...string) bool {
	text = strings.ToLower(text)
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// finding begins a finding at a cell.
func (r *Row) finding(rule string, i int) Finding {
	return Finding{Rule: rule, Line: r.Cells[i].Line, Table: r.table.Title, Row: r.Name(), Column: r.table.Columns[i].Name}
}

// read is how a cell is quoted: with its heading.
func (r *Row) read(columns ...int) string {
	var parts []string
	for _, i := range columns {
		parts = append(parts, r.table.Columns[i].Name+" "+r.Cells[i].Text)
	}
	return strings.Join(parts, ", ")
}
