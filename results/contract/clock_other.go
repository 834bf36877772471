//go:build !linux

package contract

func monotonic() (int64, bool) { return 0, false }
