package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/vt"
)

// Canvas is what the outer terminal is to show: an engine of its size. Only
// what changed is drawn on it, and what is sent to the outer terminal is the
// difference of its cells.
type Canvas struct {
	Term  *vt.Terminal
	buf   []byte
	modes modes             // what was set on it last
	shape shape             // of the parts that were drawn last
	lines map[[3]int]string // of the chrome, by place and width
}

// shape is where everything is: when that changes, all is drawn anew.
type shape struct {
	cols, rows, side int
	overlay, known   bool
	places           []place
	sessions         []string // in the places
}

// modes are what the outer terminal is to send and to call itself.
type modes struct {
	mouse vt.MouseMode
	kitty vt.KittyFlags
	other int
	title string
}

// NewCanvas makes an empty one.
func NewCanvas(cols, rows int) *Canvas {
	c := &Canvas{Term: vt.New(vt.Options{Cols: max(cols, 1), Rows: max(rows, 1), Scrollback: -1})}
	c.Term.Write([]byte("\x1b[?7l\x1b[?2004h\x1b[?1004h"))
	return c
}

// sidebarHead is how many lines stand over the sidebar's rows.
const sidebarHead = 1

// Draw puts the model on the canvas.
func (m *Model) Draw(c *Canvas) {
	if cols, rows := c.Term.Size(); cols != m.Cols || rows != m.Rows {
		c.Term.Resize(m.Cols, m.Rows)
		c.shape.known = false
	}
	if m.chrome {
		m.drawnRows = m.rows()
		defer func() { m.drawnRows = nil }()
	}
	places, borders := m.places()
	all := !m.hasShape(&c.shape, places) || m.overlay != nil
	out := c.buf[:0]
	if all {
		m.chrome = true
		c.lines = map[[3]int]string{}
		if m.overlay == nil {
			out = append(out, "\x1b[m\x1b[2J"...)
		}
	}
	for _, pl := range places {
		if p := m.panes[pl.node.Session]; p != nil && p.chat != nil {
			out = m.drawChat(out, c, p)
		} else if p != nil {
			out = p.draw(out, all, m.now)
		} else if m.chrome {
			out = m.drawEmpty(out, pl.rect)
		}
	}
	if m.chrome {
		out = m.drawChrome(out, c, places, borders)
	}
	if m.overlay != nil {
		out = m.drawOverlay(out)
	}
	title := c.modes.title
	if m.chrome || title == "" {
		title = m.outerTitle()
	}
	m.chrome, m.drawn = false, true
	out = m.drawCursor(out)
	if want := m.modes(title); want != c.modes {
		c.modes = want
		out = want.append(out)
	}
	c.Term.Write(out)
	c.buf = out
}

// hasShape compares the shape of what was drawn with that of what is to be, and
// makes it that.
func (m *Model) hasShape(had *shape, places []place) bool {
	side, overlay := m.sidebarCols(), m.overlay != nil
	same := had.known && had.cols == m.Cols && had.rows == m.Rows && had.side == side && had.overlay == overlay && len(had.places) == len(places)
	for i := 0; same && i < len(places); i++ {
		same = had.places[i].rect == places[i].rect && had.sessions[i] == places[i].node.Session
	}
	if same {
		return true
	}
	*had = shape{cols: m.Cols, rows: m.Rows, side: side, overlay: overlay, known: true, places: places}
	for _, p := range places {
		had.sessions = append(had.sessions, p.node.Session)
	}
	return false
}

// modes are those that are wanted.
func (m *Model) modes(title string) modes {
	want := modes{mouse: vt.MouseDrag, title: title}
	if !m.Looks.mouse() {
		want.mouse = vt.MouseNone
	}
	if m.talking() != nil {
		want.kitty = chatKeys
	}
	if p := m.typing(); p != nil {
		in := p.term.InputModes()
		want.kitty, want.other = in.Kitty, in.ModifyOtherKeys
		if in.Mouse == vt.MouseMotion && want.mouse != vt.MouseNone {
			want.mouse = vt.MouseMotion
		}
	}
	return want
}

// append appends them as sequences for the canvas, from which the painter
// mirrors them.
func (w *modes) append(out []byte) []byte {
	out = append(out, "\x1b[?1002l\x1b[?1003l"...)
	switch w.mouse {
	case vt.MouseDrag:
		out = append(out, "\x1b[?1002h\x1b[?1006h"...)
	case vt.MouseMotion:
		out = append(out, "\x1b[?1003h\x1b[?1006h"...)
	}
	out = fmt.Appendf(out, "\x1b[=%d;1u\x1b[>4;%dm", w.kitty, w.other)
	return append(append(append(out, "\x1b]2;"...), w.title...), "\x1b\\"...)
}

// outerTitle is the outer terminal's title: who needs somebody, and what is
// shown.
func (m *Model) outerTitle() string {
	title := "termio"
	if c := m.fleet.counts(); c.needs > 0 {
		title += " (" + counts{needs: c.needs}.text() + ")"
	}
	if m.active != nil {
		if s := m.fleet.get(m.active.Session); s != nil {
			title += " - " + oneLine(s.Title)
		}
	}
	return title
}

func (m *Model) drawCursor(out []byte) []byte {
	if m.overlay != nil {
		return append(out, "\x1b[?25l"...)
	}
	if p := m.talking(); p != nil {
		return p.point.draw(out)
	}
	p := m.activePane()
	if m.focus != onPane || p == nil || p.term == nil || !m.visible(p) {
		return append(out, "\x1b[?25l"...)
	}
	if m.scrolls {
		h := p.sel.head
		x, y := p.rect.X+h.col-p.left, p.rect.Y+h.row-p.firstRow()
		if !p.rect.contains(x, y) {
			return append(out, "\x1b[?25l"...)
		}
		return append(appendAt(out, x, y), "\x1b[?25h"...)
	}
	x, y, cur, ok := p.cursor()
	if !ok {
		return append(out, "\x1b[?25l"...)
	}
	n := 2 + 2*int(cur.Shape)
	if cur.Blink {
		n--
	}
	out = append(out, "\x1b["...)
	out = strconv.AppendInt(out, int64(n), 10)
	out = append(out, " q"...)
	return append(appendAt(out, x, y), "\x1b[?25h"...)
}

func (m *Model) visible(p *Pane) bool { return !m.narrow() || m.focus == onPane }

// put writes a styled line of w cells.
func put(out []byte, x, y, w int, line string) []byte {
	if w <= 0 {
		return out
	}
	return append(append(appendBlank(out, x, y, w), line...), "\x1b[m"...)
}

// put is put where the line is not what stands there already.
func (c *Canvas) put(out []byte, x, y, w int, line string) []byte {
	at := [3]int{x, y, w}
	if have, ok := c.lines[at]; ok && have == line {
		return out
	}
	c.lines[at] = line
	return put(out, x, y, w, line)
}

// drawChrome draws all but the panes' pictures.
func (m *Model) drawChrome(out []byte, c *Canvas, places []place, borders []border) []byte {
	if w := m.sidebarCols(); w > 0 {
		out = m.drawSidebar(out, c, w)
		if !m.narrow() {
			style := m.theme.Border
			if m.focus == onSidebar {
				style = m.theme.Active
			}
			line := style.Render(m.glyphs.Vert)
			for y := range m.Rows - 1 {
				out = c.put(out, w, y, 1, line)
			}
		}
	}
	if !m.narrow() || m.focus == onPane {
		for _, pl := range places {
			out = c.put(out, pl.rect.X, pl.rect.Y, pl.rect.W, m.paneTitle(pl))
		}
		for _, b := range borders {
			glyph := m.glyphs.Vert
			if b.node.Down {
				glyph = m.glyphs.Horiz
			}
			for y := range b.at.H {
				out = c.put(out, b.at.X, b.at.Y+y, b.at.W, m.theme.Border.Render(strings.Repeat(glyph, b.at.W)))
			}
		}
		if len(places) == 0 {
			out = m.drawWelcome(out)
		}
	}
	return c.put(out, 0, m.Rows-1, m.Cols, m.bar(m.Cols))
}

// drawEmpty draws a pane without a session.
func (m *Model) drawEmpty(out []byte, r Rect) []byte {
	for y := range r.H {
		out = appendBlank(out, r.X, r.Y+y, r.W)
	}
	return out
}

// drawWelcome stands where no session is.
func (m *Model) drawWelcome(out []byte) []byte {
	a := m.area()
	lines := []string{"No session is shown.", "", "n  starts one with an agent", "t  opens a plain terminal", "?  lists the keys", ",  settings"}
	if !m.listed {
		lines = []string{"asking the coordinator"}
		if m.offline != "" {
			lines = wrap(m.offline, max(a.W-4, 10))
		}
	}
	for y := range a.H {
		out = appendBlank(out, a.X, y, a.W)
		if i := y - a.H/3; i >= 0 && i < len(lines) && a.W > 6 {
			out = put(out, a.X+3, y, a.W-3, m.theme.Plain.Render(vt.Truncate(lines[i], a.W-4, "")))
		}
	}
	return out
}

// paneTitle is the line over a pane.
func (m *Model) paneTitle(pl place) string {
	w := pl.rect.W
	style := m.theme.Dim
	if pl.node == m.active {
		style = m.theme.Bold
		if m.focus == onPane {
			style = m.theme.Active
		}
	}
	s := m.fleet.get(pl.node.Session)
	left, right := " no session", ""
	if s != nil {
		left, right = " "+m.glyphs.agent(s.AgentID, s.Agent)+" "+oneLine(s.Title), m.statusWord(s)
	} else if p := m.panes[pl.node.Session]; p != nil && p.name != "" {
		left = " " + p.name
	}
	if p := m.panes[pl.node.Session]; p != nil && p.term != nil {
		switch {
		case p.scroll.back > 0:
			right = plural(p.scroll.back, "line") + " back"
		case p.ended != "":
			right = p.ended
		case !p.owner && p.ready:
			right += " (watching)"
		case len(p.term.Images()) > 0 && !m.Pictures:
			right = "picture: see attach " + m.glyphs.Dot + " " + right
		case len(p.term.Images()) > 0 && pl.node != m.active:
			right = "picture " + m.glyphs.Dot + " " + right
		}
	}
	if p := m.panes[pl.node.Session]; p != nil && p.chat != nil && p.ended != "" {
		right = p.ended
	}
	right += " "
	left = vt.Truncate(left, max(w-vt.StringWidth(right)-1, 3), m.glyphs.Ellipsis)
	gap := max(w-vt.StringWidth(left)-vt.StringWidth(right), 0)
	return style.Render(vt.Truncate(left+strings.Repeat(" ", gap)+right, w, ""))
}

func (m *Model) statusWord(s *api.Session) string {
	if s.Status == needsYou {
		return "needs you"
	}
	if s.Error != "" {
		return s.Status + ", failed"
	}
	return s.Status
}

// bar is the bottom line: where the keys go, and how to get out of there.
func (m *Model) bar(w int) string {
	right := m.PrefixName + " sidebar"
	if m.focus == onSidebar {
		right = m.PrefixName + " session"
	}
	if m.alone() {
		right = m.PrefixName + " leaves"
	}
	if m.overlay != nil {
		right = m.PrefixName + " close"
	}
	room := max(w-vt.StringWidth(right)-3, 0)
	var left string
	switch {
	case m.toast != "":
		left = m.toast
	case m.offline != "":
		left = m.offline
	case m.overlay != nil:
		left = ""
	case m.scrolls:
		left = "hjkl move  v select  y copy  / search  q back"
	case m.focus == onSidebar && m.activePane() != nil && m.activePane().ended != "" && m.Bindings.key(ActReopen) != "":
		left = "this session " + m.activePane().ended + "; " + m.Bindings.key(ActReopen) + " reopens it  "
		left += m.hints(room - vt.StringWidth(left))
	case m.talking() != nil:
		left = m.talking().chat.Hints()
	case m.focus == onPane:
		left = "keys go to the session"
		if c := m.fleet.counts(); c.needs > 0 {
			left = counts{needs: c.needs}.text()
		}
	default:
		left = m.hints(room)
	}
	left = vt.Truncate(strings.TrimRight(left, " "), room, m.glyphs.Ellipsis)
	gap := max(w-2-vt.StringWidth(left)-vt.StringWidth(right), 0)
	return m.theme.Bar.Render(vt.Truncate(" "+left+strings.Repeat(" ", gap)+right+" ", w, ""))
}

// hints are the most useful keys for the row that the cursor is on, in room
// cells: what does not fit whole is left out, the way to all keys and the way
// out last.
func (m *Model) hints(room int) string {
	var parts []string
	add := func(a Action, what string) {
		if k := m.Bindings.key(a); k != "" {
			parts = append(parts, k+" "+what)
		}
	}
	r := m.cursorRow()
	switch {
	case r != nil && r.kind == rowNeeds:
		if q := m.fleet.Questions[r.session.Link]; len(q.Options) > 0 {
			parts = append(parts, fmt.Sprintf("1-%d answer", min(len(q.Options), 9)))
		}
		add(ActAnswer, "question")
	case r != nil && r.session != nil && r.session.Status == closed:
		add(ActReopen, "reopen")
	case r != nil && r.session != nil:
		add(ActEnter, "go in")
		add(ActClose, "close")
	}
	add(ActNew, "new")
	add(ActOpen, "find")
	add(ActPalette, "commands")
	add(ActHelp, "keys")
	add(ActQuit, "leave")
	fits := func() bool { return vt.StringWidth(strings.Join(parts, "  ")) <= room }
	for _, a := range []Action{ActPalette, ActClose, ActOpen, ActNew, ActQuit} {
		if !fits() {
			parts = slices.DeleteFunc(parts, func(p string) bool { return strings.HasPrefix(p, m.Bindings.key(a)+" ") })
		}
	}
	for len(parts) > 1 && !fits() {
		parts = slices.Delete(parts, len(parts)-2, len(parts)-1)
	}
	if !fits() {
		return ""
	}
	return strings.Join(parts, "  ")
}

// drawSidebar draws the head and the rows that fit.
func (m *Model) drawSidebar(out []byte, canvas *Canvas, w int) []byte {
	c := m.fleet.counts()
	head := m.theme.Title.Render(" termio ")
	room := w - 8
	sum := c.text()
	if sum == "" && m.listed {
		sum = plural(c.all, "session")
	}
	if vt.StringWidth(sum) >= room {
		sum = c.short(m.glyphs)
	}
	sum = vt.Truncate(sum, room-1, m.glyphs.Ellipsis)
	style := m.theme.Dim
	if c.needs > 0 {
		style = m.theme.Bold
	}
	gap := max(room-vt.StringWidth(sum)-1, 0)
	out = canvas.put(out, 0, 0, w, head+strings.Repeat(" ", gap)+style.Render(sum))
	rows := m.rows()
	h := max(m.Rows-1-sidebarHead, 0)
	if at := m.at(rows); at >= 0 {
		m.first = window(m.first, at, len(rows), h)
		if at == 1 && m.first == 1 {
			m.first = 0 // the strip's head belongs to its first row
		}
	}
	m.first = max(min(m.first, len(rows)-h), 0)
	for y := range h {
		line := ""
		if i := m.first + y; i < len(rows) {
			line = m.row(&rows[i], w)
		}
		out = canvas.put(out, 0, sidebarHead+y, w, line)
	}
	return out
}

// row is one line of the sidebar, w cells wide.
func (m *Model) row(r *Row, w int) string {
	switch r.kind {
	case rowBlank:
		return ""
	case rowHead:
		style := m.theme.Dim
		text := strings.Repeat("  ", r.depth) + r.text
		if r.key == "needs" {
			style = m.theme.Needs
			text = fmt.Sprintf("%s (%d)", r.text, r.counts.needs)
		}
		return " " + style.Render(vt.Truncate(text, w-2, m.glyphs.Ellipsis))
	case rowTree:
		return "   " + m.theme.Dim.Render(vt.Truncate(m.glyphs.Branch+" "+oneLine(r.text), w-4, m.glyphs.Ellipsis))
	case rowLost:
		return m.columns(r, w, []piece{{m.glyphs.Closed + " ", m.theme.Error}}, r.text, m.theme.Bold, []piece{{"", m.theme.Dim}})
	case rowProject:
		fold := m.glyphs.Fold
		if r.folded {
			fold = m.glyphs.Unfold
		}
		sum := r.counts.short(m.glyphs)
		if r.folded && sum == "" {
			sum = strconv.Itoa(r.counts.all)
		}
		return m.columns(r, w, []piece{{fold + " ", m.theme.Dim}}, oneLine(r.text), m.theme.Bold, []piece{{sum, m.theme.Dim}})
	}
	s := r.session
	mark, style := m.mark(s)
	left := []piece{{strings.Repeat("  ", max(r.depth-1, 0)), m.theme.Plain}, {mark, style}, {" ", m.theme.Plain}}
	left = append(left, piece{m.glyphs.agent(s.AgentID, s.Agent), m.theme.agent(s.AgentID)}, piece{" ", m.theme.Plain})
	text := m.theme.Plain
	switch {
	case s.Status == closed:
		text = m.theme.Dim
	case s.Status == needsYou:
		text = m.theme.Bold
	}
	title := oneLine(s.Title)
	if r.kind == rowNeeds || r.named {
		title = projectName(s.Project) + ": " + title
	}
	old := ""
	if s.Since != nil && (s.Status != idle || s.AgentID != plainAgent) {
		old = age(m.now.Sub(*s.Since))
	}
	if r.kind == rowSession && m.layouts[s.Project].group(s.Link) != nil {
		old = strings.TrimSuffix(m.glyphs.Group+" "+old, " ")
	}
	return m.columns(r, w, left, title, text, []piece{{old, m.theme.Dim}})
}

// piece is some text in a style.
type piece struct {
	text  string
	style lipgloss.Style
}

// columns is a row: signs, a title that takes what is left, and what stands at
// the right edge. The row that the cursor is on is one block of one style.
func (m *Model) columns(r *Row, w int, left []piece, title string, style lipgloss.Style, right []piece) string {
	k := lineKey{
		theme: m.theme.Name, kind: r.kind, w: w, depth: r.depth, title: title, right: right[0].text,
		cursor: r.key == m.cursor, active: m.focus == onSidebar && m.overlay == nil,
	}
	for _, p := range left {
		k.left += p.text
	}
	if s := r.session; s != nil {
		k.status, k.failed, k.agent = s.Status, s.Error != "", s.AgentID
	}
	line, ok := m.rowLines[k]
	if !ok {
		if m.rowLines == nil || len(m.rowLines) > mostRowLines {
			m.rowLines = map[lineKey]string{}
		}
		line = m.layColumns(r, w, left, title, style, right)
		m.rowLines[k] = line
	}
	return line
}

// lineKey is all that a row's line is made of: most of them are the same in the
// next frame, and styling is what a frame of the sidebar costs.
type lineKey struct {
	theme, left, title, right, status, agent string
	kind                                     rowKind
	w, depth                                 int
	cursor, active, failed                   bool
}

// mostRowLines bounds the lines that are remembered.
const mostRowLines = 4096

func (m *Model) layColumns(r *Row, w int, left []piece, title string, style lipgloss.Style, right []piece) string {
	room := w - 2
	for _, p := range append(left, right...) {
		room -= vt.StringWidth(p.text)
	}
	if right[0].text != "" {
		room--
	}
	title = vt.Truncate(title, max(room, 4), m.glyphs.Ellipsis)
	gap := strings.Repeat(" ", max(room-vt.StringWidth(title), 0))
	if right[0].text != "" {
		gap += " "
	}
	if r.key == m.cursor {
		whole := " "
		for _, p := range left {
			whole += p.text
		}
		whole += title + gap + right[0].text + " "
		if m.focus == onSidebar && m.overlay == nil {
			return m.theme.Cursor.Render(vt.Truncate(whole, w, ""))
		}
		return m.theme.Chosen.Render(vt.Truncate(whole, w, ""))
	}
	out := " "
	for _, p := range left {
		out += p.style.Render(p.text)
	}
	out += style.Render(title) + gap
	for _, p := range right {
		out += p.style.Render(p.text)
	}
	return out
}

// mark is the live state of a session: nothing when idle, a quiet sign of work,
// a calm one when done, a loud one when it needs somebody.
func (m *Model) mark(s *api.Session) (string, lipgloss.Style) {
	switch s.Status {
	case needsYou:
		return m.glyphs.Needs, m.theme.Needs
	case working:
		if m.Looks.ReducedMotion {
			return "~", m.theme.Working
		}
		return m.glyphs.Spinner[m.spin%len(m.glyphs.Spinner)], m.theme.Working
	case done:
		if s.Error != "" {
			return m.glyphs.Closed, m.theme.Error
		}
		return m.glyphs.Done, m.theme.Done
	case closed:
		return m.glyphs.Closed, m.theme.Dim
	}
	return " ", m.theme.Plain
}

// drawOverlay draws the view over everything, in a box.
func (m *Model) drawOverlay(out []byte) []byte {
	w := min(m.Cols-2, 76)
	h := m.Rows - 4
	most := 28
	if _, wide := m.overlay.(interface{ wide() }); wide {
		w, most = m.Cols-2, h
	}
	if m.narrow() {
		w = m.Cols
	}
	if w < 8 || h < 3 {
		return out
	}
	title, lines, keys := m.overlay.view(m, w-4, min(h-2, most))
	lines = lines[:min(len(lines), h-2)]
	x, y := (m.Cols-w)/2, max((m.Rows-1-len(lines)-3)/3, 0)
	top, bottom, side := "─", "─", "│"
	corners := [4]string{"╭", "╮", "╰", "╯"}
	if !m.glyphs.unicode {
		top, bottom, side, corners = "-", "-", "|", [4]string{"+", "+", "+", "+"}
	}
	title = vt.Truncate(" "+title+" ", w-4, m.glyphs.Ellipsis)
	fill := strings.Repeat(top, max(w-3-vt.StringWidth(title), 0))
	out = put(out, x, y, w, m.theme.Active.Render(corners[0]+top)+m.theme.Bold.Render(title)+m.theme.Active.Render(fill+corners[1]))
	edge := m.theme.Active.Render(side)
	for i, l := range append(lines, m.theme.Dim.Render(vt.Truncate(keys, w-4, m.glyphs.Ellipsis))) {
		out = put(out, x, y+1+i, w, edge+" "+l)
		out = append(appendAt(out, x+w-1, y+1+i), edge...)
	}
	return put(out, x, y+2+len(lines), w, m.theme.Active.Render(corners[2]+strings.Repeat(bottom, w-2)+corners[3]))
}
