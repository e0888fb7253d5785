package tui

import (
	"fmt"
	"strconv"

	"github.com/termio-sh/termio/vt"
)

// point is a cell, its row counted through the scrollback.
type point struct{ row, col int }

func (a point) before(b point) bool {
	return a.row < b.row || a.row == b.row && a.col < b.col
}

// selection is what is selected in a pane; the cell under each end belongs to
// it.
type selection struct {
	on           bool
	anchor, head point
	whole        bool // rows
}

// span is the selection as the engine names it.
func (s *selection) span(cols int) (r vt.Range, ok bool) {
	if !s.on {
		return r, false
	}
	a, b := s.anchor, s.head
	if b.before(a) {
		a, b = b, a
	}
	if s.whole {
		a.col, b.col = 0, cols-1
	}
	return vt.Range{Y0: a.row, X0: a.col, Y1: b.row, X1: b.col + 1}, true
}

// selected is the text that is selected.
func (p *Pane) selected() string {
	if p.term == nil {
		return ""
	}
	cols, _ := p.term.Size()
	r, ok := p.sel.span(cols)
	if !ok {
		return ""
	}
	return p.term.RangeText(r)
}

// selectWord selects the word at a point.
func (p *Pane) selectWord(at point) bool {
	r, ok := p.term.WordAt(at.col, at.row)
	if ok {
		p.sel = selection{on: true, anchor: point{r.Y0, r.X0}, head: point{r.Y1, r.X1 - 1}}
	}
	return ok
}

// finder is a search in a pane's text.
type finder struct {
	query string
	found []vt.Range
	at    int
	error string
}

func (f *finder) clear() { *f = finder{} }

// search looks for text in the scrollback and on the screen; the newest match
// is the first.
func (p *Pane) search(query string) {
	p.find = finder{query: query, at: -1}
	if p.term == nil || query == "" {
		return
	}
	found, err := p.term.Search(query, vt.SearchOptions{IgnoreCase: true, Limit: 5000})
	if err != nil {
		p.find.error = err.Error()
		return
	}
	p.find.found = found
	p.step(-1)
}

// step goes to the next match, down or (negative) up, round and round.
func (p *Pane) step(n int) {
	f := &p.find
	if len(f.found) == 0 {
		return
	}
	if f.at < 0 {
		f.at = len(f.found) // up from here is the newest
		if n > 0 {
			f.at = -1
		}
	}
	f.at = (f.at + n + len(f.found)) % len(f.found)
	p.show(f.found[f.at].Y0)
}

// stretch is columns of a row that are highlighted: those from x0 up to x1.
type stretch struct {
	x0, x1 int
	strong bool
}

// on is the part of a range that is on a row.
func on(r vt.Range, row, cols int) (s stretch, ok bool) {
	if row < r.Y0 || row > r.Y1 {
		return s, false
	}
	s = stretch{x0: 0, x1: cols}
	if row == r.Y0 {
		s.x0 = r.X0
	}
	if row == r.Y1 {
		s.x1 = min(r.X1, cols)
	}
	return s, s.x0 < s.x1
}

// stretches are what is highlighted on a row.
func (p *Pane) stretches(row int) []stretch {
	cols, _ := p.term.Size()
	var out []stretch
	for i, m := range p.find.found {
		if s, ok := on(m, row, cols); ok {
			s.strong = i == p.find.at
			out = append(out, s)
		}
	}
	if r, ok := p.sel.span(cols); ok {
		if s, ok := on(r, row, cols); ok {
			s.strong = true
			out = append(out, s)
		}
	}
	return out
}

// shade names what is highlighted on a row, for its mark.
func (p *Pane) shade(row int) string {
	if !p.sel.on && len(p.find.found) == 0 {
		return ""
	}
	s := p.stretches(row)
	if len(s) == 0 {
		return ""
	}
	return fmt.Sprint(s)
}

// appendShade highlights row y of the pane on the canvas, by the engine's own
// way to change the attributes of a rectangle (DECCARA).
func (p *Pane) appendShade(dst []byte, shade string, y int) []byte {
	if shade == "" {
		return dst
	}
	for _, s := range p.stretches(p.firstRow() + y) {
		x0, x1 := max(s.x0-p.left, 0), min(s.x1-p.left, p.rect.W)
		if x0 >= x1 {
			continue
		}
		dst = append(dst, "\x1b[2*x\x1b["...)
		for _, n := range []int{p.rect.Y + y + 1, p.rect.X + x0 + 1, p.rect.Y + y + 1, p.rect.X + x1} {
			dst = strconv.AppendInt(dst, int64(n), 10)
			dst = append(dst, ';')
		}
		if s.strong {
			dst = append(dst, "7$r"...)
		} else {
			dst = append(dst, "1;4$r"...)
		}
	}
	return dst
}
