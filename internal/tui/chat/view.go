package chat

import (
	"slices"
	"strings"

	"github.com/termio-sh/termio/vt"
)

// pos is a place in a conversation: a block, counted from the first that there
// ever was, a line of it and a column.
type pos struct{ block, line, col int }

func (a pos) before(b pos) bool {
	if a.block != b.block {
		return a.block < b.block
	}
	if a.line != b.line {
		return a.line < b.line
	}
	return a.col < b.col
}

// View is the part of a Log that is shown. Only what is seen is laid out, so
// that its length does not matter.
type View struct {
	log    *Log
	draw   *draw
	width  int
	height int

	away bool // it stays at top and does not follow the end
	top  pos

	reading bool // a cursor moves over it
	cur     pos
	laid    int  // blocks that were laid out since some were forgotten
	marking bool // from mark to the cursor is selected
	whole   bool // whole lines
	mark    pos
	query   string // in lower case
}

// resize gives the view another size. What was at the top stays there, and the
// cursor on its block.
func (v *View) resize(width, height int) {
	width, height = max(width, 1), max(height, 0)
	if width != v.width && v.width > 0 {
		v.top = v.moved(v.top, width)
		v.cur = v.moved(v.cur, width)
		v.marking = false
	}
	v.width, v.height = width, height
}

// moved is a place in a layout of another width.
func (v *View) moved(p pos, width int) pos {
	b := v.block(p.block)
	if b == nil {
		return p
	}
	was := len(v.lines(p.block))
	now := len(b.lay(width, v.head(p.block), v.draw))
	if was > 0 {
		p.line = min(p.line*now/was, max(now-1, 0))
	}
	p.col = min(p.col, max(width-1, 0))
	return p
}

func (v *View) first() int { return v.log.gone }
func (v *View) end() int   { return v.log.gone + len(v.log.Blocks) }

func (v *View) block(n int) *Block {
	if n < v.first() || n >= v.end() {
		return nil
	}
	return v.log.Blocks[n-v.log.gone]
}

// head is the block that a block goes on with, itself if it begins.
func (v *View) head(n int) *Block {
	for n > v.first() && v.block(n).Cont {
		n--
	}
	return v.block(n)
}

func (v *View) lines(n int) []Line {
	b := v.block(n)
	if b == nil {
		return nil
	}
	if !b.cache.made {
		v.laid++
	}
	return b.lay(v.width, v.head(n), v.draw)
}

func (v *View) line(p pos) *Line {
	if l := v.lines(p.block); p.line >= 0 && p.line < len(l) {
		return &l[p.line]
	}
	return &Line{}
}

// step is the place n lines on, or as far as there is one.
func (v *View) step(p pos, n int) pos {
	p = v.sound(p)
	for n > 0 {
		if left := len(v.lines(p.block)) - 1 - p.line; n <= left {
			p.line += n
			return p
		}
		next := p.block + 1
		for next < v.end() && len(v.lines(next)) == 0 {
			next++
		}
		if next >= v.end() {
			p.line = max(len(v.lines(p.block))-1, 0)
			return p
		}
		n -= len(v.lines(p.block)) - p.line
		p.block, p.line = next, 0
	}
	for n < 0 {
		if -n <= p.line {
			p.line += n
			return p
		}
		prev := p.block - 1
		for prev >= v.first() && len(v.lines(prev)) == 0 {
			prev--
		}
		if prev < v.first() {
			p.line = 0
			return p
		}
		n += p.line + 1
		p.block, p.line = prev, len(v.lines(prev))-1
	}
	return p
}

// sound is the nearest place that there is.
func (v *View) sound(p pos) pos {
	if p.block < v.first() {
		p = pos{block: v.first()}
	}
	if p.block >= v.end() {
		p = pos{block: max(v.end()-1, v.first()), line: 1 << 30}
	}
	for p.block > v.first() && len(v.lines(p.block)) == 0 {
		p.block, p.line = p.block-1, 1<<30
	}
	p.line = min(max(p.line, 0), max(len(v.lines(p.block))-1, 0))
	return p
}

// last is the place of the last line.
func (v *View) last() pos { return v.sound(pos{block: v.end()}) }

// rows are the places of the lines that are seen.
func (v *View) rows() []pos {
	if v.height <= 0 || len(v.log.Blocks) == 0 {
		return nil
	}
	if v.away {
		v.top = v.sound(v.top)
		v.top.col = 0
		out := v.from(v.top)
		if len(out) == v.height {
			last := v.last()
			v.away = v.reading || out[len(out)-1] != pos{block: last.block, line: last.line}
			return out
		}
		v.away = v.reading
	}
	v.top = v.step(v.last(), 1-v.height)
	v.top.col = 0
	return v.from(v.top)
}

// from are the places of the lines from a place on, as many as are seen.
func (v *View) from(p pos) []pos {
	out := make([]pos, 0, v.height)
	for n := p.block; n < v.end() && len(out) < v.height; n++ {
		for y := p.line; y < len(v.lines(n)) && len(out) < v.height; y++ {
			out = append(out, pos{block: n, line: y})
		}
		p.line = 0
	}
	return out
}

// by goes n lines back (or, negative, forth).
func (v *View) by(n int) {
	if len(v.log.Blocks) == 0 {
		return
	}
	v.rows()
	v.away = true
	v.top = v.step(v.top, -n)
	v.rows()
}

// toEnd follows the end again.
func (v *View) toEnd() { v.away = false }

// read lets a cursor move over the conversation.
func (v *View) read() {
	rows := v.rows()
	if len(rows) == 0 {
		return
	}
	v.reading, v.away, v.marking = true, true, false
	v.cur = rows[len(rows)-1]
}

// leave takes the cursor away.
func (v *View) leave() {
	v.reading, v.marking, v.query = false, false, ""
	v.toEnd()
}

// to puts the cursor at a place, and that in sight.
func (v *View) to(p pos) {
	col := p.col
	v.cur = v.sound(p)
	v.cur.col = min(max(col, 0), max(v.width-1, 0))
	rows := v.rows()
	switch {
	case len(rows) == 0:
	case v.cur.before(rows[0]):
		v.away, v.top = true, pos{block: v.cur.block, line: v.cur.line}
	case rows[len(rows)-1].before(pos{block: v.cur.block, line: v.cur.line}):
		v.away, v.top = true, v.step(pos{block: v.cur.block, line: v.cur.line}, 1-v.height)
	}
}

// toggle opens or closes the block at a place. It reports false for one that
// has nothing to open.
func (v *View) toggle(p pos) bool {
	b := v.block(p.block)
	if b == nil {
		return false
	}
	b = v.head(p.block)
	if !b.folds() {
		return false
	}
	v.rows()
	v.away = true // what was opened stays where it is
	v.setOpen(b, !b.isOpen())
	if v.reading {
		v.to(v.cur)
	}
	return true
}

func (v *View) setOpen(b *Block, open bool) {
	b.open = folded
	if open {
		b.open = unfolded
	}
	b.version++
}

// openAll opens, or closes, all blocks of a kind: opens them unless the newest
// one is open.
func (v *View) openAll(kind Kind) {
	open, known := false, false
	for _, b := range slices.Backward(v.log.Blocks) {
		if b.Kind != kind || b.Cont || !b.folds() {
			continue
		}
		if !known {
			open, known = !b.isOpen(), true
		}
		v.setOpen(b, open)
	}
}

// next puts the cursor on the next line that can be opened, or back.
func (v *View) next(dir int) {
	for n := v.cur.block + dir; n >= v.first() && n < v.end(); n += dir {
		for y, l := range v.lines(n) {
			if l.fold {
				v.to(pos{block: n, line: y})
				return
			}
		}
	}
}

// selection is what is selected, in order; ok is false without any.
func (v *View) selection() (from, to pos, ok bool) {
	if !v.marking {
		return from, to, false
	}
	from, to = v.mark, v.cur
	if to.before(from) {
		from, to = to, from
	}
	if v.whole {
		from.col, to.col = 0, 1<<20
	}
	return from, to, true
}

// selected is the text that is selected, its paragraphs in one line each.
func (v *View) selected() string {
	from, to, ok := v.selection()
	if !ok {
		return ""
	}
	var b strings.Builder
	for p := (pos{block: from.block, line: from.line}); !to.before(p); {
		l := v.line(p)
		text := l.Text()
		x0, x1 := 0, 1<<20
		if p.block == from.block && p.line == from.line {
			x0 = from.col
		}
		if p.block == to.block && p.line == to.line {
			x1 = to.col + 1
		}
		if l.joint != newLine && b.Len() > 0 {
			x0 = max(x0, l.pad)
		}
		part := strings.TrimRight(between(text, x0, x1), " ")
		switch {
		case b.Len() == 0:
		case l.joint == afterWord:
			b.WriteByte(' ')
		case l.joint == newLine:
			b.WriteByte('\n')
		}
		b.WriteString(part)
		next := v.step(p, 1)
		if next == p {
			break
		}
		p = next
	}
	return b.String()
}

// between are the columns from x0 up to x1 of a text.
func between(text string, x0, x1 int) string {
	from := byteAt(text, x0)
	if x1 >= 1<<20 {
		return text[from:]
	}
	return text[from:max(byteAt(text, x1), from)]
}

// word selects the word at a place.
func (v *View) word(p pos) bool {
	text := v.line(p).Text()
	at := byteAt(text, p.col)
	if at >= len(text) || text[at] == ' ' {
		return false
	}
	from, to := at, at
	for from > 0 && text[from-1] != ' ' {
		from--
	}
	for to < len(text) && text[to] != ' ' {
		to++
	}
	v.marking, v.whole = true, false
	v.mark, v.cur = p, p
	v.mark.col, v.cur.col = columnAt(text, from), columnAt(text, to)-1
	return true
}

// source is a block's text as it came, with those that go on with it.
func (v *View) source(n int) string {
	if v.block(n) == nil {
		return ""
	}
	for n > v.first() && v.block(n).Cont {
		n--
	}
	b := v.block(n)
	switch b.Kind {
	case Tool, Plan:
		open := *b
		open.open = unfolded
		var lines []string
		for _, l := range open.lay(max(v.width, 80), &open, v.draw) {
			lines = append(lines, strings.TrimRight(l.Text(), " "))
		}
		return strings.Trim(strings.Join(lines, "\n"), "\n")
	}
	text := b.Text
	for n++; n < v.end() && v.block(n).Cont; n++ {
		text += v.block(n).Text
	}
	return strings.Trim(text, "\n")
}

// searched is what a search looks at in a block, in lower case.
func (b *Block) searched() string {
	var s strings.Builder
	s.WriteString(b.Title + "\n" + b.Text + "\n")
	for _, c := range b.content {
		s.WriteString(c.Path + "\n" + c.OldText + "\n" + c.NewText + "\n")
		if c.Content != nil {
			s.WriteString(c.Content.Text + "\n")
		}
	}
	for _, t := range b.terms {
		s.WriteString(t.Command + "\n" + t.Output + "\n")
	}
	for _, e := range b.plan {
		s.WriteString(e.Content + "\n")
	}
	return strings.ToLower(s.String())
}

// find puts the cursor on the next place of the query, up or (dir 1) down,
// round and round. Where it is in what is folded, that is opened.
func (v *View) find(dir int) bool {
	n := v.end() - v.first()
	if v.query == "" || n == 0 {
		return false
	}
	v.cur = v.sound(v.cur)
	at := v.cur.block
	for i := 0; i <= n; i++ {
		b := v.block(at)
		inside := v.mayHold(b)
		from := pos{block: at, line: -1}
		if dir < 0 {
			from.line = 1 << 30
		}
		if i == 0 {
			from = v.cur
		}
		if inside {
			if p, ok := v.findIn(at, from, dir); ok {
				v.to(p)
				return true
			}
		}
		if h := v.head(at); inside && h.folds() && !h.isOpen() {
			v.setOpen(h, true)
			if p, ok := v.findIn(at, pos{block: at, line: map[bool]int{true: -1, false: 1 << 30}[dir > 0]}, dir); ok {
				v.to(p)
				return true
			}
		}
		at += dir
		if at >= v.end() {
			at = v.first()
		} else if at < v.first() {
			at = v.end() - 1
		}
	}
	return false
}

// emphasis is what stands in a text's source and is not shown.
var emphasis = strings.NewReplacer("*", "", "_", "", "`", "", "~", "", "\\", "")

// mayHold tells whether it is worth while to lay a block out to look in it.
func (v *View) mayHold(b *Block) bool {
	text := b.searched()
	return strings.Contains(text, v.query) || strings.Contains(emphasis.Replace(text), emphasis.Replace(v.query))
}

// findIn looks in the lines of a block behind (or before) a place.
func (v *View) findIn(n int, from pos, dir int) (pos, bool) {
	var best pos
	found := false
	for y := range v.lines(n) {
		for _, x := range v.hits(&v.lines(n)[y]) {
			p := pos{n, y, x}
			switch {
			case dir > 0 && from.before(p):
				return p, true
			case dir < 0 && p.before(from):
				best, found = p, true
			}
		}
	}
	return best, found
}

// hits are the columns at which the query stands in a line.
func (v *View) hits(l *Line) []int {
	if v.query == "" {
		return nil
	}
	text := l.Text()
	low := strings.ToLower(text)
	if len(low) != len(text) {
		low = text // a letter whose other case is longer: as it is written
	}
	var out []int
	for at := 0; ; {
		i := strings.Index(low[at:], v.query)
		if i < 0 {
			return out
		}
		out = append(out, columnAt(text, at+i))
		at += i + len(v.query)
	}
}

// maxLaid is how many blocks stay laid out, those out of sight too.
const maxLaid = 4000

// forget drops the layout of what is out of sight where there is much of it.
func (v *View) forget(rows []pos) {
	if v.laid <= maxLaid || len(rows) == 0 {
		return
	}
	v.laid = 0
	for n := v.first(); n < v.end(); n++ {
		if n < rows[0].block || n > rows[len(rows)-1].block {
			v.block(n).cache = cache{}
		}
	}
}

// frame are the lines that are seen, with what is highlighted on them.
func (v *View) frame() []Line {
	rows := v.rows()
	out := make([]Line, 0, v.height)
	from, to, marked := v.selection()
	for _, p := range rows {
		l := *v.line(p)
		for _, x := range v.hits(&l) {
			l = l.shade(x, x+vt.StringWidth(v.query), Bold|Under)
		}
		if marked && !p.before(pos{block: from.block, line: from.line}) && !to.before(p) {
			x0, x1 := 0, 1<<20
			if p.block == from.block && p.line == from.line {
				x0 = from.col
			}
			if p.block == to.block && p.line == to.line && to.col < 1<<20 {
				x1 = to.col + 1
			}
			l = l.shade(x0, x1, Reverse)
		}
		out = append(out, l)
	}
	for len(out) < v.height {
		out = append(out, Line{})
	}
	v.forget(rows)
	return out
}
