package tui

import (
	"strconv"
	"strings"

	"github.com/termio-sh/termio/vt"
)

// row draws a row of a review, w cells wide.
func (v *reviewView) row(m *Model, i, w int) string {
	r := &v.rows[i]
	chosen := i == v.at
	point := " "
	if chosen {
		point = m.glyphs.Pointer
	}
	switch {
	case r.hunk >= 0 && (r.left >= 0 || r.right >= 0):
		return point + v.code(m, r, w-1)
	case r.head:
		line := vt.Truncate(r.text, w-1, m.glyphs.Ellipsis)
		line += strings.Repeat(" ", max(w-1-vt.StringWidth(line), 0))
		if chosen {
			return m.theme.Cursor.Render(point + line)
		}
		return point + m.theme.Title.Underline(true).Render(line)
	}
	text := r.text
	if !m.glyphs.unicode {
		text = strings.ReplaceAll(text, "···", "...")
	}
	text = vt.Truncate(text, w-1, m.glyphs.Ellipsis)
	if chosen {
		return m.theme.Cursor.Render(point + text)
	}
	if r.commit != "" {
		id, rest, _ := strings.Cut(text, " ")
		return point + m.theme.Working.Render(id) + " " + m.theme.Plain.Render(rest)
	}
	return point + m.theme.Dim.Render(text)
}

// code draws a row of a hunk: one text, or the old and the new one.
func (v *reviewView) code(m *Model, r *reviewRow, w int) string {
	if m.codeColors == nil || m.codeTheme != m.theme.Name {
		m.codeColors, m.codeTheme = newCodeColors(m.theme.Name), m.theme.Name
	}
	f := v.files[r.file]
	h := &f.hunks[r.hunk]
	h.colour(f.name)
	if !v.side {
		return string(append(v.half(nil, m, h, r.left, w, 0), "\x1b[m"...))
	}
	left := (w - 1) / 2
	out := v.half(nil, m, h, r.left, left, '-')
	out = append(out, "\x1b[m"...)
	out = append(out, m.theme.Border.Render(m.glyphs.Vert)...)
	out = v.half(out, m, h, r.right, w-left-1, '+')
	return string(append(out, "\x1b[m"...))
}

// numberCols are those of a line's number and its sign.
const numberCols = 7

// half draws line k of a hunk in w cells: its number, its sign, its code. side
// is which of the two texts it is, 0 where there is only one.
func (v *reviewView) half(out []byte, m *Model, h *diffHunk, k, w int, side byte) []byte {
	c := m.codeColors
	if k < 0 {
		return append(append(out, "\x1b[m"...), strings.Repeat(" ", max(w, 0))...)
	}
	l := &h.lines[k]
	n := l.new
	if l.kind == '-' || side == '-' {
		n = l.old
	}
	ground := vt.Color(0)
	sign := c.number
	switch l.kind {
	case '+':
		ground, sign = c.added, c.plus
	case '-':
		ground, sign = c.removed, c.minus
	}
	number := strconv.Itoa(n)
	number = strings.Repeat(" ", max(numberCols-3-len(number), 0)) + number + " "
	out = c.number.AppendSGR(out)
	out = append(out, number...)
	sign.BG = ground
	out = sign.AppendSGR(out)
	out = append(out, l.kind)
	room := w - len(number) - 1
	out = vt.Style{BG: ground}.AppendSGR(out)
	out = append(out, ' ')
	return c.appendCode(out, l.text, h.spans[k], v.left, room-1, ground, m.glyphs.Ellipsis)
}

// appendCode draws a text in its colours, from column left on, in room cells
// that it fills.
func (c *codeColors) appendCode(out []byte, text string, spans []span, left, room int, ground vt.Color, more string) []byte {
	if room <= 0 {
		return out
	}
	col, used := 0, 0
	at, class := 0, classPlain // of the byte that is next
	ends := 0
	pen := vt.Style{BG: ground}
	tooLong := vt.StringWidth(text)-left > room
	if tooLong {
		room--
	}
	for cluster, width := range vt.Graphemes(text) {
		for at >= ends && len(spans) > 0 {
			ends, class = ends+spans[0].n, spans[0].class
			spans = spans[1:]
		}
		if at >= ends {
			class = classPlain
		}
		at += len(cluster)
		col += width
		if col-width < left {
			continue
		}
		if used+width > room {
			break
		}
		style := c.classes[class]
		style.BG = ground
		if style != pen {
			pen = style
			out = pen.AppendSGR(out)
		}
		out = append(out, cluster...)
		used += width
	}
	if blank := (vt.Style{BG: ground}); pen != blank {
		out = blank.AppendSGR(out)
	}
	out = append(out, strings.Repeat(" ", max(room-used, 0))...)
	if tooLong {
		out = append(out, more...)
	}
	return out
}
