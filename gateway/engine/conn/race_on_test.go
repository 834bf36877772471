//go:build race

package conn_test

// raceEnabled: the race detector makes pools drop what they hold at random.
const raceEnabled = true
