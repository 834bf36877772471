package waterfall

import (
	"slices"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

// Layer is one layer of the gateway.
type Layer struct {
	Name string
	// Add switches the layer on, in stages that have those before it.
	Add func(*exchange.Stages)
	// Absent says why the layer is not measured; Add is nil then.
	Absent string
}

// Layers is every layer in the order in which a request meets them. A layer
// that the gateway comes to have takes its place here.
//
// Reading the answer's usage, and asking a stream for it, begins with the
// first layer that needs it, which is admission: it settles by usage.
func Layers() []Layer {
	return slices.Clone(layers)
}

var layers = []Layer{
	{Name: "proxy", Add: func(*exchange.Stages) {}},
	{Name: "auth", Add: func(s *exchange.Stages) { s.Auth = true }},
	{Name: "admission", Add: func(s *exchange.Stages) { s.Admission = true }},
	{Name: "guard", Absent: "this gateway has no guard"},
	{Name: "cache look-up", Absent: "this gateway has no cache"},
	{Name: "ledger", Add: func(s *exchange.Stages) { s.Ledger = true }},
	{Name: "log", Add: func(s *exchange.Stages) { s.Log = true }},
}

// configurations is the stages up to each layer; nil where it is absent.
func configurations(layers []Layer) []*exchange.Stages {
	var on exchange.Stages
	out := make([]*exchange.Stages, len(layers))
	for i, l := range layers {
		if l.Add == nil {
			continue
		}
		l.Add(&on)
		stages := on
		out[i] = &stages
	}
	return out
}
