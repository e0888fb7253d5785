package vt

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Range is a stretch of text in reading order, from the cell X0 of row Y0 up
// to, and without, the cell X1 of row Y1. Rows are counted through the
// scrollback, 0 the oldest, and on through the screen: the screen's row y is
// ScrollbackLen()+y.
type Range struct{ Y0, X0, Y1, X1 int }

// SearchOptions say how Search takes its pattern.
type SearchOptions struct {
	Regexp     bool // the pattern is a regular expression (package regexp)
	IgnoreCase bool
	Limit      int // the most matches wanted, the newest; 0 all
}

// Search finds a text or a regular expression in the scrollback and the
// screen, in rows that a soft wrap joined as well, and returns the matches in
// order. Matches do not overlap, and empty ones do not count. In a regular
// expression ^ and $ are the ends of a line as it was written, before it was
// wrapped.
func (t *Terminal) Search(pattern string, o SearchOptions) ([]Range, error) {
	return search(terminalRows{t}, pattern, o)
}

// WordAt is the word at cell x of row y (counted as in Range): the run of
// characters around it that are neither space nor quotes, brackets and the
// like. Between words it is the run of the same character. It follows soft
// wraps. ok is false where nothing is written.
func (t *Terminal) WordAt(x, y int) (r Range, ok bool) { return wordAt(terminalRows{t}, x, y) }

// LineAt is the whole line to which row y (counted as in Range) belongs, soft
// wraps included.
func (t *Terminal) LineAt(y int) Range {
	rows := terminalRows{t}
	first, last := lineOf(rows, y)
	return Range{Y0: first, Y1: last, X1: rows.columns()}
}

// RangeText is the text of a range. Rows that a soft wrap joined are one line;
// blanks at the end of a line are left out.
func (t *Terminal) RangeText(r Range) string { return rangeText(terminalRows{t}, r) }

// rowSource is what searching needs of a terminal.
type rowSource interface {
	rowCount() int
	columns() int
	text(i int) string  // of row i, without blanks at the end
	wrapped(i int) bool // row i goes on in row i+1
}

// terminalRows are the rows of a terminal from the oldest of the scrollback to
// the last of the screen.
type terminalRows struct{ t *Terminal }

func (r terminalRows) columns() int {
	cols, _ := r.t.Size()
	return cols
}

func (r terminalRows) rowCount() int {
	_, rows := r.t.Size()
	return r.t.ScrollbackLen() + rows
}

func (r terminalRows) text(i int) string {
	if n := r.t.ScrollbackLen(); i >= n {
		return r.t.RowText(i - n)
	}
	return r.t.ScrollbackText(i)
}

func (r terminalRows) wrapped(i int) bool {
	if n := r.t.ScrollbackLen(); i >= n {
		return r.t.RowWrapped(i - n)
	}
	return r.t.ScrollbackWrapped(i)
}

// line is a line as it was written: rows joined where they were wrapped.
type line struct {
	text  string
	first int   // its first row
	start []int // where each of its rows begins in text
}

// lineOf is the first and the last row of the line to which row y belongs.
func lineOf(rows rowSource, y int) (first, last int) {
	n := rows.rowCount()
	y = max(0, min(y, n-1))
	for first = y; first > 0 && rows.wrapped(first-1); first-- {
	}
	for last = y; last < n-1 && rows.wrapped(last); last++ {
	}
	return first, last
}

// joinRows joins the rows first to last. A row's text has no blanks at its
// end; those of a wrapped row were written, so they are put back, but for the
// one cell that a wide character leaves when it does not fit.
func joinRows(rows rowSource, first, last int) line {
	l := line{first: first, start: make([]int, 0, last-first+1)}
	if first == last {
		l.text, l.start = rows.text(first), append(l.start, 0)
		return l
	}
	var b strings.Builder
	next := rows.text(first)
	for y := first; y <= last; y++ {
		text := next
		l.start = append(l.start, b.Len())
		b.WriteString(text)
		if y == last {
			break
		}
		next = rows.text(y + 1)
		pad := rows.columns() - StringWidth(text)
		if pad == 1 && next != "" {
			if _, w := nextCluster(next); w == 2 {
				pad = 0
			}
		}
		for ; pad > 0; pad-- {
			b.WriteByte(' ')
		}
	}
	l.text = b.String()
	return l
}

// cell is the row and the column of the byte off of the line. At the boundary
// of two rows an end belongs to the row before. Inside a cluster it is where
// the cluster begins, or ends.
func (l line) cell(off int, end bool) (y, x int) {
	i := len(l.start) - 1
	for i > 0 && (l.start[i] > off || end && l.start[i] == off) {
		i--
	}
	stop := len(l.text)
	if i+1 < len(l.start) {
		stop = l.start[i+1]
	}
	for at := l.start[i]; at < off; {
		size, w := nextCluster(l.text[at:stop])
		if at += size; at <= off || end {
			x += w
		}
	}
	return l.first + i, x
}

// at is the place in the text of the cell x of row y, and the length of the
// cluster there; ok is false behind the end.
func (l line) at(y, x int) (off, size int, ok bool) {
	i := y - l.first
	end := len(l.text)
	if i+1 < len(l.start) {
		end = l.start[i+1]
	}
	col := 0
	for off = l.start[i]; off < end; off += size {
		var w int
		size, w = nextCluster(l.text[off:end])
		if x < col+w {
			return off, size, true
		}
		col += w
	}
	return off, 0, false
}

func search(rows rowSource, pattern string, o SearchOptions) ([]Range, error) {
	if pattern == "" {
		return nil, nil
	}
	expr := pattern
	if !o.Regexp {
		expr = regexp.QuoteMeta(pattern)
	}
	if o.IgnoreCase {
		expr = "(?i:" + expr + ")"
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf("search pattern %q: %w", pattern, err)
	}
	var found []Range
	for last := rows.rowCount() - 1; last >= 0; {
		first, _ := lineOf(rows, last)
		l := joinRows(rows, first, last)
		last = first - 1
		matches := re.FindAllStringIndex(l.text, -1)
		for i := len(matches) - 1; i >= 0; i-- {
			from, to := matches[i][0], matches[i][1]
			if from == to {
				continue
			}
			var r Range
			r.Y0, r.X0 = l.cell(from, false)
			r.Y1, r.X1 = l.cell(to, true)
			if n := len(found); n > 0 && (r.Y1 > found[n-1].Y0 || r.Y1 == found[n-1].Y0 && r.X1 > found[n-1].X0) || r.Y0 == r.Y1 && r.X0 >= r.X1 {
				continue // it ends in the cluster that the next begins in, or takes no cell
			}
			found = append(found, r)
			if len(found) == o.Limit {
				last = -1
				break
			}
		}
	}
	for i, j := 0, len(found)-1; i < j; i, j = i+1, j-1 {
		found[i], found[j] = found[j], found[i]
	}
	return found, nil
}

func wordAt(rows rowSource, x, y int) (Range, bool) {
	if x < 0 || y < 0 || y >= rows.rowCount() {
		return Range{}, false
	}
	first, last := lineOf(rows, y)
	l := joinRows(rows, first, last)
	off, size, ok := l.at(y, x)
	if !ok {
		return Range{}, false
	}
	here, _ := utf8.DecodeRuneInString(l.text[off:])
	same := func(r rune) bool { return r == here }
	if !isWordBreak(here) {
		same = func(r rune) bool { return !isWordBreak(r) }
	}
	from, to := off, off+size
	for from > 0 {
		r, n := utf8.DecodeLastRuneInString(l.text[:from])
		if !same(r) && runeProps(r).width() != 0 {
			break
		}
		from -= n
	}
	for to < len(l.text) {
		r, n := utf8.DecodeRuneInString(l.text[to:])
		if !same(r) && runeProps(r).width() != 0 {
			break
		}
		to += n
	}
	var r Range
	r.Y0, r.X0 = l.cell(from, false)
	r.Y1, r.X1 = l.cell(to, true)
	return r, true
}

// isWordBreak reports whether r ends a word: spaces, quotes, brackets, the
// lines that programs draw. What paths, addresses and options are made of does
// not.
func isWordBreak(r rune) bool {
	switch {
	case unicode.IsSpace(r):
		return true
	case r >= 0x2500 && r < 0x25a0: // box drawing and block elements
		return true
	}
	return strings.ContainsRune("()[]{}<>\"'`|,;“”‘’«»（）「」『』【】、。，；", r)
}

func rangeText(rows rowSource, r Range) string {
	var b strings.Builder
	last := min(r.Y1, rows.rowCount()-1)
	for y := max(r.Y0, 0); y <= last; {
		_, end := lineOf(rows, y)
		end = min(end, last)
		l := joinRows(rows, y, end)
		from, to := 0, len(l.text)
		if y == r.Y0 {
			from, _, _ = l.at(y, r.X0)
		}
		if end == r.Y1 {
			to, _, _ = l.at(end, r.X1)
		}
		b.WriteString(strings.TrimRight(l.text[min(from, to):to], " "))
		if end < last {
			b.WriteByte('\n')
		}
		y = end + 1
	}
	return b.String()
}
