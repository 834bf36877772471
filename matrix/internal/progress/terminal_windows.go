package progress

import (
	"os"

	"golang.org/x/sys/windows"
)

// Terminal reports whether f is a terminal, and its columns.
func Terminal(f *os.File) (columns int, ok bool) {
	var info windows.ConsoleScreenBufferInfo
	if windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info) != nil {
		return 0, false
	}
	return int(info.Window.Right-info.Window.Left) + 1, true
}
