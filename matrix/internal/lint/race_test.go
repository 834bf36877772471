//go:build race

package lint

// raceDetector makes reading a whole run ten times slower.
const raceDetector = true
