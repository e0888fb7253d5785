package vt

import "strings"

// CommandAt is the command of a shell that row y (counted as in Range) belongs
// to, by the prompt marks that the shell wrote (OSC 133): the rows of its
// prompt with what was typed, and the rows of its output, which is empty (its
// two ends are the same) if there is none yet. ok is false if no prompt was
// marked at or above row y.
func (t *Terminal) CommandAt(y int) (input, output Range, ok bool) {
	return commandAt(terminalRows{t}, y)
}

// markSource is a rowSource whose rows have prompt marks.
type markSource interface {
	rowSource
	marks(i int) string // the letters of the marks on row i
}

func (r terminalRows) marks(i int) string {
	if n := r.t.ScrollbackLen(); i >= n {
		return r.t.RowMarks(i - n)
	}
	return r.t.ScrollbackMarks(i)
}

func commandAt(rows markSource, y int) (input, output Range, ok bool) {
	n := rows.rowCount()
	first := min(y, n-1)
	for first >= 0 && !strings.Contains(rows.marks(first), "A") {
		first--
	}
	if first < 0 {
		return Range{}, Range{}, false
	}
	// The output begins at the mark C and ends before the next prompt, or at
	// the mark D, which most shells write at the start of that prompt's row.
	began, end := -1, first+1
	for ; end < n; end++ {
		m := rows.marks(end)
		if strings.ContainsAny(m, "AD") {
			break
		}
		if began < 0 && strings.Contains(m, "C") {
			began = end
		}
	}
	if end == n { // the last command: without the blank rows below it
		for end > first+1 && rows.text(end-1) == "" {
			end--
		}
	}
	if began < 0 || began > end {
		began = end
	}
	return Range{Y0: first, Y1: began}, Range{Y0: began, Y1: end}, true
}
