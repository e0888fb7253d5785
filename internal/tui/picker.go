package tui

import (
	"cmp"
	"slices"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/termio-sh/termio/vt"
)

// item is something that can be picked.
type item struct {
	text string
	note string // on the right: its key, its project
	pick func(m *Model) []Effect
}

// pickerView is a list that is narrowed by typing.
type pickerView struct {
	title string
	in    textinput.Model
	all   []item
	at    int
	more  func(m *Model, query string) []Effect // asked for more when the query changed
	also  map[string]string                     // more that finds an item, by its text
	empty string                                // what to say of a list without items

	ranked []item // those that fit
	query  string // what they fit
	of     []item // of which
}

// fits is the items that fit what was typed. A long list is not gone through
// for each frame.
func (v *pickerView) fits() []item {
	query := v.in.Value()
	if len(v.of) != len(v.all) || query != v.query || len(v.all) > 0 && &v.of[0] != &v.all[0] {
		v.ranked = rank(query, v.all, func(it item) string { return it.text + " " + it.note + " " + v.also[it.text] })
		v.query, v.of = query, v.all
	}
	return v.ranked
}

func (v *pickerView) key(m *Model, k tea.KeyPressMsg) []Effect {
	items := v.fits()
	switch k.String() {
	case "esc", "ctrl+c":
		m.overlay = nil
		return nil
	case "down", "ctrl+n", "ctrl+j", "tab":
		v.at = min(v.at+1, max(len(items)-1, 0))
		return nil
	case "up", "ctrl+p", "ctrl+k", "shift+tab":
		v.at = max(v.at-1, 0)
		return nil
	case "enter":
		if v.at < len(items) {
			m.overlay = nil
			return items[v.at].pick(m)
		}
		return nil
	}
	was := v.in.Value()
	typeInto(&v.in, k)
	if v.in.Value() != was {
		v.at = 0
		if v.more != nil {
			return v.more(m, v.in.Value())
		}
	}
	return nil
}

func (v *pickerView) paste(_ *Model, text string) { pasteInto(&v.in, text); v.at = 0 }

// list sets the items; the one that is chosen stays the one in its place.
func (v *pickerView) list(parts ...[]item) {
	v.all = slices.Concat(parts...)
	v.of = nil
}

func (v *pickerView) view(m *Model, w, h int) (string, []string, string) {
	v.in.SetWidth(max(w-3, 4))
	lines := []string{m.theme.Key.Render("> ") + v.in.View(), ""}
	items := v.fits()
	v.at = min(v.at, max(len(items)-1, 0))
	room := max(h-2, 1)
	first := max(min(v.at-room/2, len(items)-room), 0)
	for i := first; i < min(first+room, len(items)); i++ {
		lines = append(lines, m.line(items[i].text, items[i].note, w, i == v.at))
	}
	if len(items) == 0 {
		lines = append(lines, m.theme.Dim.Render(cmp.Or(v.empty, "nothing fits")))
	}
	return v.title, lines, "Enter choose  Esc cancel"
}

// line is a row of a list: text on the left, a note on the right.
func (m *Model) line(text, note string, w int, chosen bool) string {
	note = vt.Truncate(oneLine(note), w/2, m.glyphs.Ellipsis)
	n := vt.StringWidth(note)
	left := vt.Truncate(oneLine(text), max(w-n-3, 4), m.glyphs.Ellipsis)
	gap := strings.Repeat(" ", max(w-2-vt.StringWidth(left)-n, 1))
	if chosen {
		return m.theme.Cursor.Render(m.glyphs.Pointer + " " + left + gap + note)
	}
	return "  " + left + gap + m.theme.Dim.Render(note)
}

// newPalette lists every command with its key.
func newPalette(m *Model) *pickerView {
	v := &pickerView{title: "Commands", in: newInput("what to do", ""), also: map[string]string{}}
	for _, b := range m.Bindings.list {
		switch b.action {
		case ActDown, ActUp, ActTop, ActBottom, ActPalette:
			continue
		}
		a := b.action
		v.also[b.help] = strings.ReplaceAll(string(a), "-", " ") // as keybindings.json and docs/tui.md name it
		v.all = append(v.all, item{b.help, m.Bindings.key(a), func(m *Model) []Effect { return m.act(a) }})
	}
	for _, name := range ThemeNames() {
		v.all = append(v.all, item{"theme: " + name, "", func(m *Model) []Effect { return m.setTheme(name) }})
	}
	return v
}

func (m *Model) setTheme(name string) []Effect {
	m.Looks.Theme, m.theme, m.chrome = name, newTheme(name), true
	return []Effect{looksEffect{m.Looks}}
}
