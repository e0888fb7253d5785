package tui

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// fuzzy scores how well a query fits a text: its characters must come in
// order, and count for more together, at the begin of a word and early. ok is
// false where they do not.
func fuzzy(query, text string) (score int, ok bool) {
	q := []rune(strings.ToLower(query))
	t := []rune(text)
	i, last := 0, -2
	for at, r := range t {
		if i == len(q) {
			break
		}
		if unicode.ToLower(r) != q[i] {
			continue
		}
		score += 1
		if at == last+1 {
			score += 4
		}
		if at == 0 || !unicode.IsLetter(t[at-1]) && !unicode.IsDigit(t[at-1]) {
			score += 3
		}
		if at < 8 {
			score++
		}
		last = at
		i++
	}
	return score, i == len(q)
}

// fuzzyWords takes a query's words apart: each must fit.
func fuzzyWords(query, text string) (score int, ok bool) {
	for word := range strings.FieldsSeq(query) {
		n, fits := fuzzy(word, text)
		if !fits {
			return 0, false
		}
		if strings.Contains(strings.ToLower(text), strings.ToLower(word)) {
			n += 10
		}
		score += n
	}
	return score, true
}

// rank is the items that fit a query, the best first, equals in their order.
func rank[T any](query string, items []T, text func(T) string) []T {
	type scored struct {
		item  T
		score int
	}
	var fits []scored
	for _, it := range items {
		if n, ok := fuzzyWords(query, text(it)); ok {
			fits = append(fits, scored{it, n})
		}
	}
	slices.SortStableFunc(fits, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	out := make([]T, len(fits))
	for i, s := range fits {
		out[i] = s.item
	}
	return out
}
