package config

import (
	"fmt"
	"strings"
)

// unknownKey says what is wrong with a key and which one may have been meant.
func unknownKey(key string, known []string) error {
	best, distance := "", len(key)/3+2
	for _, k := range known {
		if d := editDistance(strings.ToLower(key), k); d < distance {
			best, distance = k, d
		}
	}
	if best != "" {
		return fmt.Errorf("unknown key %q; did you mean %q?", key, best)
	}
	return fmt.Errorf("unknown key %q; known here: %s", key, strings.Join(known, ", "))
}

// editDistance is the number of insertions, deletions, replacements and swaps of
// neighbours that turn a into b (optimal string alignment).
func editDistance(a, b string) int {
	const longest = 64 // no key is; a whole document mistaken for one might be
	if len(a) > longest {
		a = a[:longest]
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := last[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(replace, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
