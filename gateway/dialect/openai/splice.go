package openai

import "github.com/tollgate-lab/tollgate/gateway/dialect"

// What is put in to ask for usage, by where it goes.
var (
	putMember  = []byte(`,"stream_options":{"include_usage":true}`)
	putOptions = []byte(`{"include_usage":true}`)
	putFirst   = []byte(`"include_usage":true,`)
	putTrue    = []byte(`true`)
)

// options reads include_usage inside stream_options, which is valid JSON.
// Where it repeats the last one counts, and is the one that is edited.
func (r *Request) options(b []byte) {
	v := r.StreamOptions
	if b[v.At] != '{' {
		return
	}
	i := blank(b, v.At+1)
	for b[i] != '}' {
		end, _, _ := str(b, i+1)
		var buf [6 * longestName]byte
		is := false
		if name := b[i+1 : end-1]; len(name) <= len(buf) {
			is = string(unescape(buf[:0], name)) == "include_usage"
		}
		at := blank(b, blank(b, end)+1)
		end = r.syn.value(b, at, 2, countNone)
		if is {
			r.includeUsage = Span{at, end}
			r.IncludeUsage = b[at] == 't'
		}
		if i = blank(b, end); b[i] == ',' {
			i = blank(b, i+1)
		}
	}
}

// Splices appends to dst the edits that the upstream's body needs: the model's
// value replaced by model (a JSON string, quotes included) unless that is nil,
// and, when usage is true, stream_options.include_usage set. A stream_options
// or include_usage of a wrong type is left for the upstream to refuse: asked
// reports whether the upstream will be asked for usage that the client did not
// ask for.
func (r *Request) Splices(dst []dialect.Splice, b, model []byte, usage bool) (_ []dialect.Splice, asked bool) {
	var ask dialect.Splice
	if usage && r.Stream && !r.IncludeUsage {
		ask, asked = r.ask(b)
	}
	if asked && (model == nil || ask.At < r.Model.At) {
		dst = append(dst, ask)
	}
	if model != nil && !r.Model.Absent() {
		dst = append(dst, dialect.Splice{At: r.Model.At, Cut: r.Model.End - r.Model.At, Put: model})
	}
	if asked && model != nil && ask.At > r.Model.At {
		dst = append(dst, ask)
	}
	return dst, asked
}

// ask is the edit that asks for usage.
func (r *Request) ask(b []byte) (dialect.Splice, bool) {
	v := r.StreamOptions
	switch {
	case v.Absent():
		return dialect.Splice{At: r.Close, Put: putMember}, true
	case b[v.At] == 'n', b[v.At] == '{' && b[blank(b, v.At+1)] == '}':
		return dialect.Splice{At: v.At, Cut: v.End - v.At, Put: putOptions}, true
	case b[v.At] != '{':
		return dialect.Splice{}, false
	case r.includeUsage.Absent():
		return dialect.Splice{At: v.At + 1, Put: putFirst}, true
	}
	u := r.includeUsage
	if c := b[u.At]; c != 'f' && c != 'n' {
		return dialect.Splice{}, false
	}
	return dialect.Splice{At: u.At, Cut: u.End - u.At, Put: putTrue}, true
}
