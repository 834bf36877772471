package exchange

// Endpoint is one provider address that engines connect to.
type Endpoint struct {
	Name     string // the provider's name in the config
	TLS      bool
	Host     string // host:port to dial
	HostHead string // value of the Host field
	MaxConns int    // most connections of one process, 0: no limit
	MaxIdle  int    // most idle ones kept, 0: default of the engine
}
