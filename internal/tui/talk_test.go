package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/tui/chat"
	"github.com/termio-sh/termio/vt"
)

// conversing is a desk whose first session is over ACP, and has the keys.
func conversing(t *testing.T, cols, rows int, edit func(*Setup), events ...acphost.Event) *desk {
	d := full(t, cols, rows, edit)
	s := d.m.fleet.get(linkOf(1))
	s.Kind, s.Cwd = "acp", "/home/u/shop"
	d.press("enter")
	p := d.m.panes[linkOf(1)]
	p.term = nil
	d.say(hostUpMsg{Link: linkOf(1), Run: p.run, Text: true})
	d.hear(events...)
	return d
}

func (d *desk) hear(events ...acphost.Event) *desk {
	p := d.m.panes[linkOf(1)]
	var talk []chat.Event
	for _, ev := range events {
		talk = append(talk, chat.Event{Event: ev, At: d.now})
	}
	return d.say(hostMsg{Link: linkOf(1), Run: p.run, Talk: talk})
}

func said(text string) acphost.Event {
	return acphost.Event{Type: acphost.EventStream, Kind: "message", Text: text}
}

// TestConversationPane takes prompts, keeps them where they are not taken or the
// pane goes, and asks for files and options.
func TestConversationPane(t *testing.T) {
	d := conversing(t, 120, 40, nil, acphost.Event{Type: acphost.EventPrompt, ID: 1, Text: "first"}, said("an **answer**"))
	if s := d.screen(); !strings.Contains(s, "❯ first") || !strings.Contains(s, "an answer") || !strings.Contains(s, "Esc stops") {
		t.Fatalf("%s", s)
	}
	take[Effect](d)
	d.press("two @x", "enter")
	sent := take[chatEffect](d)
	if len(sent) != 1 || sent[0].Link != linkOf(1) || sent[0].Action.(chat.SendPrompt).Text != "two @x" {
		t.Fatalf("%+v", sent)
	}
	d.say(chatFailedMsg{sent[0], acphost.ErrClosed})
	if s := d.screen(); !strings.Contains(s, "❯ two @x") || !strings.Contains(s, "the prompt was not taken") {
		t.Errorf("%s", s)
	}
	// Another session in its place, and back: what was typed is still there.
	d.press("prefix")
	d.m.cursor = "session " + linkOf(4)
	d.press("enter")
	if d.m.panes[linkOf(1)] != nil {
		t.Fatal("the pane is still shown")
	}
	d.press("prefix")
	d.m.cursor = "session " + linkOf(1)
	d.press("enter", "x") // typed before it is connected
	p := d.m.panes[linkOf(1)]
	d.say(hostUpMsg{Link: linkOf(1), Run: p.run, Text: true})
	if s := d.screen(); !strings.Contains(s, "❯ two @xx") {
		t.Errorf("%s", s)
	}
	for range 10 {
		d.say(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
	take[Effect](d)
	d.press("@")
	if f := take[filesEffect](d); len(f) != 1 || f[0].Dir != "/home/u/shop" {
		t.Errorf("%+v", f)
	}
	d.say(filesMsg{Effect: filesEffect{"/home/u/shop"}, Files: []string{"a.go", "b.go"}})
	if s := d.screen(); !strings.Contains(s, "▸ a.go") {
		t.Errorf("%s", s)
	}
	d.press("esc", "esc")
	d.say(tea.KeyPressMsg{Code: 'o', Mod: tea.ModCtrl})
	calls := take[callEffect](d)
	if len(calls) != 1 || !calls[0].Request.(api.OptionsRequest).Start || calls[0].Request.(api.OptionsRequest).Target != linkOf(1) {
		t.Fatalf("%+v", calls)
	}
}

// TestConversationColours: code is drawn in the theme's colours, emphasis as
// such.
func TestConversationColours(t *testing.T) {
	for _, theme := range []string{"terminal", "dark"} {
		d := conversing(t, 120, 40, func(s *Setup) { s.Looks.Theme = theme }, acphost.Event{Type: acphost.EventPrompt, ID: 1, Text: "x"},
			said("**bold** _slant_\n\n```go\nfunc main() {}\n```\n"))
		screen := strings.Split(d.screen(), "\n")
		style := func(text string) vt.Style {
			for y, l := range screen {
				if i := strings.Index(l, text); i >= 0 {
					return d.c.Term.Cell(vt.StringWidth(l[:i]), y).Style
				}
			}
			t.Fatalf("%q is not on the screen:\n%s", text, strings.Join(screen, "\n"))
			return vt.Style{}
		}
		if style("bold").Attrs&vt.AttrBold == 0 || style("slant").Attrs&vt.AttrItalic == 0 {
			t.Errorf("%s: emphasis is not drawn", theme)
		}
		want := newCodeColors(theme).classes[classKeyword].FG
		if got := style("func main").FG; got != want {
			t.Errorf("%s: a keyword in %v, want %v", theme, got, want)
		}
	}
}

// TestConversationIsDrawnInParts draws what comes on the canvas as it is, and
// all at once on a fresh one: the pictures must agree.
func TestConversationIsDrawnInParts(t *testing.T) {
	d := conversing(t, 100, 30, nil, acphost.Event{Type: acphost.EventPrompt, ID: 1, Text: "first"})
	steps := []func(){
		func() { d.hear(said("some words 词 and\n\n- a list\n- of two")) },
		func() { d.pass(time.Second) },
		func() { d.press("typing") },
		func() { d.say(tea.KeyPressMsg{Code: 'j', Mod: tea.ModCtrl}); d.press("more") },
		func() { d.hear(said(strings.Repeat("\n\nparagraph", 40))) },
		func() { d.say(tea.MouseWheelMsg{X: 60, Y: 5, Button: tea.MouseWheelUp}) },
		func() { d.press("prefix", "?") },
		func() { d.press("esc", "prefix") },
		func() { d.press("tab", "k", "V", "k") },
		func() { d.press("q", "q") },
		func() { d.say(tea.WindowSizeMsg{Width: 50, Height: 20}) },
		func() { d.press("prefix") },
		func() { d.press("enter") },
		func() { d.say(tea.WindowSizeMsg{Width: 130, Height: 40}) },
	}
	for i, f := range steps {
		f()
		d.m.Draw(d.c)
		fresh := NewCanvas(d.m.Cols, d.m.Rows)
		for _, p := range d.m.panes {
			p.marks = nil
		}
		d.m.chrome = true
		d.m.Draw(fresh)
		if a, b := d.c.Term.ScreenText(), fresh.Term.ScreenText(); a != b {
			t.Fatalf("step %d, in parts:\n%s\nat once:\n%s", i, a, b)
		}
		if a, b := d.c.Term.Cursor(), fresh.Term.Cursor(); a.X != b.X || a.Y != b.Y || a.Visible != b.Visible {
			t.Fatalf("step %d: the cursor is at %d,%d, not at %d,%d", i, a.X, a.Y, b.X, b.Y)
		}
	}
}
