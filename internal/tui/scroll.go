package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/termio-sh/termio/vt"
)

// startScroll gives the keys to the pane's scrollback.
func (m *Model) startScroll() []Effect {
	p := m.activePane()
	if p != nil && p.chat != nil {
		return m.readChat(p)
	}
	if p == nil || p.term == nil {
		return nil
	}
	effects := m.show(p.link)
	m.focus, m.scrolls, m.chrome = onPane, true, true
	p.sel = selection{}
	first := p.firstRow()
	_, _, cur, ok := p.cursor()
	at := point{row: first + p.rect.H - 1}
	if ok {
		at = point{p.term.ScrollbackLen() + cur.Y, cur.X}
	}
	p.sel.head, p.sel.anchor = at, at
	return effects
}

// scrollKey takes a key while the pane is scrolled: a cursor moves over the
// text, v begins a selection, y copies it.
func (m *Model) scrollKey(msg tea.KeyPressMsg) []Effect {
	p := m.activePane()
	if p == nil || p.term == nil {
		m.scrolls = false
		return nil
	}
	cols, rows := p.term.Size()
	last := p.term.ScrollbackLen() + rows - 1
	h := &p.sel.head
	page := max(p.rect.H-2, 1)
	switch msg.String() {
	case "esc", "q", "ctrl+c":
		if p.sel.on {
			p.sel.on = false
			return nil
		}
		m.endScroll(p)
		return nil
	case "j", "down":
		h.row++
	case "k", "up":
		h.row--
	case "h", "left":
		h.col--
	case "l", "right":
		h.col++
	case "ctrl+d", "d":
		h.row += page / 2
	case "ctrl+u", "u":
		h.row -= page / 2
	case "pgdown", "ctrl+f", "space":
		h.row += page
	case "pgup", "ctrl+b":
		h.row -= page
	case "g", "home":
		*h = point{}
	case "G", "end":
		*h = point{last, 0}
	case "0":
		h.col = 0
	case "$":
		h.col = cols - 1
	case "w":
		p.selectWord(*h)
	case "v":
		p.sel.on, p.sel.whole, p.sel.anchor = !p.sel.on, false, *h
	case "V":
		p.sel.on, p.sel.whole, p.sel.anchor = !p.sel.on, true, *h
	case "y", "enter":
		return m.copySelection(p)
	case "/", "f":
		return m.openSearch()
	case "n":
		p.step(-1)
		m.headToMatch(p)
	case "N":
		p.step(1)
		m.headToMatch(p)
	}
	h.row, h.col = min(max(h.row, 0), last), min(max(h.col, 0), cols-1)
	p.show(h.row)
	return nil
}

func (m *Model) headToMatch(p *Pane) {
	if f := &p.find; f.at >= 0 && f.at < len(f.found) {
		p.sel.head = point{f.found[f.at].Y0, f.found[f.at].X0}
	}
}

func (m *Model) endScroll(p *Pane) {
	m.scrolls = false
	p.scroll.back, p.sel = 0, selection{}
	p.find.clear()
}

// copySelection puts what is selected, or the match, or the row, on the
// clipboard.
func (m *Model) copySelection(p *Pane) []Effect {
	text := p.selected()
	if text == "" && p.find.at >= 0 && p.find.at < len(p.find.found) {
		text = p.term.RangeText(p.find.found[p.find.at])
	}
	if text == "" {
		row := p.sel.head.row
		cols, _ := p.term.Size()
		text = p.term.RangeText(vt.Range{Y0: row, Y1: row, X1: cols})
	}
	p.sel.on = false
	if text == "" {
		m.say("there is nothing to copy")
		return nil
	}
	lines := strings.Count(text, "\n") + 1
	if lines == 1 {
		m.say("copied: " + vt.Truncate(text, 40, "~"))
	} else {
		m.say("copied " + plural(lines, "line"))
	}
	return []Effect{copyEffect{text}}
}
