// Package paint draws a terminal (vt) into the terminal outside. It keeps what
// it drew, so that a frame writes only what changed, and it sets only modes on
// the outer terminal that it can set back: after Restore the outer terminal is
// as it was found. Queries of the program never reach the outer terminal, since
// nothing is copied: everything outside is drawn from the engine's state.
//
// The package is pure: states in, bytes out.
package paint

import (
	"unicode/utf8"

	"github.com/termio-sh/termio/vt"
)

// Options describe the outer terminal.
type Options struct {
	Cols, Rows int
	Depth      Depth
	Pictures   Pictures
}

// Scene is what one frame shows.
type Scene struct {
	// Screen is drawn: from its left edge, and where it is taller than the
	// outer terminal, the part that its cursor is in.
	Screen *vt.Terminal
	// Live is whose modes, title and colours are mirrored; Screen if nil.
	Live *vt.Terminal
	// HideCursor hides it whatever the program says.
	HideCursor bool
	// Notice is a line over the bottom row (over the top one where the cursor
	// is at the bottom), "" for none.
	Notice string
	// Wheel takes the mouse's buttons where the program does not want them.
	Wheel bool
	// Inset has its pictures shown in place of those of Screen, which is drawn
	// by somebody who cannot draw pictures; nil for none.
	Inset *Inset
}

// Inset is a terminal of which a part stands on a larger screen.
type Inset struct {
	Term       *vt.Terminal
	Left, Top  int // the first of its cells that is shown
	X, Y       int // where that is on the screen
	Cols, Rows int // of the part
}

func (s *Scene) live() *vt.Terminal {
	if s.Live != nil {
		return s.Live
	}
	return s.Screen
}

// Painter holds what stands on the outer terminal. It is not safe for
// concurrent use.
type Painter struct {
	cols, rows int
	colors     colors

	shadow []vt.Cell // what stands on the outer terminal, row by row
	marks  []mark    // what each row was drawn from
	want   []vt.Cell // scratch: one row
	known  bool      // shadow is what stands there
	notice int       // the row that the notice was drawn on, -1 for none
	text   string    // its text

	left, top int // the part of the screen that is shown

	pictures pictures

	// The outer terminal's pen. x < 0 means unknown.
	x, y  int
	style vt.Style
	link  string

	outer   outer
	passing []byte // to be written with the next frame
	body    []byte // scratch
}

// mark says what an outer row was drawn from.
type mark struct {
	screen *vt.Terminal
	cols   int // the screen's; 0 where there is no row
	y, x   int
	gen    uint64
	label  uint64 // of pictures that are not shown
}

// New makes a painter for an outer terminal on which Enter was not written yet.
func New(o Options) *Painter {
	p := &Painter{colors: colors{depth: o.Depth}, notice: -1, outer: newOuter(), pictures: pictures{can: o.Pictures}}
	p.Resize(o.Cols, o.Rows)
	return p
}

// Size is the outer terminal's size.
func (p *Painter) Size() (cols, rows int) { return p.cols, p.rows }

// Origin is the column and row of the screen that the outer terminal's first
// cell shows.
func (p *Painter) Origin() (x, y int) { return p.left, p.top }

// Resize tells the outer terminal's new size. What stands on it is unknown
// then.
func (p *Painter) Resize(cols, rows int) {
	p.cols, p.rows = min(max(cols, 1), vt.MaxCols), min(max(rows, 1), vt.MaxRows)
	p.shadow = make([]vt.Cell, p.cols*p.rows)
	p.marks = make([]mark, p.rows)
	p.want = make([]vt.Cell, p.cols)
	p.Invalidate()
}

// Invalidate makes the next frame draw everything.
func (p *Painter) Invalidate() { p.known = false }

// syncFrom is the size of a frame, in bytes, from which it is written inside
// synchronised output with the cursor hidden. Smaller ones, an echo, reach the
// outer terminal in one piece anyway.
const syncFrom = 512

// Frame appends the bytes that make the outer terminal show s.
func (p *Painter) Frame(dst []byte, s Scene) []byte {
	body := p.outer.mirror(p.body[:0], &s)
	body = append(body, p.passing...)
	p.passing = p.passing[:0]
	if p.colors.update(s.live()) {
		p.Invalidate()
	}
	cur := s.Screen.Cursor()
	p.frame(s.Screen, cur)
	at := p.noticeRow(&s, cur)
	p.choosePictures(&s, at)
	modes := len(body)
	if !p.known {
		body = p.clear(body)
	}
	body = p.hidePictures(body)
	body = p.draw(body, &s, at)
	body = p.pen(body, vt.Style{}, "")
	body = p.showPictures(body)
	drawn := len(body) - modes
	shown := cur.Visible && !s.HideCursor && p.visible(cur)
	if shown {
		body = p.move(body, cur.X-p.left, cur.Y-p.top)
	}
	p.body = body
	if drawn < syncFrom {
		dst = append(dst, body...)
		return p.outer.cursor(dst, shown, cur)
	}
	dst = append(dst, "\x1b[?2026h"...)
	dst = p.outer.hideCursor(dst)
	dst = append(dst, body...)
	dst = p.outer.cursor(dst, shown, cur)
	return append(dst, "\x1b[?2026l"...)
}

// frame chooses the part of the screen that is shown: the one it was, moved as
// little as brings the cursor into it.
func (p *Painter) frame(t *vt.Terminal, cur vt.Cursor) {
	cols, rows := t.Size()
	p.left = follow(p.left, cur.X, cols, p.cols)
	p.top = follow(p.top, cur.Y, rows, p.rows)
}

// follow moves a window of room cells over size cells so that at is in it.
func follow(from, at, size, room int) int {
	if size <= room {
		return 0
	}
	from = min(max(from, at-room+1), at)
	return min(max(from, 0), size-room)
}

func (p *Painter) visible(cur vt.Cursor) bool {
	x, y := cur.X-p.left, cur.Y-p.top
	return x >= 0 && x < p.cols && y >= 0 && y < p.rows
}

// clear empties the outer screen, so that it is known.
func (p *Painter) clear(dst []byte) []byte {
	dst = append(dst, "\x1b]8;;\x1b\\\x1b[m\x1b[H\x1b[2J"...)
	dst = p.pictures.forget(dst)
	clear(p.shadow)
	clear(p.marks)
	p.x, p.y, p.style, p.link = 0, 0, vt.Style{}, ""
	p.notice, p.text, p.known = -1, "", true
	return dst
}

// noticeRow is the row that the notice goes to, -1 without one.
func (p *Painter) noticeRow(s *Scene, cur vt.Cursor) int {
	at := -1
	if s.Notice != "" {
		at = p.rows - 1
		if p.rows > 1 && cur.Y-p.top == at {
			at = 0
		}
	}
	return at
}

// draw appends what differs from what stands there; the notice goes to row at.
func (p *Painter) draw(dst []byte, s *Scene, at int) []byte {
	cols, rows := s.Screen.Size()
	for y := range p.rows {
		if y == at {
			if p.notice != at || p.text != s.Notice {
				p.layNotice(s.Notice)
				dst = p.drawRow(dst, y)
				p.marks[y] = mark{} // drawn from no row
			}
			continue
		}
		m := mark{screen: s.Screen, y: y + p.top, x: p.left, label: p.pictures.labelled(y)}
		if m.y < rows {
			m.cols, m.gen = cols, s.Screen.RowGeneration(m.y)
		}
		if p.marks[y] == m {
			continue
		}
		p.layRow(s.Screen, m.y)
		p.layLabels(y)
		dst = p.drawRow(dst, y)
		p.marks[y] = m
	}
	p.notice, p.text = at, s.Notice
	return dst
}

// layRow puts row y of the screen, as it is to be seen, into want.
func (p *Painter) layRow(t *vt.Terminal, y int) {
	cols, rows := t.Size()
	x := 0
	if y < rows {
		n := min(cols-p.left, p.cols)
		for ; x < n; x++ {
			c := &p.want[x]
			*c = t.Cell(x+p.left, y)
			p.colors.fitCell(c)
			if len(c.Text) > 1 {
				fitText(c)
			}
		}
		if n > 0 && p.want[0].Width == 0 && p.want[0].Text == "" && p.left > 0 {
			p.want[0] = vt.Cell{Width: 1, Style: p.want[0].Style}
		}
		if n > 0 && p.want[n-1].Width == 2 {
			p.want[n-1] = vt.Cell{Width: 1, Style: p.want[n-1].Style}
		}
	}
	// Past the screen's edge there is nothing of the session: a dotted ground
	// says so.
	for ; x < p.cols; x++ {
		p.want[x] = vt.Cell{Text: "·", Width: 1, Style: vt.Style{Attrs: vt.AttrFaint}}
	}
}

// fitText leaves of c's text what fits into its cells: an emoji that grew at
// the right edge has more.
func fitText(c *vt.Cell) {
	if !doubtful(c) || vt.StringWidth(c.Text) == int(c.Width) {
		return
	}
	_, n := utf8.DecodeRuneInString(c.Text)
	if c.Text = c.Text[:n]; vt.StringWidth(c.Text) != int(c.Width) {
		c.Text = ""
	}
}

// layNotice puts the notice into want.
func (p *Painter) layNotice(text string) {
	style := vt.Style{Attrs: vt.AttrReverse}
	for i := range p.want {
		p.want[i] = vt.Cell{Width: 1, Style: style}
	}
	x := 0
	for cluster, width := range vt.Graphemes(vt.Truncate(" "+text+" ", p.cols, "…")) {
		if width == 0 || x+width > p.cols {
			continue
		}
		p.want[x] = vt.Cell{Text: cluster, Width: uint8(width), Style: style}
		if width == 2 {
			p.want[x+1] = vt.Cell{Style: style}
		}
		x += width
	}
}

// keepGap is how many unchanged cells are written again rather than jumped
// over.
const keepGap = 5

// drawRow appends what makes outer row y look as want.
func (p *Painter) drawRow(dst []byte, y int) []byte {
	have := p.shadow[y*p.cols : (y+1)*p.cols]
	want := p.want
	end := p.cols // from here on the row is blank
	for end > 0 && want[end-1] == (vt.Cell{Width: 1}) {
		end--
	}
	gap := keepGap
	if p.pictures.sixelAt(y) { // nothing is written where nothing changed
		end, gap = p.cols, 0
	}
	for x := 0; x < p.cols; {
		for x < p.cols && same(&have[x], &want[x]) {
			x++
		}
		if x == p.cols {
			break
		}
		for x > 0 && want[x].Width == 0 {
			x--
		}
		if x >= end {
			dst = p.pen(p.move(dst, x, y), vt.Style{}, "")
			dst = append(dst, "\x1b[K"...)
			break
		}
		dst = p.move(dst, x, y)
		for kept := 0; x < end; {
			if same(&have[x], &want[x]) {
				if kept++; kept > gap {
					break
				}
			} else {
				kept = 0
			}
			dst = p.put(dst, &want[x])
			x += max(int(want[x].Width), 1)
		}
	}
	copy(have, want)
	return dst
}

// same reports whether a drawn cell looks like a wanted one. The zero cell is
// what clearing the screen leaves.
func same(have, want *vt.Cell) bool {
	return *have == *want || *have == (vt.Cell{}) && *want == (vt.Cell{Width: 1})
}

// put appends one cell at the pen.
func (p *Painter) put(dst []byte, c *vt.Cell) []byte {
	dst = p.pen(dst, c.Style, c.Link)
	if c.Text == "" {
		p.x++
		return append(dst, ' ')
	}
	next := p.x + int(c.Width)
	if !doubtful(c) {
		p.x = next
		return append(dst, c.Text...)
	}
	// The outer terminal may think that this takes fewer cells or more than
	// it does: empty its place first, and say where to go on.
	x := p.x
	for range int(c.Width) {
		dst = append(dst, ' ')
	}
	dst = appendCSI(dst, x+1, 'G')
	dst = append(dst, c.Text...)
	if next < p.cols {
		dst = appendCSI(dst, next+1, 'G')
	}
	p.x = next
	return dst
}

// doubtful reports whether terminals disagree about the width of c: clusters
// of several code points, and wide characters outside the scripts that always
// were wide.
func doubtful(c *vt.Cell) bool {
	if c.Text[0] < utf8.RuneSelf {
		return len(c.Text) > 1
	}
	r, n := utf8.DecodeRuneInString(c.Text)
	if n < len(c.Text) {
		return true
	}
	return c.Width == 2 && (r >= 0x1f000 && r < 0x20000 || r >= 0x2000 && r < 0x2e80)
}

// move appends what brings the pen to x, y.
func (p *Painter) move(dst []byte, x, y int) []byte {
	if p.x == x && p.y == y && x < p.cols {
		return dst
	}
	if p.y == y && p.x >= 0 && p.x < p.cols && x < p.cols && x > 0 {
		dst = appendCSI(dst, x+1, 'G')
	} else {
		dst = append(dst, "\x1b["...)
		dst = appendInt(dst, y+1)
		dst = append(dst, ';')
		dst = appendInt(dst, x+1)
		dst = append(dst, 'H')
	}
	p.x, p.y = x, y
	return dst
}

// pen appends what sets the style and link of what is written next.
func (p *Painter) pen(dst []byte, s vt.Style, link string) []byte {
	if p.link != link {
		dst = append(dst, "\x1b]8;;"...)
		dst = append(dst, link...)
		dst = append(dst, "\x1b\\"...)
		p.link = link
	}
	if p.style != s {
		dst = s.AppendSGR(dst)
		p.style = s
	}
	return dst
}

func appendCSI(dst []byte, n int, final byte) []byte {
	dst = append(dst, "\x1b["...)
	dst = appendInt(dst, n)
	return append(dst, final)
}

func appendInt(dst []byte, n int) []byte {
	if n >= 10 {
		dst = appendInt(dst, n/10)
	}
	return append(dst, '0'+byte(n%10))
}
