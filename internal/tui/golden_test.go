package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/vt"
)

var update = flag.Bool("update", false, "write the golden frames anew")

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func linkOf(n int) string { return fmt.Sprintf("termio://session/%08d-0000-4000-8000-000000000000", n) }

// roster is a fleet as one may be on a working day.
func roster() []api.Session {
	s := func(n int, agent, name, status, title, project, tree string, ago time.Duration) api.Session {
		at := noon.Add(-ago)
		return api.Session{
			Link: linkOf(n), ID: fmt.Sprintf("%08d", n), AgentID: agent, Agent: name, Status: status, Title: title,
			Project: project, Worktree: tree, Since: &at,
		}
	}
	all := []api.Session{
		s(1, "claudeCode", "Claude Code", working, "refactor the parser", "/home/u/shop", "", 3*time.Minute),
		s(2, "codex", "Codex", needsYou, "fix the login — 修复登录", "/home/u/shop", "/home/u/shop/.trees/login", 12*time.Minute),
		s(3, "terminal", "Terminal", idle, "make serve", "/home/u/shop", "", 2*time.Hour),
		s(4, "gemini", "Gemini CLI", done, "write the changelog for the release of next week", "/home/u/shop", "", 40*time.Second),
		s(5, "opencode", "OpenCode", needsYou, "deploy", "/home/u/api", "", 50*time.Hour),
		s(6, "claudeCode", "Claude Code", idle, "look around", "/home/u/api", "", time.Hour),
		s(7, "codex", "Codex", closed, "yesterday's", "/home/u/shop", "", 20*time.Hour),
	}
	all[3].Error = ""
	return all
}

// keys of tests, as bubbletea gives them.
func press(names ...string) []tea.KeyPressMsg {
	var out []tea.KeyPressMsg
	special := map[string]tea.Key{
		"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "down": {Code: tea.KeyDown}, "up": {Code: tea.KeyUp},
		"prefix": {Code: '\\', Mod: tea.ModCtrl}, "space": {Code: tea.KeySpace, Text: " "},
	}
	for _, n := range names {
		if k, ok := special[n]; ok {
			out = append(out, tea.KeyPressMsg(k))
			continue
		}
		for _, r := range n {
			k := tea.Key{Code: r, Text: string(r)}
			if r >= 'A' && r <= 'Z' {
				k.Code, k.ShiftedCode, k.Mod = r+'a'-'A', r, tea.ModShift
			}
			out = append(out, tea.KeyPressMsg(k))
		}
	}
	return out
}

// desk is a model with a canvas, whose effects are kept.
type desk struct {
	t       *testing.T
	m       *Model
	c       *Canvas
	now     time.Time
	effects []Effect
}

func newDesk(t *testing.T, cols, rows int, edit func(*Setup)) *desk {
	t.Helper()
	b, problems := newBindings(nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	prefix, err := vt.ParseKey(`ctrl-\`)
	if err != nil {
		t.Fatal(err)
	}
	s := Setup{
		Cols: cols, Rows: rows, Home: "/home/u/shop", Dir: "/home/u/shop", Prefix: prefix, PrefixName: `Ctrl-\`, Bindings: b, Unicode: true,
		Speaks: map[string]bool{"claudeCode": true}, User: "/home/u", Editor: "vim",
		Keeps:  Places{Settings: "/home/u/.termio/config/settings.json", Bindings: "/home/u/.termio/config/keybindings.json", Looks: "/home/u/.termio/config/tui.json", State: "/home/u/.termio/state/tui.json"},
		Agents: map[string]string{"claudeCode": "✳", "codex": "⬡", "gemini": "◇", "opencode": "▣"},
	}
	if edit != nil {
		edit(&s)
	}
	d := &desk{t: t, m: New(s, noon), c: NewCanvas(cols, rows), now: noon}
	d.effects = d.m.Init()
	return d
}

// say gives the model messages.
func (d *desk) say(messages ...any) *desk {
	for _, msg := range messages {
		d.effects = append(d.effects, d.m.Update(msg, d.now)...)
	}
	return d
}

func (d *desk) press(names ...string) *desk {
	for _, k := range press(names...) {
		d.say(k)
	}
	return d
}

// pass lets time pass.
func (d *desk) pass(t time.Duration) *desk {
	d.now = d.now.Add(t)
	return d.say(tickMsg{})
}

// take is the effects of a kind since the last take of any.
func take[E Effect](d *desk) []E {
	var out []E
	for _, e := range d.effects {
		if e, ok := e.(E); ok {
			out = append(out, e)
		}
	}
	d.effects = nil
	return out
}

const claudeScreen = "\x1b[1m✳ Claude\x1b[m  refactor the parser\r\n\r\n\x1b[32m●\x1b[m Read parser.go\r\n\x1b[33m⚠️ 警告: 宽字符 👩‍👩‍👧\x1b[m ok\r\n\r\n> "

// full is a desk with the roster, the questions and a picture in the pane.
func full(t *testing.T, cols, rows int, edit func(*Setup)) *desk {
	d := newDesk(t, cols, rows, edit)
	d.say(watchMsg{Up: true}, rosterMsg{Reply: api.ListReply{Sessions: roster()}})
	d.say(watchMsg{Event: &api.WatchEvent{
		Link: linkOf(2), Status: needsYou, Title: "fix the login — 修复登录", PromptID: "q1", Snapshot: true,
		Prompt: "Bash command\n\n  rm -rf node_modules\n\nDo you want to proceed?\n❯ 1. Yes\n  2. Yes, and do not ask again\n  3. No, and say what to do\n",
	}})
	d.m.cursor = "session " + linkOf(1)
	d.effects = append(d.effects, d.m.show(linkOf(1))...)
	if d.m.panes[linkOf(1)] != nil { // else it is behind the sidebar
		d.connect(linkOf(1), claudeScreen)
	}
	return d
}

// connect gives a pane a picture.
func (d *desk) connect(link, text string) *desk {
	p := d.m.panes[link]
	if p == nil {
		d.t.Fatalf("no pane shows %s", link)
	}
	size := p.size()
	return d.say(
		hostUpMsg{Link: link, Run: p.run, Types: true},
		hostMsg{Link: link, Run: p.run, Messages: []hostproto.Message{
			{Type: hostproto.FrameSnapshot, Data: []byte(text)},
			{Type: hostproto.FrameEvent, Event: &hostproto.Event{Type: hostproto.EventReady, Size: &size, Owner: true}},
		}},
	)
}

func (d *desk) screen() string {
	d.m.Draw(d.c)
	return d.c.Term.ScreenText()
}

// golden compares the screen with a file.
func (d *desk) golden(name string) {
	d.t.Helper()
	got := d.screen() + "\n"
	path := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			d.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			d.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		d.t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		d.t.Errorf("%s differs (-want +got; go test ./internal/tui -update writes it anew):\n%s", name, diff)
	}
}

// aDiff is what git says of a small change.
const aDiff = "diff --git a/parser.go b/parser.go\nindex 1..2 100644\n--- a/parser.go\n+++ b/parser.go\n" +
	"@@ -10,5 +10,6 @@ func parse()\n func x() {\n-\told := \"宽\" // words\n+\tnew := 1\n+\tmore := 2\n }\n \n" +
	"diff --git a/notes.txt b/notes.txt\nnew file mode 100644\n--- /dev/null\n+++ b/notes.txt\n@@ -0,0 +1 @@\n+remember\n"

func TestGoldenFrames(t *testing.T) {
	sizes := [][2]int{{40, 24}, {80, 24}, {120, 40}, {200, 60}}
	for _, size := range sizes {
		for _, unicode := range []bool{true, false} {
			locale := "utf8"
			if !unicode {
				locale = "c"
			}
			name := func(what string) string { return fmt.Sprintf("%s-%dx%d-%s", what, size[0], size[1], locale) }
			start := func() *desk { return full(t, size[0], size[1], func(s *Setup) { s.Unicode = unicode }) }
			start().golden(name("sidebar"))
			start().press("enter").connect(linkOf(1), claudeScreen).golden(name("pane"))
			start().press("tab", "tab", "a").golden(name("question"))
			d := start().press("v")
			if size[0] > 64 {
				d.connect(d.m.active.Session, "$ make serve\r\nlistening on :8080\r\n")
			}
			d.golden(name("split"))
			start().press(":").golden(name("palette"))
			start().press("?").golden(name("help"))
			d = start().press("n")
			calls := take[callEffect](d)
			d.say(calledMsg{Effect: calls[len(calls)-2], Reply: &api.AgentsReply{Agents: []api.Agent{
				{ID: "terminal", Name: "Terminal", Found: true},
				{ID: "claudeCode", Name: "Claude Code", Found: true, Bypass: true},
				{ID: "codex", Name: "Codex", Install: "npm install -g @openai/codex"},
			}}}, calledMsg{Effect: calls[len(calls)-1], Reply: &api.WorktreesReply{Worktrees: []api.WorktreeRow{
				{Name: "shop", Dir: "/home/u/shop", Branch: "main", Main: true}, {Name: "login", Dir: "/home/u/shop/.trees/login", Branch: "fix-login", Sessions: []string{linkOf(2)}},
			}}})
			d.golden(name("new"))
			d.press("tab", "one line").say(tea.KeyPressMsg{Code: 'j', Mod: tea.ModCtrl})
			d.press("and another", "tab", "tab").say(tea.KeyPressMsg{Code: tea.KeyRight}, tea.KeyPressMsg{Code: tea.KeyRight})
			d.press("tab", "spike").golden(name("new-tree"))
			start().press(",").golden(name("settings"))
			d = start().press("d")
			d.say(reviewMsg{Effect: take[reviewEffect](d)[0], Text: aDiff})
			d.golden(name("review"))
		}
	}
}

// TestFrameIsTheSameDrawnInParts draws each change as it comes, and all at
// once on a fresh canvas: the pictures must agree.
func TestFrameIsTheSameDrawnInParts(t *testing.T) {
	d := full(t, 120, 40, nil)
	d.screen()
	steps := []func(){
		func() { d.press("j") },
		func() { d.pass(time.Second) },
		func() { d.press("?") },
		func() { d.press("esc") },
		func() { d.press(":") },
		func() { d.press("quit") }, // its box gets smaller
		func() { d.output("under it\r\n") },
		func() { d.press("esc") },
		func() { d.output("more\r\nand \x1b[31mred\x1b[m 中文\r\n") },
		func() { d.press("v") },
		func() { d.connect(d.m.active.Session, "beside") },
		func() { d.output(strings.Repeat("line\r\n", 60)) },
		func() { d.m.activePane().by(7); d.m.chrome = true },
		func() { d.press("f", "line", "enter") },
		func() { d.press("V", "k", "k") },
		func() { d.press("q", "q") },
		func() { d.press("prefix", "z") },
		func() { d.press("z") },
		func() { d.press("w") },
		func() { d.say(tea.WindowSizeMsg{Width: 50, Height: 20}) },
		func() { d.press("enter") },
		func() { d.say(tea.WindowSizeMsg{Width: 100, Height: 30}) },
	}
	for i, f := range steps {
		f()
		d.m.Draw(d.c)
		fresh := NewCanvas(d.m.Cols, d.m.Rows)
		for _, p := range d.m.panes {
			p.marks = nil
		}
		d.m.chrome, d.m.rowLines = true, nil // nothing is remembered
		d.m.Draw(fresh)
		for y := range d.m.Rows {
			for x := range d.m.Cols {
				a, b := d.c.Term.Cell(x, y), fresh.Term.Cell(x, y)
				if a.Text == " " {
					a.Text = ""
				}
				if b.Text == " " {
					b.Text = ""
				}
				if a != b {
					t.Fatalf("step %d, cell %d,%d: %+v in parts, %+v at once\nin parts:\n%s\nat once:\n%s", i, x, y, a, b, d.c.Term.ScreenText(), fresh.Term.ScreenText())
				}
			}
		}
	}
}

// output has the active pane's program write.
func (d *desk) output(text string) {
	p := d.m.activePane()
	d.say(hostMsg{Link: p.link, Run: p.run, Messages: []hostproto.Message{{Type: hostproto.FrameOutput, Data: []byte(text)}}})
}
