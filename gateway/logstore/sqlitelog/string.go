package sqlitelog

import "unsafe"

// asString views b as a string without copying; BindText copies the bytes
// before b changes.
func asString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
