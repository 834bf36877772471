//go:build race

package direct_test

const raceDetector = true
