package exchange

import "bytes"

// route is what a path leads to.
type route uint8

const (
	routeNone route = iota
	routeChat
	routeEmbeddings
	routeModels // the list
	routeModel  // one of it: the path and a name
	numRoutes
)

// routes is the router. A route that spends is a model surface: it reaches an
// upstream, and is authenticated, admitted, counted and logged.
var routes = [numRoutes]struct {
	path    string
	surface string // name in rows
	methods string // value of the Allow field
	spends  bool
}{
	routeChat:       {path: "/v1/chat/completions", surface: "chat", methods: "POST", spends: true},
	routeEmbeddings: {path: "/v1/embeddings", surface: "embeddings", methods: "POST", spends: true},
	routeModels:     {path: "/v1/models", surface: "models", methods: "GET, HEAD"},
	routeModel:      {path: "/v1/models/", surface: "models", methods: "GET, HEAD"},
}

// routeOf is the route of a path, and for a model its name as it stands in the
// path.
func routeOf(path []byte) (route, []byte) {
	for r := routeChat; r < routeModel; r++ {
		if string(path) == routes[r].path {
			return r, nil
		}
	}
	if rest, ok := bytes.CutPrefix(path, modelPrefix); ok && len(rest) > 0 {
		return routeModel, rest
	}
	return routeNone, nil
}

var modelPrefix = []byte(routes[routeModel].path)

// takes reports whether the route has the method.
func (r route) takes(method []byte) bool {
	if r.spends() {
		return string(method) == "POST"
	}
	return string(method) == "GET" || string(method) == "HEAD"
}

func (r route) spends() bool    { return routes[r].spends }
func (r route) surface() string { return routes[r].surface }
