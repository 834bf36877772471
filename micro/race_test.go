//go:build race

package micro

const raceEnabled = true
