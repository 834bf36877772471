package contract

// Shape says where the pieces of a cell live. Results of two shapes are never
// set side by side as if comparable.
type Shape string

const (
	InProcess    Shape = "inprocess"     // client, gateway and mock in one process, over loopback sockets
	Direct       Shape = "direct"        // the exchange called with no socket
	External     Shape = "external"      // separate processes on one host
	Network      Shape = "network"       // each piece in a container of its own
	NetworkNetns Shape = "network-netns" // each piece in a network namespace of its own
)

// Valid reports whether s is one of the shapes.
func (s Shape) Valid() bool {
	switch s {
	case InProcess, Direct, External, Network, NetworkNetns:
		return true
	}
	return false
}

// Profile names a set of gateway features. A profile never changes its
// meaning when features are added.
type Profile string

const (
	Bare     Profile = "bare"     // proxy only
	Auth     Profile = "auth"     // bare + virtual keys
	Governed Profile = "governed" // auth + admission + ledger + async SQLite log
	Full     Profile = "full"     // governed + guard + cache look-up
)

// Valid reports whether p is one of the profiles.
func (p Profile) Valid() bool {
	switch p {
	case Bare, Auth, Governed, Full:
		return true
	}
	return false
}

// Join says how a request's id reaches the mock through a target.
type Join string

const (
	JoinHeader Join = "header" // X-Request-Id is passed on
	JoinBody   Join = "body"   // the body's "user" field is passed on
	JoinNone   Join = "none"   // neither: no joined toll
)
