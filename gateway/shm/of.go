package shm

// Of is a region over words that somebody else obtained (a mapped file); closer
// gives them back, nil if there is nothing to give back.
func Of(words []int64, closer func() error) *Region {
	return &Region{words: words, close: closer}
}
