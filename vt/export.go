package vt

import (
	"fmt"
	"html"
	"strings"
)

// RangeANSI is a range as text with SGR sequences and OSC 8 links. Each row,
// soft wraps too, is a line of its own that begins and ends in the default
// style.
func (t *Terminal) RangeANSI(r Range) string {
	var b strings.Builder
	t.eachRow(r, func(view *Terminal, x0, x1 int, last bool) {
		b.Write(view.AppendRow(nil, 0, x0, x1))
		if !last {
			b.WriteByte('\n')
		}
	})
	return b.String()
}

// RangeHTML is a range as HTML, for a pre element: runs of one style are span
// elements with a style attribute, links are a elements, and everything else
// is escaped. Links other than http, https, mailto and file are left out, as
// the address comes from the program. Colours are the palette's as the program
// set it, and xterm's otherwise; the default colours are left to the page.
func (t *Terminal) RangeHTML(r Range) string {
	var b strings.Builder
	t.eachRow(r, func(view *Terminal, x0, x1 int, last bool) {
		t.rowHTML(&b, view, x0, x1)
		if !last {
			b.WriteByte('\n')
		}
	})
	return b.String()
}

// eachRow shows every row of a range, cut to it, as the only row of a
// terminal: rows of the scrollback are packed and have no cells of their own.
func (t *Terminal) eachRow(r Range, show func(view *Terminal, x0, x1 int, last bool)) {
	view := New(Options{Cols: t.cols, Rows: 1, Scrollback: -1})
	back := t.ScrollbackLen()
	first, end := max(r.Y0, 0), min(r.Y1, back+t.rows-1)
	for y := first; y <= end; y++ {
		row := []byte("\x1b[?7l\r\x1b[2K")
		if y < back {
			row = t.AppendScrollbackRow(row, y)
		} else {
			row = t.AppendRow(row, y-back, 0, t.cols)
		}
		view.Write(row)
		x0, x1 := 0, t.cols
		if y == r.Y0 {
			x0 = max(r.X0, 0)
		}
		if y == r.Y1 {
			x1 = min(r.X1, t.cols)
		}
		for x1 > x0 && view.Cell(x1-1, 0).blank() {
			x1--
		}
		show(view, x0, x1, y == end)
	}
}

// blank reports whether nothing is seen at c.
func (c Cell) blank() bool {
	return (c.Text == "" || c.Text == " ") && c.Width == 1 && c.Style == (Style{})
}

func (t *Terminal) rowHTML(b *strings.Builder, view *Terminal, x0, x1 int) {
	for x := x0; x < x1; {
		first := view.Cell(x, 0)
		var text strings.Builder
		for ; x < x1; x++ {
			c := view.Cell(x, 0)
			if c.Width == 0 && c.Text == "" {
				continue // the second half of the character before
			}
			if c.Style != first.Style || c.Link != first.Link {
				break
			}
			if c.Text == "" {
				c.Text = " "
			}
			text.WriteString(c.Text)
		}
		t.runHTML(b, first, html.EscapeString(text.String()))
	}
}

func (t *Terminal) runHTML(b *strings.Builder, c Cell, text string) {
	tag := ""
	if css := t.css(c.Style); css != "" {
		tag = ` style="` + css + `"`
	}
	switch {
	case safeLink(c.Link):
		fmt.Fprintf(b, `<a href="%s" rel="noopener noreferrer"%s>%s</a>`, html.EscapeString(c.Link), tag, text)
	case tag != "":
		fmt.Fprintf(b, `<span%s>%s</span>`, tag, text)
	default:
		b.WriteString(text)
	}
}

// safeLink reports whether a page may hold the address: a script is none.
func safeLink(link string) bool {
	for _, scheme := range []string{"http://", "https://", "mailto:", "file://"} {
		if len(link) > len(scheme) && strings.EqualFold(link[:len(scheme)], scheme) {
			return true
		}
	}
	return false
}

// css is a style as declarations. It holds only what is made here.
func (t *Terminal) css(s Style) string {
	fg, bg := t.cssColor(s.FG), t.cssColor(s.BG)
	if s.Attrs&AttrReverse != 0 {
		fg, bg = or(bg, "Canvas"), or(fg, "CanvasText")
	}
	var d []string
	add := func(on bool, decl string) {
		if on {
			d = append(d, decl)
		}
	}
	add(fg != "", "color:"+fg)
	add(bg != "", "background:"+bg)
	add(s.Attrs&AttrBold != 0, "font-weight:bold")
	add(s.Attrs&AttrFaint != 0, "opacity:.6")
	add(s.Attrs&AttrItalic != 0, "font-style:italic")
	add(s.Attrs&AttrHidden != 0, "visibility:hidden")
	var lines []string
	if s.Underline != UnderlineNone {
		lines = append(lines, "underline")
	}
	if s.Attrs&AttrStrike != 0 {
		lines = append(lines, "line-through")
	}
	if s.Attrs&AttrOverline != 0 {
		lines = append(lines, "overline")
	}
	add(len(lines) > 0, "text-decoration:"+strings.Join(lines, " "))
	shapes := [...]string{UnderlineDouble: "double", UnderlineCurly: "wavy", UnderlineDotted: "dotted", UnderlineDashed: "dashed"}
	if int(s.Underline) < len(shapes) {
		shape := shapes[s.Underline]
		add(shape != "", "text-decoration-style:"+shape)
	}
	color := t.cssColor(s.UnderlineColor)
	add(color != "" && s.Underline != UnderlineNone, "text-decoration-color:"+color)
	return strings.Join(d, ";")
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// cssColor is a colour, "" for the default.
func (t *Terminal) cssColor(c Color) string {
	if i, ok := c.Index(); ok {
		c, _ = t.PaletteColor(int(i))
	}
	if r, g, b, ok := c.RGB(); ok {
		return fmt.Sprintf("#%02x%02x%02x", r, g, b)
	}
	return ""
}
