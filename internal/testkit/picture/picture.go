// Package picture draws what a terminal shows as an SVG file, for the README:
// the pictures there are of the program at work, made anew by a test.
package picture

import (
	"fmt"
	"html"
	"strings"

	"github.com/termio-sh/termio/vt"
)

// Cell and frame sizes in pixels.
const (
	cellW, cellH = 8.4, 18
	margin       = 16
	bar          = 34
	gap          = 22
)

// Panel is one terminal window of a picture.
type Panel struct {
	Title  string
	Screen *vt.Terminal
}

// SVG draws the panels below one another.
func SVG(panels ...Panel) string {
	width, height := 0.0, float64(gap)
	for _, p := range panels {
		cols, rows := p.Screen.Size()
		width = max(width, float64(cols)*cellW+2*margin)
		height += bar + float64(rows)*cellH + margin + gap
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14">`+"\n",
		width+2*gap, height, width+2*gap, height)
	y := float64(gap)
	for _, p := range panels {
		y += panel(&b, p, gap, y, width) + gap
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func panel(b *strings.Builder, p Panel, x, y, width float64) float64 {
	_, rows := p.Screen.Size()
	height := bar + float64(rows)*cellH + margin
	fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="9" fill="#16181d" stroke="#30343c"/>`+"\n", x, y, width, height)
	for i, c := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="5.5" fill="%s"/>`, x+18+float64(i)*18, y+17, c)
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" fill="#8b919c" text-anchor="middle">%s</text>`+"\n", x+width/2, y+22, html.EscapeString(p.Title))
	for row := range rows {
		line(b, p.Screen, row, x+margin, y+bar+float64(row)*cellH)
	}
	return height
}

// line draws a row as runs of cells of one style.
func line(b *strings.Builder, t *vt.Terminal, row int, x0, y float64) {
	cols, _ := t.Size()
	for x := 0; x < cols; {
		first := t.Cell(x, row)
		var text strings.Builder
		end, plain := x, true
		for end < cols {
			c := t.Cell(end, row)
			if c.Style != first.Style {
				break
			}
			if c.Width > 1 || len(c.Text) > 1 {
				if end > x {
					break // wide and unusual ones are placed by themselves
				}
				plain = false
			}
			if c.Text == "" {
				c.Text = " "
			}
			text.WriteString(c.Text)
			end += max(int(c.Width), 1)
			if !plain {
				break
			}
		}
		run(b, first.Style, text.String(), x0+float64(x)*cellW, y, float64(end-x)*cellW)
		x = end
	}
}

func run(b *strings.Builder, s vt.Style, text string, x, y, width float64) {
	fg, bg := color(s.FG, "#d7dae0"), color(s.BG, "")
	if s.Attrs&vt.AttrReverse != 0 {
		if bg == "" {
			bg = "#16181d"
		}
		fg, bg = bg, fg
	}
	if bg != "" {
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s"/>`, x, y, width, cellH, bg)
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	style := ""
	if s.Attrs&vt.AttrBold != 0 {
		style += ` font-weight="bold"`
	}
	if s.Attrs&vt.AttrItalic != 0 {
		style += ` font-style="italic"`
	}
	if s.Attrs&vt.AttrFaint != 0 {
		style += ` opacity="0.6"`
	}
	if s.Underline != vt.UnderlineNone {
		style += ` text-decoration="underline"`
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" fill="%s" xml:space="preserve" textLength="%.1f" lengthAdjust="spacingAndGlyphs"%s>%s</text>`+"\n",
		x, y+13.5, fg, width, style, html.EscapeString(text))
}

// ansi are the sixteen colours that a palette begins with.
var ansi = [16]string{
	"#3b4048", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d7dae0",
	"#5c6370", "#ff7b86", "#b5e08f", "#ffd68a", "#7cc4ff", "#dd95f0", "#6fd3e0", "#ffffff",
}

func color(c vt.Color, def string) string {
	if r, g, b, ok := c.RGB(); ok {
		return fmt.Sprintf("#%02x%02x%02x", r, g, b)
	}
	i, ok := c.Index()
	switch {
	case !ok:
		return def
	case i < 16:
		return ansi[i]
	case i >= 232:
		v := 8 + 10*(int(i)-232)
		return fmt.Sprintf("#%02x%02x%02x", v, v, v)
	}
	level := func(n int) int {
		if n == 0 {
			return 0
		}
		return 55 + 40*n
	}
	n := int(i) - 16
	return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
}
