package console

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cell holds one grapheme, "" behind a wide one, " " when empty.
type cell = string

// A screen is the visible part of a terminal, without colours.
type screen struct {
	rows, cols  int
	cells       [][]cell
	other       [][]cell // the screen that is not shown (main or alternate)
	alternate   bool
	row, col    int
	wrap        bool // the next character goes to the next line first
	top, bottom int  // scroll region, inclusive
	saved       [2]int
	last        rune
}

func newScreen(rows, cols int) *screen {
	return &screen{rows: rows, cols: cols, cells: blank(rows, cols), other: blank(rows, cols), bottom: rows - 1}
}

func blank(rows, cols int) [][]cell {
	out := make([][]cell, rows)
	for i := range out {
		out[i] = blankRow(cols)
	}
	return out
}

func blankRow(cols int) []cell {
	r := make([]cell, cols)
	for i := range r {
		r[i] = " "
	}
	return r
}

// text is the screen's lines without trailing blanks.
func (s *screen) text() string {
	lines := make([]string, s.rows)
	for i, r := range s.cells {
		lines[i] = strings.TrimRight(strings.Join(r, ""), " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

func (s *screen) resize(rows, cols int) {
	for _, cells := range []*[][]cell{&s.cells, &s.other} {
		next := blank(rows, cols)
		// What is cut off is cut off above the cursor, as terminals do.
		shift := max(0, s.row-rows+1)
		for i := range next {
			if i+shift < len(*cells) {
				copy(next[i], (*cells)[i+shift])
			}
		}
		*cells = next
	}
	s.row = min(s.row, rows-1)
	s.col = min(s.col, cols-1)
	s.rows, s.cols, s.top, s.bottom, s.wrap = rows, cols, 0, rows-1, false
}

// width is the number of columns of a rune, as far as agents' screens need it.
func width(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60,
		r >= 0x1f300 && r <= 0x1f64f, r >= 0x1f680 && r <= 0x1f6ff, r >= 0x1f900 && r <= 0x1faff,
		r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

func (s *screen) put(r rune) {
	w := width(r)
	if w == 0 {
		s.combine(r)
		return
	}
	if s.wrap || s.col+w > s.cols {
		s.col, s.wrap = 0, false
		s.lineFeed()
	}
	s.cells[s.row][s.col] = string(r)
	if w == 2 && s.col+1 < s.cols {
		s.cells[s.row][s.col+1] = ""
	}
	s.last = r
	s.col += w
	if s.col >= s.cols {
		s.col, s.wrap = s.cols-1, true
	}
}

// combine adds a mark to the character before the cursor.
func (s *screen) combine(r rune) {
	at := s.col - 1
	if s.wrap {
		at = s.col
	}
	for at > 0 && s.cells[s.row][at] == "" {
		at--
	}
	if at >= 0 && utf8.RuneCountInString(s.cells[s.row][at]) < 16 {
		s.cells[s.row][at] += string(r)
	}
}

func (s *screen) lineFeed() {
	s.wrap = false
	switch {
	case s.row == s.bottom:
		s.scroll(s.top, s.bottom, 1)
	case s.row < s.rows-1:
		s.row++
	}
}

func (s *screen) reverseFeed() {
	s.wrap = false
	switch {
	case s.row == s.top:
		s.scroll(s.top, s.bottom, -1)
	case s.row > 0:
		s.row--
	}
}

// scroll moves the lines top…bottom up by n (down when n is negative).
func (s *screen) scroll(top, bottom, n int) {
	for ; n > 0; n-- {
		copy(s.cells[top:bottom+1], s.cells[top+1:bottom+1])
		s.cells[bottom] = blankRow(s.cols)
	}
	for ; n < 0; n++ {
		copy(s.cells[top+1:bottom+1], s.cells[top:bottom])
		s.cells[top] = blankRow(s.cols)
	}
}

func (s *screen) move(row, col int) {
	s.row = max(0, min(s.rows-1, row))
	s.col = max(0, min(s.cols-1, col))
	s.wrap = false
}

// eraseLine clears the columns from…to of a row, to exclusive.
func (s *screen) eraseLine(row, from, to int) {
	for i := max(0, from); i < min(to, s.cols); i++ {
		s.cells[row][i] = " "
	}
}

func (s *screen) eraseDisplay(mode int) {
	switch mode {
	case 0:
		s.eraseLine(s.row, s.col, s.cols)
		for r := s.row + 1; r < s.rows; r++ {
			s.eraseLine(r, 0, s.cols)
		}
	case 1:
		s.eraseLine(s.row, 0, s.col+1)
		for r := range s.row {
			s.eraseLine(r, 0, s.cols)
		}
	case 2:
		for r := range s.cells {
			s.eraseLine(r, 0, s.cols)
		}
	}
}

// shift opens (n > 0) or closes (n < 0) n columns at the cursor.
func (s *screen) shift(n int) {
	row := s.cells[s.row]
	if n > 0 {
		n = min(n, s.cols-s.col)
		copy(row[s.col+n:], row[s.col:])
		s.eraseLine(s.row, s.col, s.col+n)
		return
	}
	n = min(-n, s.cols-s.col)
	copy(row[s.col:], row[s.col+n:])
	s.eraseLine(s.row, s.cols-n, s.cols)
}

func (s *screen) show(alternate bool) {
	if s.alternate == alternate {
		return
	}
	s.cells, s.other = s.other, s.cells
	s.alternate = alternate
	if alternate {
		s.eraseDisplay(2)
	}
}
