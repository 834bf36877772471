package openai

import "strconv"

// Models is the list of models, rendered once.
type Models struct {
	entries [][]byte
	all     []byte
}

// NewModels renders the models of the given names; created is Unix seconds.
func NewModels(names []string, created int64) *Models {
	m := &Models{}
	for _, name := range names {
		e := append([]byte(nil), `{"id":`...)
		e = AppendString(e, name)
		e = append(e, `,"object":"model","created":`...)
		e = strconv.AppendInt(e, created, 10)
		e = append(e, `,"owned_by":"tollgate"}`...)
		m.entries = append(m.entries, e)
	}
	m.all = m.AppendList(nil, nil)
	return m
}

// Entry is the description of model i.
func (m *Models) Entry(i int) []byte { return m.entries[i] }

// All is the list of all models.
func (m *Models) All() []byte { return m.all }

// AppendList appends the list of the models that keep takes; nil: all.
func (m *Models) AppendList(dst []byte, keep func(i int) bool) []byte {
	dst = append(dst, `{"object":"list","data":[`...)
	first := true
	for i, e := range m.entries {
		if keep != nil && !keep(i) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, e...)
	}
	return append(dst, "]}"...)
}
