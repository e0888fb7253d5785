package vt

import (
	"slices"
	"strconv"
	"unsafe"
)

const (
	maxImages = 8 << 20 // bytes of all pictures that are kept
	maxShown  = 256     // showings of pictures
)

// ImageFormat is how a picture came.
type ImageFormat uint8

// The formats of pictures.
const (
	ImageSixel ImageFormat = iota + 1 // a DCS of DEC's sixel graphics
	ImageKitty                        // APCs of the kitty graphics protocol
)

// Image is one showing of a picture on the screen. The engine draws no
// pictures: it keeps what the program sent, within bounds, and where it
// belongs, for a viewer whose own terminal can show it.
type Image struct {
	// Picture names the pixels, Showing this showing of them. A terminal uses
	// neither number again.
	Picture, Showing uint64
	Format           ImageFormat
	// X and Y are the cell of the upper left corner, Cols and Rows the cells
	// that the picture covers, by the terminal's size of a cell.
	X, Y, Cols, Rows int
	// Width and Height are in pixels.
	Width, Height int
	// Virtual pictures have no place: the program puts characters (U+10EEEE)
	// where their parts are to be seen.
	Virtual bool

	data  *picture
	place *showing
}

// AppendData appends what gives the pixels to a terminal without showing
// them, which has to be done once before AppendShow. It is nothing for a
// sixel, whose showing brings them.
func (m Image) AppendData(dst []byte) []byte {
	if m.Format != ImageKitty {
		return dst
	}
	return m.data.appendKitty(dst)
}

// AppendShow appends what shows the picture at the terminal's cursor. That of
// a kitty picture leaves the cursor where it is, moves the picture if it is
// shown already, and asks for no answer; a sixel moves the cursor.
func (m Image) AppendShow(dst []byte) []byte {
	if m.Format != ImageKitty {
		return append(dst, m.data.bytes...)
	}
	dst = append(dst, "\x1b_Ga=p,C=1,q=2"...)
	dst = appendKey(dst, 'i', int64(m.data.id))
	dst = appendKey(dst, 'p', int64(m.place.name()))
	dst = appendKey(dst, 'c', int64(m.Cols))
	dst = appendKey(dst, 'r', int64(m.Rows))
	for _, k := range [...]byte{'x', 'y', 'w', 'h', 'X', 'Y', 'z', 'U'} {
		if v := m.place.keys[k]; v != 0 {
			dst = appendKey(dst, k, int64(v))
		}
	}
	return append(dst, "\x1b\\"...)
}

// AppendHide appends what takes a kitty picture off the terminal again, with
// its pixels if it is shown nowhere else. A sixel goes by writing over it.
func (m Image) AppendHide(dst []byte) []byte {
	if m.Format != ImageKitty {
		return dst
	}
	dst = append(dst, "\x1b_Ga=d,d=I,q=2"...)
	dst = appendKey(dst, 'i', int64(m.data.id))
	dst = appendKey(dst, 'p', int64(m.place.name()))
	return append(dst, "\x1b\\"...)
}

func appendKey(dst []byte, k byte, v int64) []byte {
	return strconv.AppendInt(append(dst, ',', k, '='), v, 10)
}

// picture is the pixels of one picture.
type picture struct {
	number uint64
	format ImageFormat
	bytes  []byte // the whole DCS, or the base64 of all APCs
	keys   kittyKeys
	id     uint32 // kitty's name of it
	called uint32 // the number that the program gave it without a name
	w, h   int    // pixels
}

// showing is one place where a picture is shown.
type showing struct {
	number     uint64
	pic        *picture
	scr        *screen
	row        uint16 // of the screen's cells: it moves with its row
	x          int
	cols, rows int
	keys       kittyKeys
	under      uint64 // of a sixel: what stood in the cells when it came
}

// name is the kitty protocol's number of the showing.
func (s *showing) name() uint32 {
	if p := s.keys['p']; p > 0 {
		return uint32(p)
	}
	return uint32(1<<24 + s.number)
}

func (s *showing) virtual() bool { return s.keys['U'] == 1 }

// y is the visible row of the upper left corner.
func (s *showing) y() int { return slices.Index(s.scr.order, s.row) }

// images is what the engine keeps of pictures.
type images struct {
	pics   []*picture // the oldest first
	shown  []*showing
	bytes  int
	number uint64
	part   kittyPart
}

// memory estimates the bytes held.
func (g *images) memory() int {
	return g.bytes + cap(g.part.data) + len(g.pics)*int(unsafe.Sizeof(picture{})+8) + len(g.shown)*int(unsafe.Sizeof(showing{})+8)
}

// Images lists the pictures on the screen that is shown, the one shown last at
// the end. What Images gives is valid until the next Write, Resize or Images.
//
// A picture scrolls with the row of its upper edge and goes with it: when that
// row is cleared or scrolls off, when the terminal is resized, and a sixel also
// when the cells that it covers change or another sixel comes over it. The scrollback has none.
func (t *Terminal) Images() []Image {
	g := &t.images
	if len(g.shown) == 0 {
		return nil
	}
	var stale []*showing
	for _, s := range g.shown {
		if s.scr == t.scr && s.pic.format == ImageSixel && (s.under != t.under(s) || g.drawnOver(s)) {
			stale = append(stale, s)
		}
	}
	if len(stale) > 0 {
		t.dropShown(func(s *showing) bool { return slices.Contains(stale, s) })
		t.settle()
	}
	var out []Image
	for _, s := range g.shown {
		if s.scr == t.scr {
			out = append(out, Image{
				Picture: s.pic.number, Showing: s.number, Format: s.pic.format,
				X: s.x, Y: s.y(), Cols: s.cols, Rows: s.rows, Width: s.pic.w, Height: s.pic.h,
				Virtual: s.virtual(), data: s.pic, place: s,
			})
		}
	}
	return out
}

// under sums up the cells that a showing covers.
func (t *Terminal) under(s *showing) uint64 {
	sum := uint64(14695981039346656037)
	y0 := s.y()
	for y := y0; y < min(y0+s.rows, s.scr.rows); y++ {
		row := s.scr.row(y)
		for _, c := range row[min(s.x, len(row)):min(s.x+s.cols, len(row))] {
			if c.isErased() {
				c = cell(t.styles.at(c.style()).style.BG)
			} else if e := t.styles.at(c.style()); true { // numbers of styles change
				c = c&cellContent ^ cell(e.style.FG)<<21 ^ cell(e.style.BG)<<37 ^ cell(e.style.Attrs)<<48 | 1<<63
			}
			sum = (sum ^ uint64(c)) * 1099511628211
		}
	}
	return sum
}

// addPicture keeps a picture; the oldest go where there is no room. It is nil
// if the picture alone is too big.
func (t *Terminal) addPicture(p picture) *picture {
	g := &t.images
	if len(p.bytes) > maxImages {
		return nil
	}
	for g.bytes+len(p.bytes) > maxImages || len(g.pics) >= maxShown {
		t.dropPicture(g.pics[0])
	}
	g.number++
	p.number = g.number
	g.bytes += len(p.bytes)
	g.pics = append(g.pics, &p)
	return &p
}

// dropPicture forgets a picture and its showings.
func (t *Terminal) dropPicture(p *picture) {
	g := &t.images
	t.dropShown(func(s *showing) bool { return s.pic == p })
	if i := slices.Index(g.pics, p); i >= 0 {
		g.pics = slices.Delete(g.pics, i, i+1)
		g.bytes -= len(p.bytes)
	}
}

// dropShown takes showings away, and the sixels that are shown nowhere then.
func (t *Terminal) dropShown(gone func(*showing) bool) {
	g := &t.images
	kept := g.shown[:0]
	var sixels []*picture
	for _, s := range g.shown {
		if !gone(s) {
			kept = append(kept, s)
			continue
		}
		if int(s.row) < len(s.scr.meta) { // a virtual one may have outlived its row
			s.scr.meta[s.row].gen = t.next
		}
		t.changed = true
		if s.pic.format == ImageSixel {
			sixels = append(sixels, s.pic)
		}
	}
	clear(g.shown[len(kept):])
	g.shown = kept
	for _, p := range sixels {
		t.dropPicture(p)
	}
}

// dropAllShown is what a resize does.
func (t *Terminal) dropAllShown() {
	if len(t.images.shown) > 0 {
		t.dropShown(func(s *showing) bool { return !s.virtual() })
	}
}

// rowCleared takes away what was anchored in a row.
func (t *Terminal) rowCleared(s *screen, y int) {
	row := s.order[y]
	s.meta[row].pictured = false
	t.dropShown(func(p *showing) bool { return p.scr == s && p.row == row && !p.virtual() })
}

// cellsErased takes away the sixels in the cells x0 to x1-1 of row y.
func (t *Terminal) cellsErased(y, x0, x1 int) {
	t.dropShown(func(s *showing) bool {
		top := s.y()
		return s.scr == t.scr && s.pic.format == ImageSixel &&
			y >= top && y < top+s.rows && x0 < s.x+s.cols && x1 > s.x
	})
}

// show puts a picture at the cursor, and moves the cursor down to the row of
// its lower edge if advance says so.
func (t *Terminal) show(s showing, advance bool) {
	g := &t.images
	if len(g.shown) >= maxShown {
		oldest := g.shown[0]
		t.dropShown(func(s *showing) bool { return s == oldest })
	}
	g.number++
	s.number, s.scr = g.number, t.scr
	s.row = t.scr.order[t.cur.y]
	s.x = t.cur.x
	t.scr.metaAt(t.cur.y).pictured = true
	t.touch(t.cur.y)
	g.shown = append(g.shown, &s)
	if advance {
		for range min(s.rows, t.rows) - 1 {
			t.lineFeed()
		}
	}
	if s.pic.format == ImageSixel && s.y() >= 0 {
		s.under = t.under(&s)
	}
}

// drawnOver reports whether a sixel that came after s covers a part of it.
func (g *images) drawnOver(s *showing) bool {
	top := s.y()
	for i := len(g.shown) - 1; i >= 0 && g.shown[i] != s; i-- {
		o := g.shown[i]
		if o.scr != s.scr || o.pic.format != ImageSixel {
			continue
		}
		if y := o.y(); y < top+s.rows && y+o.rows > top && o.x < s.x+s.cols && o.x+o.cols > s.x {
			return true
		}
	}
	return false
}

// sixel takes a sixel picture, whole as it came.
func (t *Terminal) sixel(dcs, body []byte) {
	w, h := sixelSize(body)
	if w == 0 || h == 0 {
		return
	}
	p := t.addPicture(picture{format: ImageSixel, bytes: dcs, w: w, h: h})
	if p == nil {
		return
	}
	s := showing{pic: p, cols: ceilDiv(w, t.cellW), rows: ceilDiv(h, t.cellH)}
	if !t.modes.has(modeSixelDisplay) {
		t.show(s, true)
		return
	}
	cur := t.cur // mode 80: in the corner, and the cursor stays
	t.cur.x, t.cur.y = 0, 0
	t.show(s, false)
	t.cur = cur
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// sixelSize is the size of a sixel picture in pixels: what its data draw, or
// its raster attributes claim if that is more.
func sixelSize(b []byte) (w, h int) {
	const most = 1 << 16
	var num [4]int
	n, x, bottom := -1, 0, 0
	var command byte
	end := func(times int) {
		x = min(x+times, most)
		w, h = max(w, x), max(h, min(bottom+6, most))
	}
	for i := 0; i <= len(b); i++ {
		c := byte(0)
		if i < len(b) {
			c = b[i]
		}
		switch {
		case c >= '0' && c <= '9':
			if n >= 0 && n < len(num) {
				num[n] = min(num[n]*10+int(c-'0'), most)
			}
			continue
		case c == ';':
			n++
			continue
		case c >= '?' && c <= '~' && command == '!':
			end(max(num[0], 1))
			command, n = 0, -1
			continue
		}
		if command == '"' {
			w, h = max(w, num[2]), max(h, num[3])
		}
		command, n = 0, -1
		switch {
		case c == '"' || c == '!' || c == '#':
			command, n, num = c, 0, [4]int{}
		case c == '$':
			x = 0
		case c == '-':
			x, bottom = 0, min(bottom+6, most)
		case c >= '?' && c <= '~':
			end(1)
		}
	}
	return w, h
}
