//go:build race

package waterfall

const raceDetector = true
