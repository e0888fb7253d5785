package tui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/tui/chat"
	"github.com/termio-sh/termio/vt"
)

// wheelLines is how far one turn of the wheel goes.
const wheelLines = 3

// Pane is a session's own terminal, kept by an engine that is fed what its
// host sends.
type Pane struct {
	link  string
	rect  Rect
	run   int          // counts its connections: what comes from one before does not count
	term  *vt.Terminal // nil before the first snapshot
	owner bool         // it owns input and size
	types bool         // it asked to
	error string       // why there is no connection
	text  bool         // the session has no terminal, but a conversation
	chat  *chat.Chat   // that one
	point chatPoint    // where its cursor was drawn
	ended string       // how the session ended, as in "the session …"
	name  string       // the session's title when it was last listed
	away  bool         // it was not there when the roster came
	end   ending       // of its session's last life

	ready    bool    // the connection brought its first picture
	early    []early // typed before that
	snapshot []byte  // one that is arriving
	scroll   scrollback
	sel      selection
	find     finder
	left     int // the first column shown, of a screen that is wider
	top      int

	held   time.Time  // since when the program holds its picture
	colors recolor    // what the program made of the colours
	marks  []paneMark // what each row of the canvas was drawn from
	events []vt.Event // what the program said since they were last taken
}

// early is a key or a paste that came before its pane was connected.
type early struct {
	key   vt.Key
	paste string
}

// paneMark says what a row was drawn from.
type paneMark struct {
	term  *vt.Terminal
	row   int // absolute; -1 nothing
	gen   uint64
	left  int
	shade string // what is highlighted on it
}

// scrollback is how far back the view is.
type scrollback struct {
	back int // lines above the live screen; 0 is live
	kept int // the scrollback's length when back was set
}

func (s *scrollback) follow(t *vt.Terminal) {
	now := t.ScrollbackLen()
	if s.back > 0 {
		s.back = min(s.back+max(now-s.kept, 0), now)
	}
	s.kept = now
}

// by moves n lines back (or, negative, forth).
func (p *Pane) by(n int) {
	if p.term == nil {
		return
	}
	p.scroll.follow(p.term)
	p.scroll.back = min(max(p.scroll.back+n, 0), p.scroll.kept)
}

// firstRow is the absolute row at the top of the view.
func (p *Pane) firstRow() int {
	p.scroll.follow(p.term)
	if p.scroll.back > 0 {
		return p.scroll.kept - p.scroll.back
	}
	return p.scroll.kept + p.top
}

// show brings an absolute row into view.
func (p *Pane) show(row int) {
	if p.term == nil {
		return
	}
	first := p.firstRow()
	if row >= first && row < first+p.rect.H {
		return
	}
	want := max(row-p.rect.H/2, 0)
	p.scroll.back = max(p.term.ScrollbackLen()-want, 0)
	p.scroll.kept = p.term.ScrollbackLen()
}

// feed takes a message of the host.
func (p *Pane) feed(m hostproto.Message) {
	switch {
	case m.Type == hostproto.FrameSnapshot:
		p.snapshot = append(p.snapshot, m.Data...)
	case m.Type == hostproto.FrameOutput && p.term != nil:
		p.term.Write(m.Data)
	case m.Event != nil:
		p.event(m.Event)
	}
}

func (p *Pane) event(e *hostproto.Event) {
	switch e.Type {
	case hostproto.EventResync:
		p.snapshot = nil
	case hostproto.EventReady:
		p.begin(e)
	case hostproto.EventResized:
		if p.term != nil && e.Size != nil {
			p.term.Resize(e.Size.Cols, e.Size.Rows)
		}
	case hostproto.EventOwner:
		p.owner = e.Owner
	case hostproto.EventExited:
		p.ended = endText(e.Closed)
	}
}

// begin puts a snapshot that is whole in place.
func (p *Pane) begin(e *hostproto.Event) {
	size := hostproto.Size{Cols: 80, Rows: 24}
	if e.Size != nil {
		size = *e.Size
	}
	live := false
	term := vt.New(vt.Options{Cols: size.Cols, Rows: size.Rows, Event: func(ev vt.Event) {
		switch ev.Kind {
		case vt.EventClipboard, vt.EventBell, vt.EventNotification:
			if live {
				ev.Data = append([]byte(nil), ev.Data...)
				p.events = append(p.events, ev)
			}
		}
	}})
	term.Write(p.snapshot)
	live = true
	p.snapshot, p.term, p.owner, p.error, p.ended, p.ready = nil, term, e.Owner, "", "", true
	p.scroll, p.sel, p.marks = scrollback{}, selection{}, nil
	p.find.clear()
}

// clean takes control characters out of a text.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case r < 0x20, r >= 0x7f && r < 0xa0:
			return -1
		}
		return r
	}, s)
}

// oneLine is a text on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

func endText(c *hostproto.Closed) string {
	switch {
	case c == nil:
		return "ended"
	case c.Signal != "":
		return "killed by " + c.Signal
	case c.Reason == hostproto.ReasonUser:
		return "closed"
	case c.ExitCode != nil:
		return fmt.Sprintf("ended with exit code %d", *c.ExitCode)
	}
	return c.Reason
}

// holds reports whether the program holds its picture (mode 2026), which it may
// for syncHold.
func (p *Pane) holds(now time.Time) bool {
	return !p.held.IsZero() && now.Sub(p.held) < syncHold
}

// noteHold looks whether the program holds its picture.
func (p *Pane) noteHold(now time.Time) {
	switch {
	case p.term == nil || !p.term.Synchronized():
		p.held = time.Time{}
	case p.held.IsZero():
		p.held = now
	}
}

// takeEvents is what the program said since.
func (p *Pane) takeEvents() []vt.Event {
	out := p.events
	p.events = nil
	return out
}

// dialing reports whether it is being connected.
func (p *Pane) dialing() bool { return !p.ready && !p.text && p.error == "" && p.ended == "" }

// live reports whether keys would reach the program.
func (p *Pane) live() bool {
	return p.term != nil && p.ready && !p.text && p.error == "" && p.ended == ""
}

// follow keeps the cursor of a screen that is larger than the pane in view.
func (p *Pane) follow() {
	cols, rows := p.term.Size()
	cur := p.term.Cursor()
	p.left = window(p.left, cur.X, cols, p.rect.W)
	p.top = window(p.top, cur.Y, rows, p.rect.H)
}

// window moves a window of room cells over size cells so that at is in it.
func window(from, at, size, room int) int {
	if size <= room {
		return 0
	}
	from = min(max(from, at-room+1), at)
	return min(max(from, 0), size-room)
}

// draw appends what puts the pane's damaged rows on the canvas.
func (p *Pane) draw(dst []byte, all bool, now time.Time) []byte {
	r := p.rect
	if r.W <= 0 || r.H <= 0 {
		return dst
	}
	if !all && p.holds(now) && len(p.marks) == r.H {
		return dst
	}
	if all || len(p.marks) != r.H {
		p.marks = make([]paneMark, r.H)
	}
	if p.term == nil {
		return p.drawMessage(dst)
	}
	p.colors = recolorOf(p.term) // a change of it changes every row's generation
	p.follow()
	first := p.firstRow()
	lines := p.term.ScrollbackLen()
	cols, rows := p.term.Size()
	for y := range r.H {
		row := first + y
		m := paneMark{term: p.term, row: row, left: p.left, shade: p.shade(row)}
		switch {
		case row < lines:
			// Rows move up in the scrollback while lines come: what stands at
			// a place is known by the whole's generation only.
			m.gen = p.term.Generation()
		case row-lines < rows:
			m.gen = p.term.RowGeneration(row - lines)
		default:
			m.row = -1
		}
		if p.marks[y] == m {
			continue
		}
		p.marks[y] = m
		dst = appendBlank(dst, r.X, r.Y+y, r.W)
		n := min(cols-p.left, r.W)
		switch {
		case row < lines:
			dst = p.appendOld(dst, row, n)
		case row-lines < rows && p.colors.on:
			dst = p.colors.appendRow(dst, p.term, row-lines, p.left, p.left+n)
		case row-lines < rows:
			dst = p.term.AppendRow(dst, row-lines, p.left, p.left+n)
		default:
			n = 0
		}
		if n < r.W && (n > 0 || p.scroll.back == 0) {
			dst = appendGround(dst, r.X+n, r.Y+y, r.W-n)
		}
		dst = p.appendShade(dst, m.shade, y)
	}
	return dst
}

// appendOld appends a row of the scrollback, cut to n cells. Rows there are
// only to be had whole: an engine of one row cuts them.
func (p *Pane) appendOld(dst []byte, row, n int) []byte {
	cut := vt.New(vt.Options{Cols: p.left + n, Rows: 1, Scrollback: -1})
	cut.Write([]byte("\x1b[?7l"))
	cut.Write(p.term.AppendScrollbackRow(nil, row))
	if p.colors.on {
		return p.colors.appendRow(dst, cut, 0, p.left, p.left+n)
	}
	return cut.AppendRow(dst, 0, p.left, p.left+n)
}

func (p *Pane) drawMessage(dst []byte) []byte {
	text := "connecting"
	if p.error != "" {
		text = p.error
	}
	lines := wrap(oneLine(text), max(p.rect.W-4, 8))
	for y := range p.rect.H {
		m := paneMark{row: -1, shade: text}
		if p.marks[y] == m {
			continue
		}
		p.marks[y] = m
		dst = appendBlank(dst, p.rect.X, p.rect.Y+y, p.rect.W)
		if i := y - p.rect.H/3; i >= 0 && i < len(lines) && p.rect.W > 4 {
			dst = appendAt(dst, p.rect.X+2, p.rect.Y+y)
			dst = append(dst, vt.Truncate(lines[i], p.rect.W-4, "")...)
		}
	}
	return dst
}

// wrap breaks a text at its blanks.
func wrap(text string, cols int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && vt.StringWidth(line)+1+vt.StringWidth(word) > cols {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// cursor is the program's cursor on the canvas; ok is false where it is not
// seen.
func (p *Pane) cursor() (x, y int, c vt.Cursor, ok bool) {
	if p.term == nil || p.scroll.back > 0 {
		return 0, 0, c, false
	}
	c = p.term.Cursor()
	x, y = c.X-p.left, c.Y-p.top
	if !c.Visible || x < 0 || y < 0 || x >= p.rect.W || y >= p.rect.H {
		return 0, 0, c, false
	}
	return p.rect.X + x, p.rect.Y + y, c, true
}

// at is the absolute row and column under a cell of the outer terminal.
func (p *Pane) at(x, y int) (row, col int) {
	x = min(max(x-p.rect.X, 0), max(p.rect.W-1, 0))
	y = min(max(y-p.rect.Y, 0), max(p.rect.H-1, 0))
	return p.firstRow() + y, x + p.left
}

func appendAt(dst []byte, x, y int) []byte {
	dst = append(dst, "\x1b["...)
	dst = strconv.AppendInt(dst, int64(y+1), 10)
	dst = append(dst, ';')
	dst = strconv.AppendInt(dst, int64(x+1), 10)
	return append(dst, 'H')
}

// appendBlank empties n cells and leaves the pen at the first.
func appendBlank(dst []byte, x, y, n int) []byte {
	dst = appendAt(dst, x, y)
	dst = append(dst, "\x1b[m\x1b["...)
	dst = strconv.AppendInt(dst, int64(n), 10)
	return append(dst, 'X')
}

// appendGround fills cells that are not the session's: its screen is smaller.
func appendGround(dst []byte, x, y, n int) []byte {
	dst = appendAt(dst, x, y)
	dst = append(dst, "\x1b[2m"...)
	for range n {
		dst = append(dst, "·"...)
	}
	return append(dst, "\x1b[m"...)
}
