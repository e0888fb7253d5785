package chat

import (
	"slices"
	"strings"

	extast "github.com/yuin/goldmark/extension/ast"
)

// leastColumn is the narrowest column of a table; where there is no room for
// that, each row becomes a list of its cells.
const leastColumn = 6

type tableCell struct {
	runs  []Span
	align extast.Alignment
}

// table lays out a table: columns as wide as they want, the widest cut down
// until it fits, their cells wrapped.
func (m *marker) table(n *extast.Table, in margins) {
	var rows [][]tableCell
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		var row []tableCell
		_, head := r.(*extast.TableHeader)
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			style := Plain
			if head {
				style = Bold
			}
			cell := tableCell{runs: m.inline(nil, c, style)}
			if tc, ok := c.(*extast.TableCell); ok {
				cell.align = tc.Alignment
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	widths := tableWidths(rows, m.width-in.width())
	if widths == nil {
		m.tableAsList(rows, in)
		return
	}
	sep := Span{" " + m.signs.Vert + " ", Dim}
	for i, row := range rows {
		m.tableRow(row, widths, sep, in)
		in = in.later()
		if i == 0 {
			rule := make([]string, len(widths))
			for j, w := range widths {
				rule[j] = strings.Repeat(m.signs.Horiz, w)
			}
			text := strings.Join(rule, m.signs.Horiz+m.signs.Cross+m.signs.Horiz)
			m.lines = append(m.lines, Line{Spans: append(slices.Clone(in.rest), Span{text, Dim}), pad: in.width()})
		}
	}
}

func (m *marker) tableRow(row []tableCell, widths []int, sep Span, in margins) {
	cells := make([][]Line, len(widths))
	height := 1
	for j := range widths {
		if j < len(row) {
			cells[j] = wrap(row[j].runs, widths[j], margins{})
			height = max(height, len(cells[j]))
		}
	}
	for y := range height {
		margin := in.first
		if y > 0 {
			margin = in.rest
		}
		l := Line{Spans: slices.Clone(margin), pad: in.width()}
		for j, w := range widths {
			if j > 0 {
				l.Spans = append(l.Spans, sep)
			}
			var part Line
			if y < len(cells[j]) {
				part = cells[j][y]
			}
			gap := max(w-part.width(), 0)
			before := 0
			if j < len(row) {
				switch row[j].align {
				case extast.AlignRight:
					before = gap
				case extast.AlignCenter:
					before = gap / 2
				}
			}
			l.Spans = append(l.Spans, Span{strings.Repeat(" ", before), Plain})
			l.Spans = append(l.Spans, part.Spans...)
			if j < len(widths)-1 {
				l.Spans = append(l.Spans, Span{strings.Repeat(" ", gap-before), Plain})
			}
		}
		m.lines = append(m.lines, l)
	}
}

// tableWidths are the columns' widths; nil where there is no room.
func tableWidths(rows [][]tableCell, room int) []int {
	var widths []int
	for _, row := range rows {
		for j, c := range row {
			if j == len(widths) {
				widths = append(widths, 1)
			}
			widths[j] = max(widths[j], spansWidth(c.runs))
		}
	}
	room -= 3 * (len(widths) - 1)
	total := 0
	for _, w := range widths {
		total += w
	}
	for total > room {
		i := 0
		for j, w := range widths {
			if w > widths[i] {
				i = j
			}
		}
		if widths[i] <= leastColumn {
			return nil
		}
		widths[i]--
		total--
	}
	return widths
}

// tableAsList shows "heading: cell" a line each.
func (m *marker) tableAsList(rows [][]tableCell, in margins) {
	if len(rows) == 0 {
		return
	}
	for i, row := range rows[1:] {
		if i > 0 {
			m.lines = append(m.lines, Line{Spans: in.rest, pad: in.width()})
		}
		for j, c := range row {
			var runs []Span
			if j < len(rows[0]) {
				runs = append(slices.Clone(rows[0][j].runs), Span{": ", Dim})
			}
			m.lines = append(m.lines, wrap(append(runs, c.runs...), m.width, in)...)
			in = in.later()
		}
	}
}
