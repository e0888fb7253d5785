package paint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/termio-sh/termio/vt"
)

// Pictures says which pictures the outer terminal shows. The zero value is
// none: where a picture would be stands a word instead.
type Pictures struct {
	Kitty, Sixel bool
	// CellWidth and CellHeight are the size of a cell in pixels. Without it,
	// sixels are not shown, since how far they reach is unknown then.
	CellWidth, CellHeight int
}

// PicturesOf tells from the environment which pictures the outer terminal
// shows. TERMIO_PICTURES wins: none, kitty, sixel, or both with a comma. Where
// nothing tells, none are sent.
func PicturesOf(getenv func(string) string) Pictures {
	if set := getenv("TERMIO_PICTURES"); set != "" {
		kinds := strings.Split(set, ",")
		return Pictures{Kitty: slices.Contains(kinds, "kitty"), Sixel: slices.Contains(kinds, "sixel")}
	}
	base, _, _ := strings.Cut(getenv("TERM"), "-")
	if getenv("TMUX") != "" || base == "tmux" || base == "screen" {
		return Pictures{} // a multiplexer is in between
	}
	switch getenv("TERM_PROGRAM") {
	case "ghostty":
		return Pictures{Kitty: true}
	case "WezTerm":
		return Pictures{Kitty: true, Sixel: true}
	case "iTerm.app", "mintty":
		return Pictures{Sixel: true}
	}
	if v, err := strconv.Atoi(getenv("KONSOLE_VERSION")); err == nil && v >= 220400 {
		return Pictures{Sixel: true}
	}
	switch term := getenv("TERM"); {
	case getenv("KITTY_WINDOW_ID") != "", term == "xterm-kitty", term == "xterm-ghostty":
		return Pictures{Kitty: true}
	case base == "foot", base == "mlterm", base == "contour":
		return Pictures{Sixel: true}
	}
	return Pictures{}
}

// pictures is which pictures stand on the outer terminal.
type pictures struct {
	can   Pictures
	drawn []drawn
	want  []drawn
	words []label
	sent  map[uint64]bool // pixels that a kitty terminal has
	// source is whose pictures these are: their numbers are that terminal's.
	source *vt.Terminal
	other  bool // it has just become another one
}

// drawn is a picture on the outer terminal.
type drawn struct {
	vt.Image
	x, y, cols, rows int // there
}

func (d *drawn) covers(y int) bool { return y >= d.y && y < d.y+d.rows }

// label is the word for a picture that is not shown.
type label struct {
	x, y    int
	end     int // the column that it must not reach
	text    string
	showing uint64
}

// SetCellSize tells the size of the outer terminal's cells in pixels, 0 if
// unknown.
func (p *Painter) SetCellSize(width, height int) {
	p.pictures.can.CellWidth, p.pictures.can.CellHeight = width, height
}

// part is the part of the outer terminal that shows a terminal with pictures.
func (p *Painter) part(s *Scene) Inset {
	if s.Inset == nil {
		return Inset{Term: s.Screen, Left: p.left, Top: p.top, Cols: p.cols, Rows: p.rows}
	}
	in := *s.Inset
	in.X, in.Y = in.X-p.left, in.Y-p.top
	in.Cols, in.Rows = min(in.Cols, p.cols-in.X), min(in.Rows, p.rows-in.Y)
	return in
}

// choosePictures decides what of the screen's pictures is shown where: what
// the outer terminal can show, if it is there as a whole and does not lie under
// the notice.
func (p *Painter) choosePictures(s *Scene, notice int) {
	g := &p.pictures
	g.want, g.words = g.want[:0], g.words[:0]
	in := p.part(s)
	g.other = g.source != in.Term
	g.source = in.Term
	for _, m := range in.Term.Images() {
		d := drawn{Image: m, x: in.X + m.X - in.Left, y: in.Y + m.Y - in.Top, cols: m.Cols, rows: m.Rows}
		if m.Virtual {
			if g.can.Kitty {
				g.want = append(g.want, d)
			}
			continue
		}
		can, below := g.can.Kitty, in.Y+in.Rows
		if m.Format == vt.ImageSixel {
			can = g.can.Sixel && g.can.CellWidth > 0 && g.can.CellHeight > 0
			if can {
				d.cols = (m.Width + g.can.CellWidth - 1) / g.can.CellWidth
				d.rows = (m.Height + g.can.CellHeight - 1) / g.can.CellHeight
			}
			below = min(below, p.rows-1) // the outer terminal may go on in the row below
		}
		right := in.X + in.Cols
		if can && d.x >= in.X && d.y >= in.Y && d.x+d.cols <= right && d.y+d.rows <= below && !d.covers(notice) {
			g.want = append(g.want, d)
		} else if d.y >= in.Y && d.x >= in.X && d.y < in.Y+in.Rows {
			g.words = append(g.words, label{d.x, d.y, right, fmt.Sprintf("[picture %d×%d]", m.Width, m.Height), m.Showing})
		}
	}
}

// labelled is a number for the labels in row y.
func (g *pictures) labelled(y int) (n uint64) {
	for i := range g.words {
		if g.words[i].y == y {
			n = n*31 + g.words[i].showing
		}
	}
	return n
}

// layLabels puts the labels of row y into want, where nothing stands.
func (p *Painter) layLabels(y int) {
	for i := range p.pictures.words {
		l := &p.pictures.words[i]
		if l.y != y {
			continue
		}
		x := l.x
		for cluster := range vt.Graphemes(l.text) {
			if x >= min(p.cols, l.end) || p.pictures.sixelOn(x, y) || p.want[x].Width != 1 || p.want[x].Text != "" && p.want[x].Text != " " {
				break
			}
			p.want[x] = vt.Cell{Text: cluster, Width: 1, Style: vt.Style{Attrs: vt.AttrFaint}}
			x++
		}
	}
}

// sixelAt reports whether a sixel stands, or is to stand, in row y.
func (g *pictures) sixelAt(y int) bool {
	in := func(list []drawn) bool {
		for i := range list {
			if list[i].Format == vt.ImageSixel && list[i].covers(y) {
				return true
			}
		}
		return false
	}
	return in(g.drawn) || in(g.want)
}

// sixelOn reports whether a sixel is to stand on cell x, y.
func (g *pictures) sixelOn(x, y int) bool {
	for i := range g.want {
		if d := &g.want[i]; d.Format == vt.ImageSixel && d.covers(y) && x >= d.x && x < d.x+d.cols {
			return true
		}
	}
	return false
}

// at reports whether d is in list, at the same place if it has to be.
func at(list []drawn, d *drawn, place bool) bool {
	for i := range list {
		o := &list[i]
		if o.Showing == d.Showing && (!place || o.x == d.x && o.y == d.y && o.rows == d.rows && o.cols == d.cols) {
			return true
		}
	}
	return false
}

// hidePictures takes off what is not to be shown any more, or not there.
func (p *Painter) hidePictures(dst []byte) []byte {
	g := &p.pictures
	kept := g.drawn[:0]
	for i := range g.drawn {
		d := &g.drawn[i]
		switch sixel := d.Format == vt.ImageSixel; {
		case !g.other && at(g.want, d, sixel):
			kept = append(kept, *d)
		case sixel:
			dst = p.wipe(dst, d)
		default:
			dst = d.AppendHide(dst)
		}
	}
	g.drawn = kept
	for n := range g.sent { // the pixels went with the last that showed them
		if !slices.ContainsFunc(kept, func(d drawn) bool { return d.Picture == n }) {
			delete(g.sent, n)
		}
	}
	return dst
}

// wipe erases the cells that a sixel stands on; they are written again.
func (p *Painter) wipe(dst []byte, d *drawn) []byte {
	for y := max(d.y, 0); y < min(d.y+d.rows, p.rows); y++ {
		p.marks[y] = mark{}
		if p.notice == y {
			p.notice = -1
		}
		x0, x1 := max(d.x, 0), min(d.x+d.cols, p.cols)
		dst = appendCSI(p.move(dst, x0, y), x1-x0, 'X')
		row := p.shadow[y*p.cols : (y+1)*p.cols]
		if x0 > 0 && row[x0-1].Width == 2 { // erasing cuts it
			x0--
		}
		if x1 < p.cols && row[x1].Text == "" && row[x1].Width == 0 && row[x1] != (vt.Cell{}) {
			x1++
		}
		for x := x0; x < x1; x++ {
			row[x] = vt.Cell{Width: 3} // like none
		}
	}
	return dst
}

// showPictures shows what is not there yet.
func (p *Painter) showPictures(dst []byte) []byte {
	g := &p.pictures
	for i := range g.want {
		d := &g.want[i]
		if at(g.drawn, d, true) {
			continue
		}
		if d.Format == vt.ImageKitty && !g.sent[d.Picture] {
			dst = d.AppendData(dst)
			if g.sent == nil {
				g.sent = map[uint64]bool{}
			}
			g.sent[d.Picture] = true
		}
		if !d.Virtual {
			dst = p.move(dst, d.x, d.y)
		}
		dst = d.AppendShow(dst)
		if d.Format == vt.ImageSixel {
			p.x, p.y = -1, -1
		}
	}
	g.drawn = append(g.drawn[:0], g.want...)
	return dst
}

// forget takes all pictures off the outer terminal, whose screen is empty.
func (g *pictures) forget(dst []byte) []byte {
	if len(g.sent) > 0 {
		dst = append(dst, "\x1b_Ga=d,d=A,q=2\x1b\\"...)
	}
	g.drawn, g.sent = g.drawn[:0], nil
	return dst
}
