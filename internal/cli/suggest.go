package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// nearest is the command below cmd whose name was probably meant by word: one
// that begins with it, else one that a single slip makes of it (a letter too
// many, too few, wrong, or two exchanged); two in a long word. "" is none.
func nearest(cmd *cobra.Command, word string) string {
	word = strings.ToLower(word)
	best, least := "", max(1, len(word)/4)+1
	for _, name := range childNames(cmd) {
		if len(word) > 1 && strings.HasPrefix(name, word) {
			return name
		}
		if n := slips(word, name); n < least && n < len(name) {
			best, least = name, n
		}
	}
	return best
}

// slips counts the slips between two words (their optimal string alignment).
func slips(a, b string) int {
	var before []int // the row before the last
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
