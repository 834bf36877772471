//go:build unix && !darwin

package child

// maxRSSUnit is the unit of ru_maxrss: kilobytes here.
const maxRSSUnit = 1024
