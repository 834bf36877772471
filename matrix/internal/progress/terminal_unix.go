//go:build unix

package progress

import (
	"os"

	"golang.org/x/sys/unix"
)

// Terminal reports whether f is a terminal, and its columns.
func Terminal(f *os.File) (columns int, ok bool) {
	ws, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, false
	}
	return int(ws.Col), true
}
