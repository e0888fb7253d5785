package tui

import "github.com/termio-sh/termio/vt"

// recolor are the colours that a program gave to the palette, and to text and
// ground (OSC 4, 10, 11), and whether it reversed its screen (DECSCNM). They
// are the pane's own: the canvas shows several programs at once.
type recolor struct {
	on      bool
	reverse bool
	fg, bg  vt.Color
	palette [256]vt.Color // the default colour where it is not changed
}

func recolorOf(t *vt.Terminal) recolor {
	c := recolor{reverse: t.ReverseScreen()}
	c.fg, c.bg, _ = t.DefaultColors()
	c.on = c.reverse || !c.fg.IsDefault() || !c.bg.IsDefault()
	for i := range c.palette {
		if rgb, set := t.PaletteColor(i); set {
			c.palette[i], c.on = rgb, true
		}
	}
	return c
}

func (c *recolor) color(x, standard vt.Color) vt.Color {
	if x.IsDefault() {
		return standard
	}
	if i, ok := x.Index(); ok && !c.palette[i].IsDefault() {
		return c.palette[i]
	}
	return x
}

func (c *recolor) style(s vt.Style) vt.Style {
	s.FG, s.BG, s.UnderlineColor = c.color(s.FG, c.fg), c.color(s.BG, c.bg), c.color(s.UnderlineColor, 0)
	if c.reverse {
		s.Attrs ^= vt.AttrReverse
	}
	return s
}

// appendRow is Terminal.AppendRow in the program's own colours.
func (c *recolor) appendRow(dst []byte, t *vt.Terminal, y, x0, x1 int) []byte {
	var pen vt.Style
	link := ""
	for x := x0; x < x1; x++ {
		cell := t.Cell(x, y)
		text := cell.Text
		switch {
		case cell.Width == 0 && x > x0:
			continue
		case text == "" || cell.Width == 0 || int(cell.Width) > x1-x:
			text = " "
		}
		if cell.Link != link {
			link = cell.Link
			dst = append(append(append(dst, "\x1b]8;;"...), link...), "\x1b\\"...)
		}
		if s := c.style(cell.Style); s != pen {
			pen = s
			dst = s.AppendSGR(dst)
		}
		dst = append(dst, text...)
	}
	if link != "" {
		dst = append(dst, "\x1b]8;;\x1b\\"...)
	}
	return append(dst, "\x1b[m"...)
}
