package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/termio-sh/termio/vt"
)

// again is the time in which a second click is a double one.
const again = 400 * time.Millisecond

// mouse takes a mouse event: over the sidebar it chooses, over a line between
// panes it drags, over a pane it is the program's if that wants it, else it
// scrolls and selects.
func (m *Model) mouse(msg tea.MouseMsg) []Effect {
	e := mouseOf(msg)
	if m.overlay != nil {
		return nil
	}
	if m.drag.border != nil {
		return m.dragBorder(e)
	}
	if m.drag.pane != nil {
		return m.dragSelection(e)
	}
	if m.sidebarShown() && e.X < m.sidebarCols() {
		return m.mouseSidebar(e)
	}
	places, borders := m.places()
	for i := range borders {
		if e.Action == vt.MousePress && e.Button == vt.ButtonLeft && borders[i].at.contains(e.X, e.Y) {
			m.drag.border = &borders[i]
			return nil
		}
	}
	for _, pl := range places {
		if pl.rect.contains(e.X, e.Y) {
			return m.mousePane(pl, e)
		}
	}
	return nil
}

func (m *Model) mouseSidebar(e vt.MouseEvent) []Effect {
	if e.Action != vt.MousePress {
		return nil
	}
	switch e.Button {
	case vt.ButtonWheelUp:
		return m.move(-1)
	case vt.ButtonWheelDown:
		return m.move(1)
	case vt.ButtonLeft:
	default:
		return nil
	}
	rows := m.rows()
	i := m.first + e.Y - sidebarHead
	if e.Y < sidebarHead || i >= len(rows) || !rows[i].chosen() {
		return nil
	}
	m.chrome = true
	if m.focus == onPane {
		m.leave()
	}
	if m.cursor == rows[i].key && m.drag.clicks > 0 && m.now.Sub(m.drag.at) < again {
		m.drag.clicks = 0
		return m.enterRow()
	}
	m.drag.clicks, m.drag.at = 1, m.now
	m.cursor = rows[i].key
	if rows[i].session == nil {
		return m.fold()
	}
	return append(m.show(rows[i].session.Link), m.arrangePanes()...)
}

func (m *Model) mousePane(pl place, e vt.MouseEvent) []Effect {
	var effects []Effect
	p := m.panes[pl.node.Session]
	if p == nil || p.term == nil && p.chat == nil {
		return nil
	}
	press := e.Action == vt.MousePress && (e.Button == vt.ButtonLeft || e.Button == vt.ButtonRight || e.Button == vt.ButtonMiddle)
	if press && (m.active != pl.node || m.focus != onPane) {
		m.active = pl.node
		m.cursor, m.scrolls = "session "+pl.node.Session, false
		effects = m.enter()
	}
	if p.chat != nil {
		return append(effects, m.mouseChat(p, e)...)
	}
	modes := p.term.InputModes()
	up, down := e.Button == vt.ButtonWheelUp, e.Button == vt.ButtonWheelDown
	switch {
	case !p.rect.contains(e.X, e.Y):
		return effects // its title
	case modes.Mouse != vt.MouseNone && p.scroll.back == 0 && !m.scrolls && e.Mods&vt.ModShift == 0 && p.live():
		e.X, e.Y = e.X-p.rect.X+p.left, e.Y-p.rect.Y+p.top
		cols, rows := p.term.Size()
		if e.X >= cols || e.Y >= rows || !p.owner {
			return effects
		}
		return append(effects, m.send(p, vt.EncodeMouse(nil, e, modes))...)
	case e.Action == vt.MousePress && (up || down):
		return append(effects, m.wheel(p, up, modes)...)
	case press && e.Button == vt.ButtonLeft:
		m.press(p, e)
	}
	return effects
}

// wheel scrolls back, or, over a full-screen program, moves its cursor.
func (m *Model) wheel(p *Pane, up bool, modes vt.InputModes) []Effect {
	n := -wheelLines
	if up {
		n = wheelLines
	}
	m.chrome = true
	if !p.term.AltScreen() || m.scrolls {
		p.by(n)
		return nil
	}
	key := vt.Key{Code: vt.KeyDown}
	if up {
		key.Code = vt.KeyUp
	}
	if !p.owner || !p.live() {
		return nil
	}
	var b []byte
	for range wheelLines {
		b = vt.EncodeKey(b, key, modes)
	}
	return m.send(p, b)
}

// press begins a selection; a second click selects the word, a third the line.
func (m *Model) press(p *Pane, e vt.MouseEvent) {
	row, col := p.at(e.X, e.Y)
	at := point{row, col}
	d := &m.drag
	if m.now.Sub(d.at) < again && d.x == e.X && d.y == e.Y {
		d.clicks++
	} else {
		d.clicks = 1
	}
	d.at, d.x, d.y, d.pane, d.from = m.now, e.X, e.Y, p, at
	p.sel = selection{}
	switch d.clicks {
	case 2:
		p.selectWord(at)
	case 3:
		p.sel = selection{on: true, whole: true, anchor: at, head: at}
		d.clicks = 0
	}
}

func (m *Model) dragSelection(e vt.MouseEvent) []Effect {
	p := m.drag.pane
	if m.panes[p.link] == p && p.chat != nil {
		return m.dragChat(p, e)
	}
	if m.panes[p.link] != p || p.term == nil {
		m.drag.pane = nil
		return nil
	}
	switch e.Action {
	case vt.MouseMove:
		if e.Y < p.rect.Y {
			p.by(1)
		} else if e.Y >= p.rect.Y+p.rect.H {
			p.by(-1)
		}
		row, col := p.at(e.X, e.Y)
		if to := (point{row, col}); to != m.drag.from || p.sel.on {
			p.sel = selection{on: true, whole: p.sel.whole, anchor: m.drag.from, head: to}
		}
	case vt.MouseRelease:
		m.drag.pane = nil
		if p.sel.on {
			m.chrome = true
			effects := m.copySelection(p)
			p.sel.on = true // what was copied stays marked until a key
			return effects
		}
	}
	return nil
}

func (m *Model) dragBorder(e vt.MouseEvent) []Effect {
	switch e.Action {
	case vt.MouseMove:
		m.drag.border.drag(e.X, e.Y)
		return m.arrangePanes()
	case vt.MouseRelease:
		m.drag.border = nil
		return []Effect{m.save()}
	}
	return nil
}
