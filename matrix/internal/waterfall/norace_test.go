//go:build !race

package waterfall

const raceDetector = false
