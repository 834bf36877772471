// Package admission is the wall between the request path and whoever keeps
// keys and budgets: the Admitter, and the closed list of reasons for which it
// refuses. It depends on nothing, so that the exchange can be measured with no
// operating system under it. Package accounts implements it.
package admission
