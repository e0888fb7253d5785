package paint

import (
	"strings"

	"github.com/termio-sh/termio/vt"
)

// Depth is how many colours the outer terminal shows.
type Depth uint8

// The depths.
const (
	DepthTrue Depth = iota // 24 bits
	Depth256
	Depth16
	DepthNone // no colours
)

// DepthOf tells the depth from the environment: true colour, unless COLORTERM
// is silent and TERM says less.
func DepthOf(getenv func(string) string) Depth {
	term := getenv("TERM")
	switch getenv("COLORTERM") {
	case "truecolor", "24bit":
		return DepthTrue
	}
	base, _, _ := strings.Cut(term, "-")
	switch {
	case strings.HasSuffix(term, "-direct"):
		return DepthTrue
	case strings.Contains(term, "256color"):
		return Depth256
	case strings.Contains(term, "16color"), strings.Contains(term, "88color"):
		return Depth16
	}
	switch base {
	case "linux", "xterm", "screen", "tmux", "rxvt", "ansi", "cygwin", "konsole", "putty", "eterm", "vt340", "vt525":
		if term == base || strings.HasSuffix(term, "-color") || strings.HasSuffix(term, "-unicode") {
			return Depth16
		}
	case "vt52", "vt100", "vt102", "vt220", "vt320", "vt420", "vt520", "dumb", "unknown":
		return DepthNone
	}
	return DepthTrue
}

// colors turns the program's colours into those that the outer terminal shows:
// entries of the palette and default colours that the program changed become
// what it made of them, without touching the outer terminal's palette, and
// colours beyond the outer terminal's depth become the nearest that it has.
type colors struct {
	depth   Depth
	set     bool // the program changed something
	reverse bool // of the whole screen
	fg, bg  vt.Color
	palette [256]vt.Color
	cache   map[vt.Style]vt.Style
}

// update takes over t's palette and reports whether something changed.
func (c *colors) update(t *vt.Terminal) bool {
	fg, bg, _ := t.DefaultColors()
	var palette [256]vt.Color
	set := !fg.IsDefault() || !bg.IsDefault()
	for i := range palette {
		if rgb, ok := t.PaletteColor(i); ok {
			palette[i], set = rgb, true
		}
	}
	reverse := t.ReverseScreen()
	if fg == c.fg && bg == c.bg && reverse == c.reverse && set == c.set && palette == c.palette {
		return false
	}
	c.fg, c.bg, c.reverse, c.set, c.palette = fg, bg, reverse, set, palette
	clear(c.cache)
	return true
}

// attrVisible are the attributes that are seen.
const attrVisible = vt.AttrProtected - 1

// fitCell makes cell as it is drawn: blanks alike, the style as the outer
// terminal shows it.
func (c *colors) fitCell(cell *vt.Cell) {
	if cell.Text == " " {
		cell.Text = ""
	}
	if cell.Style != (vt.Style{}) || c.set || c.reverse {
		cell.Style = c.style(cell.Style)
	}
}

func (c *colors) style(s vt.Style) vt.Style {
	s.Attrs &= attrVisible
	if !c.set && !c.reverse && c.depth == DepthTrue {
		return s
	}
	if out, ok := c.cache[s]; ok {
		return out
	}
	out := s
	out.FG, out.BG, out.UnderlineColor = c.program(s.FG, c.fg), c.program(s.BG, c.bg), c.program(s.UnderlineColor, 0)
	if c.reverse {
		out.Attrs ^= vt.AttrReverse
	}
	out.FG, out.BG, out.UnderlineColor = c.fit(out.FG), c.fit(out.BG), c.fit(out.UnderlineColor)
	if c.depth >= Depth16 {
		out.UnderlineColor = 0
		out.Underline = min(out.Underline, vt.UnderlineSingle)
	}
	if c.cache == nil || len(c.cache) > 4096 {
		c.cache = map[vt.Style]vt.Style{}
	}
	c.cache[s] = out
	return out
}

// program is the colour that the program means.
func (c *colors) program(x, standard vt.Color) vt.Color {
	if x.IsDefault() {
		return standard
	}
	if i, ok := x.Index(); ok && !c.palette[i].IsDefault() {
		return c.palette[i]
	}
	return x
}

// fit is the nearest colour that the outer terminal has.
func (c *colors) fit(x vt.Color) vt.Color {
	if x.IsDefault() || c.depth == DepthTrue {
		return x
	}
	if c.depth == DepthNone {
		return 0
	}
	r, g, b, rgb := x.RGB()
	if i, indexed := x.Index(); indexed {
		if i < 16 || c.depth == Depth256 {
			return x
		}
		r, g, b = xterm256(i)
	} else if !rgb {
		return x
	}
	if c.depth == Depth256 {
		return vt.Indexed(nearest256(r, g, b))
	}
	return vt.Indexed(nearest16(r, g, b))
}

// cubeSteps are the components of the 6×6×6 cube, colours 16 to 231.
var cubeSteps = [6]uint8{0, 95, 135, 175, 215, 255}

// xterm256 is the colour that index i has in xterm from 16 on.
func xterm256(i uint8) (r, g, b uint8) {
	if i >= 232 {
		v := 8 + 10*(i-232)
		return v, v, v
	}
	i -= 16
	return cubeSteps[i/36], cubeSteps[i/6%6], cubeSteps[i%6]
}

// nearest256 is the index from 16 on whose colour is nearest.
func nearest256(r, g, b uint8) uint8 {
	cr, cg, cb := cubeStep(r), cubeStep(g), cubeStep(b)
	cube := 16 + 36*cr + 6*cg + cb
	grey := (int(r) + int(g) + int(b)) / 3
	gi := uint8(min(max((grey-3)/10, 0), 23))
	gv := 8 + 10*gi
	if distance(r, g, b, gv, gv, gv) < distance(r, g, b, cubeSteps[cr], cubeSteps[cg], cubeSteps[cb]) {
		return 232 + gi
	}
	return cube
}

func cubeStep(v uint8) uint8 {
	switch {
	case v < 48:
		return 0
	case v < 115:
		return 1
	}
	return min((v-35)/40, 5)
}

// ansi16 are the first 16 colours as xterm has them.
var ansi16 = [16][3]uint8{
	{0, 0, 0},
	{205, 0, 0},
	{0, 205, 0},
	{205, 205, 0},
	{0, 0, 238},
	{205, 0, 205},
	{0, 205, 205},
	{229, 229, 229},
	{127, 127, 127},
	{255, 0, 0},
	{0, 255, 0},
	{255, 255, 0},
	{92, 92, 255},
	{255, 0, 255},
	{0, 255, 255},
	{255, 255, 255},
}

func nearest16(r, g, b uint8) uint8 {
	best, at := 1<<30, 0
	for i, c := range ansi16 {
		if d := distance(r, g, b, c[0], c[1], c[2]); d < best {
			best, at = d, i
		}
	}
	return uint8(at)
}

// distance compares colours as eyes do, roughly: green counts most.
func distance(r1, g1, b1, r2, g2, b2 uint8) int {
	dr, dg, db := int(r1)-int(r2), int(g1)-int(g2), int(b1)-int(b2)
	return 3*dr*dr + 6*dg*dg + 2*db*db
}
