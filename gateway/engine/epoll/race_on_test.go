//go:build linux && race

package epoll

// raceEnabled: the race detector makes pools drop what they hold at random.
const raceEnabled = true
