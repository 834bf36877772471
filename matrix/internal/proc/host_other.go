//go:build !linux

package proc

// ReadHost reads nothing here: no steal, no pressure.
func ReadHost() (Host, []string) { return Host{}, []string{ErrUnsupported.Error()} }
