//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package conn

// prober looks at connections by a peek that does not block. Where bytes wait
// to be read it cannot see what comes behind them.
type prober struct{ *peeker }

func newProber() *prober { return &prober{newPeeker()} }
