package exchange

// Endpoint is one provider address that engines connect to.
type Endpoint struct {
	Name     string // the provider's name in the config
	TLS      bool
	Host     string // host:port to dial
	HostHead string // value of the Host field
	MaxConns int    // most connections of one process, 0: no limit
	MaxIdle  int    // most idle ones kept, 0: default of the engine
	// Roots are the certificates, in PEM, that alone vouch for the endpoint;
	// "": the engine's own, or the system's.
	Roots string
	// Proxy is host:port of an HTTP proxy that connects to Host by CONNECT; "":
	// none. ProxyAuth is the value of its Proxy-Authorization field, "": none.
	Proxy, ProxyAuth string
}
