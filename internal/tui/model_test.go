package tui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/vt"
)

func TestRows(t *testing.T) {
	f := Fleet{Sessions: roster()}
	var got []string
	for _, r := range f.rows(&arrangement{home: "/home/u/shop", showClosed: true}) {
		got = append(got, r.key)
	}
	want := []string{
		"needs", "needs " + linkOf(5), "needs " + linkOf(2), "after needs", // the longest waiting first
		"project /home/u/shop", "session " + linkOf(1), "session " + linkOf(4), "session " + linkOf(3), // the terminal last
		"tree /home/u/shop/.trees/login", "session " + linkOf(2), "closed /home/u/shop", "session " + linkOf(7),
		"before /home/u/api", "project /home/u/api", "session " + linkOf(5), "session " + linkOf(6),
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if n := len(f.rows(&arrangement{home: "/home/u/shop", folded: map[string]bool{"/home/u/shop": true}})); n != 4+1+1+3 {
		t.Errorf("%d rows with the project folded", n)
	}
}

func TestQuestionOptions(t *testing.T) {
	for _, tt := range []struct {
		prompt string
		given  []string
		want   []string
	}{
		{"Do you want to proceed?\n❯ 1. Yes\n  2. No, and say why", nil, []string{"Yes", "No, and say why"}},
		{"│ › 1) Approve │\n│   2) Deny    │", nil, []string{"Approve", "Deny"}},
		{"1. first\n2. second\nChoose:\n 1. Yes\n 2. No", nil, []string{"Yes", "No"}},
		{"steps: 2. build 3. test\nGo on?", nil, nil},
		{"1. Yes", []string{"allow", "reject"}, []string{"allow", "reject"}},
	} {
		q := question(&api.WatchEvent{Prompt: tt.prompt, Options: tt.given})
		if !slices.Equal(q.Options, tt.want) {
			t.Errorf("%q: %q, want %q", tt.prompt, q.Options, tt.want)
		}
	}
}

// TestAnswerFromTheStrip answers with one key, and only the question that was
// in sight.
func TestAnswerFromTheStrip(t *testing.T) {
	d := full(t, 120, 40, nil)
	take[Effect](d)
	d.press("tab", "tab", "2") // the strip's second row is session 2
	calls := take[callEffect](d)
	if len(calls) != 1 {
		t.Fatalf("%d calls", len(calls))
	}
	r, ok := calls[0].Request.(api.SendRequest)
	if !ok || r.Target != linkOf(2) || r.Text != "2" || !r.Enter || r.Answers != "q1" {
		t.Errorf("%+v", calls[0].Request)
	}
	// A number that is no answer opens the question, and a digit elsewhere
	// does nothing.
	if d.press("9"); d.m.overlay == nil || len(take[callEffect](d)) != 0 {
		t.Error("9 answered, or did not open the question")
	}
	d.press("esc", "down", "down", "down", "1")
	if n := len(take[callEffect](d)); n != 0 || d.m.overlay != nil {
		t.Errorf("a digit outside of the strip made %d calls", n)
	}
}

// TestQuestionReplaced keeps a key that was meant for one question from
// answering the next.
func TestQuestionReplaced(t *testing.T) {
	d := full(t, 120, 40, nil)
	d.press("tab", "tab", "a")
	d.say(watchMsg{Event: &api.WatchEvent{Link: linkOf(2), Status: needsYou, PromptID: "q2", Prompt: "Delete all?\n 1. Yes\n 2. No"}})
	take[Effect](d)
	if d.press("1"); len(take[callEffect](d)) != 0 {
		t.Fatal("a key meant for the first question answered the second")
	}
	d.pass(time.Second).press("1")
	calls := take[callEffect](d)
	if len(calls) == 0 || calls[len(calls)-1].Request.(api.SendRequest).Answers != "q2" {
		t.Errorf("%+v", calls)
	}
	// What session 5 asks is not known yet: it is shown as soon as it is.
	d.press("tab", "a")
	if !strings.Contains(d.screen(), "on the way") {
		t.Errorf("%s", d.screen())
	}
	d.say(watchMsg{Event: &api.WatchEvent{Link: linkOf(5), Status: needsYou, PromptID: "p", Prompt: "Ship it?\n 1. Yes\n 2. No"}})
	if !strings.Contains(d.screen(), "Ship it?") {
		t.Errorf("%s", d.screen())
	}
	d.press("esc", "tab", "a").say(watchMsg{Event: &api.WatchEvent{Link: linkOf(2), Status: working}})
	if d.m.overlay != nil {
		t.Error("the view of a question that is gone stays")
	}
}

// TestEveryKeyGoesToTheSession, in the modes that its program set, but for the
// prefix.
func TestEveryKeyGoesToTheSession(t *testing.T) {
	for _, tt := range []struct {
		modes string
		msg   any
		want  string
	}{
		{"", tea.KeyPressMsg{Code: 'q', Text: "q"}, "q"},
		{"", tea.KeyPressMsg{Code: 'é', Text: "é"}, "é"},
		{"", tea.KeyPressMsg{Code: 'a', ShiftedCode: 'A', Text: "A", Mod: tea.ModShift}, "A"},
		{"", tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}, "\x03"},
		{"", tea.KeyPressMsg{Code: 'b', Mod: tea.ModAlt}, "\x1bb"},
		{"", tea.KeyPressMsg{Code: tea.KeyEscape}, "\x1b"},
		{"", tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}, "\x1b[Z"},
		{"", tea.KeyPressMsg{Code: tea.KeyUp}, "\x1b[A"},
		{"\x1b[?1h", tea.KeyPressMsg{Code: tea.KeyUp}, "\x1bOA"},
		{"", tea.KeyPressMsg{Code: tea.KeyF5}, "\x1b[15~"},
		{"\x1b[>1u", tea.KeyPressMsg{Code: tea.KeyEnter, Mod: tea.ModShift}, "\x1b[13;2u"},
		{"", tea.KeyPressMsg{Code: tea.KeyEnter, Mod: tea.ModShift}, "\r"},
		{"\x1b[>3u", tea.KeyReleaseMsg{Code: 'a', Mod: tea.ModCtrl}, "\x1b[97;5:3u"},
		{"", tea.KeyReleaseMsg{Code: 'a', Mod: tea.ModCtrl}, ""},
		{"", tea.PasteMsg{Content: "two\nlines"}, "two\rlines"},
		{"\x1b[?2004h", tea.PasteMsg{Content: "two\nlines"}, "\x1b[200~two\nlines\x1b[201~"},
		{"\x1b[?1004h", tea.BlurMsg{}, "\x1b[O"},
		{"\x1b[?1000h\x1b[?1006h", tea.MouseClickMsg{X: 41, Y: 3, Button: tea.MouseLeft}, "\x1b[<0;7;3M"},
	} {
		d := full(t, 120, 40, nil)
		d.press("enter")
		d.connect(linkOf(1), tt.modes)
		take[Effect](d)
		d.say(tt.msg)
		var got string
		for _, e := range take[typeEffect](d) {
			if e.Link != linkOf(1) {
				t.Errorf("typed into %s", e.Link)
			}
			got += string(e.Bytes)
		}
		if got != tt.want {
			t.Errorf("%q %+v: typed %q, want %q", tt.modes, tt.msg, got, tt.want)
		}
	}
	d := full(t, 120, 40, nil)
	d.press("enter").connect(linkOf(1), "").press("prefix")
	take[Effect](d)
	if d.press("j"); len(take[typeEffect](d)) != 0 || d.m.focus != onSidebar {
		t.Error("after the prefix a key went to the session")
	}
}

// TestTypedWhileConnecting keeps what is typed before a session is there, and
// never takes it for a command of the sidebar.
func TestTypedWhileConnecting(t *testing.T) {
	d := newDesk(t, 120, 40, nil)
	d.say(rosterMsg{Reply: api.ListReply{Sessions: roster()}})
	d.m.cursor = "session " + linkOf(1)
	d.press("enter")
	take[Effect](d)
	d.press("quit x").say(tea.PasteMsg{Content: "pasted"})
	if d.m.quit || len(take[Effect](d)) != 0 {
		t.Fatal("a key that was meant for the session did something")
	}
	d.connect(linkOf(1), "")
	var got string
	for _, e := range take[typeEffect](d) {
		got += string(e.Bytes)
	}
	if got != "quit xpasted" {
		t.Errorf("typed %q", got)
	}
	// The session ends under the keys: what is still typed goes nowhere.
	p := d.m.activePane()
	code := 0
	d.say(hostMsg{Link: p.link, Run: p.run, Messages: []hostproto.Message{{
		Type: hostproto.FrameEvent, Event: &hostproto.Event{Type: hostproto.EventExited, Closed: &hostproto.Closed{Reason: hostproto.ReasonExited, ExitCode: &code}},
	}}})
	if d.press("q"); d.m.quit {
		t.Error("a key typed into a session that just ended left the program")
	}
	if d.pass(time.Second).press("q"); !d.m.quit {
		t.Error("q does not leave any more")
	}
}

func TestCloseAsksOnlyWhereSomethingRuns(t *testing.T) {
	d := full(t, 120, 40, nil)
	take[Effect](d)
	if d.press("x"); d.m.overlay == nil || len(take[callEffect](d)) != 0 {
		t.Fatal("a working session was closed without a question")
	}
	d.press("n", "x", "y")
	if calls := take[callEffect](d); len(calls) != 1 || calls[0].Verb != api.VerbClose || calls[0].Request.(api.TargetRequest).Target != linkOf(1) {
		t.Fatalf("%+v", calls)
	}
	d.press("G", "x") // the idle one of the other project
	if calls := take[callEffect](d); d.m.overlay != nil || len(calls) != 1 || calls[0].Request.(api.TargetRequest).Target != linkOf(6) {
		t.Fatalf("an idle session: %+v", calls)
	}
}

// TestAnotherViewerTypes tells instead of typing in vain, and takes over when
// asked to.
func TestAnotherViewerTypes(t *testing.T) {
	d := full(t, 120, 40, nil)
	d.press("enter")
	p := d.m.activePane()
	d.say(hostMsg{Link: p.link, Run: p.run, Messages: []hostproto.Message{{Type: hostproto.FrameEvent, Event: &hostproto.Event{Type: hostproto.EventOwner}}}})
	take[Effect](d)
	if d.press("a"); len(take[typeEffect](d)) != 0 || !strings.Contains(d.screen(), "another viewer types") {
		t.Error("typed although another viewer does, or nothing was said")
	}
	d.press("prefix", "enter")
	if dials := take[dialEffect](d); len(dials) != 1 || !dials[0].Types {
		t.Errorf("%+v", dials)
	}
	if d.say(hostMsg{Link: p.link, Run: p.run - 1, Messages: []hostproto.Message{{Type: hostproto.FrameOutput, Data: []byte("stale")}}}); strings.Contains(d.screen(), "stale") {
		t.Error("output of a connection before was drawn")
	}
}

func TestSelectionByMouse(t *testing.T) {
	d := full(t, 120, 40, nil)
	d.press("enter")
	x := d.m.activePane().rect.X
	take[Effect](d)
	d.say(tea.MouseClickMsg{X: x, Y: 3, Button: tea.MouseLeft}, tea.MouseMotionMsg{X: x + 5, Y: 3, Button: tea.MouseLeft}, tea.MouseReleaseMsg{X: x + 5, Y: 3, Button: tea.MouseLeft})
	if c := take[copyEffect](d); len(c) != 1 || c[0].Text != "● Read" {
		t.Errorf("dragged: %q", c)
	}
	d.now = d.now.Add(time.Second)
	click := []any{tea.MouseClickMsg{X: x + 8, Y: 3, Button: tea.MouseLeft}, tea.MouseReleaseMsg{X: x + 8, Y: 3, Button: tea.MouseLeft}}
	d.say(click...).say(click...)
	if c := take[copyEffect](d); len(c) != 1 || c[0].Text != "parser.go" {
		t.Errorf("double click: %q", c)
	}
	d.screen()
	if c := d.c.Term.Cell(x+8, 3); c.Style.Attrs&vt.AttrReverse == 0 {
		t.Error("what is selected is not seen")
	}
	// One click alone selects nothing; a drag in the sidebar neither.
	d.now = d.now.Add(time.Second)
	d.say(click...)
	if len(take[copyEffect](d)) != 0 {
		t.Error("a click copied")
	}
}

func TestBorderIsDragged(t *testing.T) {
	d := full(t, 120, 40, nil)
	d.press("v")
	_, borders := d.m.places()
	if len(borders) != 1 {
		t.Fatal(len(borders))
	}
	at := borders[0].at
	d.say(tea.MouseClickMsg{X: at.X, Y: 5, Button: tea.MouseLeft}, tea.MouseMotionMsg{X: at.X - 20, Y: 5, Button: tea.MouseLeft}, tea.MouseReleaseMsg{X: at.X - 20, Y: 5})
	if _, now := d.m.places(); now[0].at.X > at.X-19 || now[0].at.X < at.X-21 {
		t.Errorf("the border went from %d to %d", at.X, now[0].at.X)
	}
	d.screen() // draws without harm
}

func TestBindings(t *testing.T) {
	b, problems := newBindings(map[string][]string{"quit": {"ctrl-q"}, "down": {"n"}, "new": {"m"}, "up": {"n"}, "fly": {"y"}})
	if b.of["ctrl+q"] != ActQuit || b.of["q"] != "" {
		t.Error("quit was not rebound")
	}
	if b.of["n"] != ActDown || b.of["m"] != ActNew || b.of["j"] != "" {
		t.Errorf("n %s, m %s, j %s", b.of["n"], b.of["m"], b.of["j"])
	}
	if text := strings.Join(problems, "; "); !strings.Contains(text, "n is given to down and to up; down has it") || !strings.Contains(text, `no action "fly"`) {
		t.Errorf("problems: %s", text)
	}
	path := filepath.Join(t.TempDir(), "keybindings.json")
	if err := os.WriteFile(path, []byte(`{"quit": "Q", "zoom": ["Z", "f11"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, problems = loadBindings(path); len(problems) != 0 || b.of["Q"] != ActQuit || b.of["f11"] != ActZoom || b.of["z"] != "" {
		t.Errorf("%v %v", b.of, problems)
	}
	if err := os.WriteFile(path, []byte(`{`), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, problems = loadBindings(path); len(problems) != 1 || b.of["q"] != ActQuit {
		t.Errorf("a broken file: %v", problems)
	}
}

// TestDefaultKeysDoNotCollide is about the table of shortcuts.
func TestDefaultKeysDoNotCollide(t *testing.T) {
	seen := map[string]Action{}
	for _, b := range defaults() {
		for _, k := range b.keys {
			if other, ok := seen[k]; ok {
				t.Errorf("%s is %s and %s", k, other, b.action)
			}
			seen[k] = b.action
		}
	}
}

func TestLayout(t *testing.T) {
	root := &node{Session: "a"}
	b := root.split(false, "b")
	c := b.split(true, "c")
	places, borders := arrange(root, Rect{0, 0, 81, 41}, nil, nil)
	if len(places) != 3 || len(borders) != 2 {
		t.Fatal(len(places), len(borders))
	}
	area := 0
	for _, p := range places {
		area += p.rect.W * p.rect.H
	}
	if area != 81*41-41-40 {
		t.Errorf("the panes have %d cells", area)
	}
	a, b := root.find("a"), root.find("b")
	for _, tt := range []struct {
		from *node
		d    direction
		to   *node
	}{{a, toRight, b}, {b, toLeft, a}, {b, toBelow, c}, {c, toAbove, b}, {c, toLeft, a}, {a, toLeft, nil}, {c, toBelow, nil}} {
		if got := neighbour(places, tt.from, tt.d); got != tt.to {
			t.Errorf("from %s: %v", tt.from.Session, got)
		}
	}
	if rest := root.without(a); len(rest.leaves()) != 2 || rest.find("a") != nil {
		t.Error("without a")
	}
	if n := (&node{A: &node{}, Part: 7}).sound(0); n == nil || !n.leaf() {
		t.Error("a split without a side was kept")
	}
}

func TestFuzzy(t *testing.T) {
	items := []string{"new plain terminal", "close the session", "rename the session", "go into the session"}
	if got := rank("rename", items, func(s string) string { return s }); len(got) == 0 || got[0] != "rename the session" {
		t.Errorf("%q", got)
	}
	if got := rank("npt", items, func(s string) string { return s }); len(got) == 0 || got[0] != "new plain terminal" {
		t.Errorf("%q", got)
	}
	if got := rank("zzz", items, func(s string) string { return s }); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// TestQuiet wants nothing to happen while nothing does.
func TestQuiet(t *testing.T) {
	d := full(t, 120, 40, func(s *Setup) { s.Looks.ReducedMotion = true })
	d.press("enter")
	if every, _ := d.m.nextTick(); every < time.Second {
		t.Errorf("with reduced motion something happens every %v", every)
	}
	d = full(t, 120, 40, nil)
	if every, _ := d.m.nextTick(); every < 100*time.Millisecond {
		t.Errorf("a sign of work turns every %v", every)
	}
	for i := range d.m.fleet.Sessions {
		d.m.fleet.Sessions[i].Status = idle
	}
	d.m.pending = ""
	if every, _ := d.m.nextTick(); every < 10*time.Second {
		t.Errorf("idle, something happens every %v", every)
	}
}

// TestColoursOfAProgram keeps what a program makes of its colours in its pane.
func TestColoursOfAProgram(t *testing.T) {
	d := full(t, 120, 40, nil)
	x := d.m.activePane().rect.X
	d.output("\r\n\x1b[31mred\x1b[m plain 中\x1b]8;;https://x.y\x1b\\link\x1b]8;;\x1b\\")
	d.screen()
	y := 0
	for d.c.Term.Cell(x, y).Text != "r" {
		y++
	}
	if c := d.c.Term.Cell(x, y).Style.FG; c != vt.Indexed(1) {
		t.Fatalf("%v", c)
	}
	side := d.c.Term.Cell(1, 0)
	before := d.c.Term.RowText(y)
	d.output("\x1b]4;1;rgb:12/34/56\x1b\\\x1b]11;rgb:10/20/30\x1b\\")
	d.screen()
	if c := d.c.Term.Cell(x, y).Style; c.FG != vt.RGB(0x12, 0x34, 0x56) || c.BG != vt.RGB(0x10, 0x20, 0x30) {
		t.Errorf("red on the ground is %+v", c)
	}
	if got := d.c.Term.RowText(y); got != before {
		t.Errorf("the row is %q, was %q", got, before)
	}
	if l := d.c.Term.Cell(x+12, y); l.Text != "l" || l.Link != "https://x.y" {
		t.Errorf("the link is %+v", l)
	}
	if d.c.Term.Cell(1, 0) != side {
		t.Error("the sidebar changed its colours")
	}
	d.output("\x1b]104\x1b\\\x1b]111\x1b\\")
	d.screen()
	if c := d.c.Term.Cell(x, y).Style; c.FG != vt.Indexed(1) || !c.BG.IsDefault() {
		t.Errorf("given back: %+v", c)
	}
}

// TestSeen tells the host that a person saw what was done: one who went in, or
// is there when it ends, and not one whose terminal is in the background.
func TestSeen(t *testing.T) {
	d := full(t, 120, 40, nil)
	d.m.cursor = "session " + linkOf(4)
	d.pass(time.Second)
	take[Effect](d)
	d.press("g", "G").m.cursor = "session " + linkOf(4)
	if n := len(take[seenEffect](d)); n != 0 {
		t.Errorf("a look at the list counts as seen: %d", n)
	}
	d.press("enter")
	if s := take[seenEffect](d); len(s) != 1 || s[0].Link != linkOf(4) {
		t.Errorf("went in: %+v", s)
	}
	d.connect(linkOf(4), "").say(tea.BlurMsg{})
	take[Effect](d)
	d.say(watchMsg{Event: &api.WatchEvent{Link: linkOf(4), Status: working}}, watchMsg{Event: &api.WatchEvent{Link: linkOf(4), Status: done}})
	if n := len(take[seenEffect](d)); n != 0 {
		t.Error("seen in a terminal without the focus")
	}
	d.say(tea.FocusMsg{})
	if n := len(take[seenEffect](d)); n != 1 {
		t.Errorf("seen %d times when the terminal got the focus", n)
	}
}

// TestNoticeGoesWithTheKeys: a notice does not hide where the keys go once they
// go elsewhere.
func TestNoticeGoesWithTheKeys(t *testing.T) {
	d := full(t, 120, 40, nil)
	d.m.toast, d.m.toastUntil = "a notice", d.now.Add(time.Hour)
	d.press("j")
	if d.m.toast == "" {
		t.Error("it went while the keys go where they went")
	}
	d.press("enter")
	if d.m.toast != "" {
		t.Errorf("%q stands where the way back should", d.m.toast)
	}
}

// TestPaletteKnowsActionsByName: what docs/tui.md and keybindings.json call an
// action finds it.
func TestPaletteKnowsActionsByName(t *testing.T) {
	d := full(t, 120, 40, nil)
	for _, b := range d.m.Bindings.list {
		v := newPalette(d.m)
		v.in.SetValue(strings.ReplaceAll(string(b.action), "-", " "))
		switch b.action {
		case ActDown, ActUp, ActTop, ActBottom, ActPalette:
			continue
		}
		if fits := v.fits(); !slices.ContainsFunc(fits, func(it item) bool { return it.text == b.help }) {
			t.Errorf("%s is not found by its name", b.action)
		}
	}
}
