//go:build !linux

package host

import "github.com/tollgate-lab/tollgate/results"

func bootID() string { return "" }

func system(*results.Fingerprint) {}
