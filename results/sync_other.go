//go:build !unix

package results

// syncDir does nothing: the system has no way to force a folder to disk.
func syncDir(string) error { return nil }
