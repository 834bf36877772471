package exchange

import "bytes"

// route is what a path leads to.
type route uint8

const (
	routeNone route = iota
	routeChat
	routeEmbeddings
	routeModels // the list
	routeModel  // one of it
	numRoutes
)

const (
	pathChat       = "/v1/chat/completions"
	pathEmbeddings = "/v1/embeddings"
	pathModels     = "/v1/models"
)

// routeOf is the route of a path, and for a model its name as it stands in the
// path.
func routeOf(path []byte) (route, []byte) {
	switch string(path) {
	case pathChat:
		return routeChat, nil
	case pathEmbeddings:
		return routeEmbeddings, nil
	case pathModels:
		return routeModels, nil
	}
	if len(path) > len(pathModels)+1 && bytes.HasPrefix(path, []byte(pathModels)) && path[len(pathModels)] == '/' {
		return routeModel, path[len(pathModels)+1:]
	}
	return routeNone, nil
}

// takes reports whether the route has the method.
func (r route) takes(method []byte) bool {
	if r.spends() {
		return string(method) == "POST"
	}
	return string(method) == "GET" || string(method) == "HEAD"
}

// allow is the value of the Allow field.
func (r route) allow() []byte {
	if r.spends() {
		return valuePost
	}
	return valueGet
}

// spends reports whether the route is a model surface: one that reaches an
// upstream, is admitted, counted and logged.
func (r route) spends() bool { return r == routeChat || r == routeEmbeddings }

// surface is the route's name in rows.
func (r route) surface() string {
	switch r {
	case routeChat:
		return "chat"
	case routeEmbeddings:
		return "embeddings"
	case routeModels, routeModel:
		return "models"
	}
	return ""
}
