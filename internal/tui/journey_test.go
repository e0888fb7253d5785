//go:build unix

package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/testkit/console"
	"github.com/termio-sh/termio/vt"
)

// programs builds the real ones, once for all tests that ask.
var programs = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "tuibin")
	if err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-o", dir+"/", "../../cmd/termio", "../../cmd/termio-host", "../../cmd/termio-hook", "../../cmd/termio-tui", "../testkit/scriptagent/cmd")
	talker := exec.Command("go", "build", "-o", filepath.Join(dir, "acpagent"), "../testkit/acpagent/cmd")
	if out, err := talker.CombinedOutput(); err != nil {
		return dir, fmt.Errorf("build the agent that speaks ACP: %w\n%s", err, out)
	}
	if out, err := build.CombinedOutput(); err != nil {
		return dir, fmt.Errorf("build the programs: %w\n%s", err, out)
	}
	return dir, os.Rename(filepath.Join(dir, "cmd"), filepath.Join(dir, "scriptagent"))
})

func TestMain(m *testing.M) {
	code := m.Run()
	if built {
		if dir, _ := programs(); dir != "" {
			os.RemoveAll(dir)
		}
	}
	os.Exit(code)
}

var built bool

// place is a home with a project, and the terminal of a person in it.
type world struct {
	t    *testing.T
	bin  string
	home string
	dir  string
	env  []string
	*console.Console
	cmd  *exec.Cmd
	mu   sync.Mutex
	vt   *vt.Terminal
	clip []string
}

// newWorld makes one, with two agents that do what they are told.
func newWorld(t *testing.T, env ...string) *world {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the programs")
	}
	built = true
	bin, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	base, err := os.MkdirTemp("", "tu") // short: it holds sockets
	if err != nil {
		t.Fatal(err)
	}
	if base, err = filepath.EvalSymlinks(base); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, bin: bin, home: filepath.Join(base, "h"), dir: filepath.Join(base, "shop")}
	for _, d := range []string{w.dir, filepath.Join(base, "user"), filepath.Join(w.home, "config/agents"), filepath.Join(w.home, "state")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"alpha", "beta"} {
		manifest := fmt.Sprintf(`{"id":%q,"name":%q,"command":%q}`, name, strings.ToUpper(name[:1])+name[1:],
			filepath.Join(bin, "scriptagent")+" -echo -paste -titles -status unasked -name "+name)
		w.write(filepath.Join(w.home, "config/agents", name+".json"), manifest)
	}
	w.write(filepath.Join(w.home, "config/agents/gamma.json"), fmt.Sprintf(`{"id":"gamma","name":"Gamma","command":%q,"acp":{"command":%q}}`,
		filepath.Join(bin, "acpagent"), filepath.Join(bin, "acpagent")))
	w.write(filepath.Join(w.home, "state/tui.json"), `{"welcomed":true}`)
	w.env = append([]string{
		"HOME=" + filepath.Join(base, "user"), "PATH=" + bin + ":" + os.Getenv("PATH"), "SHELL=/bin/sh", "TERMIO_HOME=" + w.home,
		"TERM=xterm-256color", "COLORTERM=truecolor", "PS1=$ ", "ENV=", "GOCOVERDIR=" + os.Getenv("GOCOVERDIR"),
	}, env...)
	if len(env) == 0 {
		w.env = append(w.env, "LANG=C.UTF-8")
	}
	t.Cleanup(func() {
		w.tidy()
		os.RemoveAll(base)
	})
	return w
}

func (w *world) write(path, text string) {
	w.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) tidy() {
	for _, s := range w.list(false) {
		w.termio("sessions", "close", "--all", s.Link)
	}
	w.termio("daemon", "stop")
}

// termio runs the program and gives what it prints.
func (w *world) termio(args ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(w.bin, "termio"), args...)
	cmd.Env, cmd.Dir = w.env, w.dir
	out, err := cmd.Output()
	if err != nil {
		w.t.Logf("termio %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

func (w *world) list(closed bool) []api.Session {
	args := []string{"sessions", "list", "--all", "--json"}
	if closed {
		args = append(args, "--closed")
	}
	var r api.ListReply
	if err := json.Unmarshal([]byte(w.termio(args...)), &r); err != nil {
		w.t.Logf("list: %v", err)
	}
	return r.Sessions
}

func (w *world) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.vt.Write(p)
}

// open starts a program in the person's terminal.
func (w *world) open(cols, rows int, argv ...string) {
	w.t.Helper()
	w.vt = vt.New(vt.Options{Cols: cols, Rows: rows, Event: func(e vt.Event) {
		if e.Kind == vt.EventClipboard {
			w.clip = append(w.clip, string(e.Data))
		}
	}})
	w.cmd = exec.Command(argv[0], argv[1:]...)
	w.cmd.Env, w.cmd.Dir = w.env, w.dir
	c, err := console.Start(w.cmd, console.Options{Rows: rows, Cols: cols, Raw: w})
	if err != nil {
		w.t.Fatal(err)
	}
	w.Console = c
	w.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		c.Close(ctx)
	})
}

// face opens the face.
func (w *world) face(cols, rows int) {
	w.t.Helper()
	w.open(cols, rows, filepath.Join(w.bin, "termio"))
}

// screen is what the outer terminal shows, by the engine.
func (w *world) screen() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.vt.ScreenText()
}

// copied is what was put on the clipboard.
func (w *world) copied() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.clip, "\n")
}

func (w *world) context() context.Context {
	ctx, cancel := context.WithTimeout(w.t.Context(), 15*time.Second)
	w.t.Cleanup(cancel)
	return ctx
}

// step is one thing that the person does or waits for.
type step struct {
	what string
	do   func(w *world) // nil to only wait
	see  func(w *world) bool
}

// shows waits until the screen shows all of some texts.
func shows(texts ...string) func(*world) bool {
	return func(w *world) bool {
		s := w.screen()
		for _, text := range texts {
			if !strings.Contains(s, text) {
				return false
			}
		}
		return true
	}
}

// hides waits until the screen does not show a text.
func hides(text string) func(*world) bool {
	return func(w *world) bool { return !strings.Contains(w.screen(), text) }
}

func keys(s string) func(*world) { return func(w *world) { w.Type(s) } }

// go takes the steps.
func (w *world) take(steps ...step) {
	w.t.Helper()
	for _, s := range steps {
		if s.do != nil {
			s.do(w)
		}
		if s.see == nil {
			continue
		}
		if _, err := w.Wait(w.context(), s.what, func(console.View) bool { return s.see(w) }); err != nil {
			w.t.Fatalf("%v\nthe screen by the engine:\n%s", err, w.screen())
		}
	}
}

const prefix = "\x1c"

// pick moves down a list until a row is chosen.
func pick(row string) func(*world) {
	return func(w *world) {
		for range 40 {
			if strings.Contains(w.screen(), "▸ "+row) {
				return
			}
			chosen := func() string {
				_, row, _ := strings.Cut(w.screen(), "▸ ")
				row, _, _ = strings.Cut(row, "\n")
				return row
			}
			before := chosen()
			w.Type("\x1b[B")
			if _, err := w.Wait(w.context(), "the list moves", func(console.View) bool { return chosen() != before }); err != nil {
				w.t.Fatal(err)
			}
		}
		w.t.Fatalf("%q is not in the list:\n%s", row, w.screen())
	}
}

// TestJourney is a day of a person with two agents.
func TestJourney(t *testing.T) {
	w := newWorld(t)
	w.face(120, 40)
	w.take(
		step{"an empty project", nil, shows("termio", "shop", "n  starts one with an agent", "Ctrl-\\ session")},
		step{"the form", keys("n"), shows("New session", "Alpha", "Beta", "Claude Code", "get it:")},
		step{"the first agent", pick("A Alpha"), shows("▸ A Alpha")},
		step{"the prompt", keys("\tsay hello there\r"), shows("> say hello there", "keys go to the session")},
	)
	w.take(
		step{"the sidebar", keys(prefix), shows("go in", "n new")},
		step{"the form again", keys("n"), shows("New session")},
		step{"the second agent", pick("B Beta"), nil},
		step{"its question", keys("\tallow rm -rf build\r"), shows("NEEDS YOU (1)")},
	)
	w.take(
		step{"the strip", keys(prefix + "\t"), shows("1-2 answer")},
		step{"its view", keys("a"), shows("╭", "1  Yes", "2  No", "later")},
		step{"the answer", keys("1"), shows("answered: Yes", "answered allow rm -rf build: Yes")},
		step{"nobody is waiting", nil, hides("NEEDS YOU")},
	)
	w.take(
		step{"both beside one another", keys("v"), shows("> say hello there", "answered: Yes")},
		step{"one alone", keys("z"), hides("answered: Yes")},
		step{"both again", keys("z"), shows("> say hello there", "answered: Yes")},
		step{"the pane on the left", keys("H"), shows("keys go to the session")},
		step{"the other pane", keys(prefix + "L"), shows("keys go to the session")},
		step{"typing goes there", keys("say second thing\r"), shows("> say second thing")},
		step{"search", keys(prefix + "f"), shows("Search the session's text")},
		step{"a match", keys("second thing\r"), shows("2 found")},
		step{"copy", keys("y"), func(w *world) bool { return w.copied() == "second thing" }},
		step{"a selection", keys("Vy"), func(w *world) bool {
			return strings.HasPrefix(w.copied(), "second thing\nsecond thing") || strings.Contains(w.copied(), "\n> say second thing")
		}},
		step{"back", keys("q"), shows("keys go to the session")},
		step{"the palette", keys(prefix + ":"), shows("Commands", "new plain terminal")},
		step{"a terminal", keys("plain term\r"), shows("❯ Terminal", "keys go to the session")},
		step{"a command", keys("echo $((6*7))\r"), shows("42")},
		step{"quick open", keys(prefix + "/"), shows("Go to")},
		step{"the first agent", keys("hello\r"), shows("keys go to the session", "> say second thing")},
	)
	w.killCoordinator()
	w.take(
		step{"the session lives on", keys("say third thing\r"), shows("> say third thing")},
		step{"the coordinator is back", keys(prefix), func(w *world) bool { return len(w.list(false)) == 3 && hides("coordinator is away")(w) }},
		step{"rename", keys("r"), shows("Rename")},
		step{"another name", keys("\x15the parser\r"), shows("A the parser")},
		step{"close", keys("x"), func(w *world) bool { return hides("A the parser")(w) && len(w.list(false)) == 2 }},
		step{"those that are closed", keys("c"), shows("closed (1)", "the parser")},
		step{"the last row", keys("G"), shows("o reopen")},
		step{"it comes back", keys("o"), shows("A the parser", "alpha is ready", "keys go to the session")},
		step{"leave", keys(prefix + "q"), func(w *world) bool { return w.View().Exited }},
	)
	if code, err := w.WaitExit(w.context()); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v", code, err)
	}
	w.restored()
	w.face(120, 40)
	w.take(step{"it comes as it was", nil, shows("the parser", "A ", "shop")})
}

// TestReviewOfAProject looks at what changed in a project.
func TestReviewOfAProject(t *testing.T) {
	w := newWorld(t)
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first one"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = w.dir, w.env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git: %v\n%s", err, out)
		}
	}
	w.write(filepath.Join(w.dir, "notes.txt"), "x\n")
	w.env = append(w.env, "VISUAL=", "EDITOR="+w.editor())
	w.face(110, 30)
	w.take(
		step{"the face", nil, shows("n  starts one")},
		step{"changes", keys("d"), shows("shop: changes", "notes.txt (new, not in git yet) +1", "1 + x")},
		step{"history", keys("h"), shows("a: first one")},
		step{"a commit", keys("\r"), shows("shop: commit", "a, ")},
		step{"back to the history", keys("q"), shows("a: first one")},
		step{"out of it", keys("q"), hides("a: first one")},
		step{"the changes again", keys("d"), shows("1 + x")},
		step{"the file in the editor", keys("je"), shows("editing notes.txt", "x", "keys go to the session")},
		step{"edited", keys("more\r"), func(w *world) bool {
			data, _ := os.ReadFile(filepath.Join(w.dir, "notes.txt"))
			return string(data) == "x\nmore\n"
		}},
		step{"its pane goes", nil, func(w *world) bool {
			return hides("editing")(w) && shows("notes.txt is closed", "No session is shown")(w)
		}},
		step{"a file by its name", keys("e"), shows("Edit a file of shop", "▸ notes.txt")},
		step{"in the editor", keys("notes\r"), shows("editing notes.txt", "more", "keys go to the session")},
		step{"edited again", keys("third\r"), func(w *world) bool {
			data, _ := os.ReadFile(filepath.Join(w.dir, "notes.txt"))
			return string(data) == "x\nmore\nthird\n"
		}},
	)
}

// editor is one that appends the line that is typed.
func (w *world) editor() string {
	path := filepath.Join(filepath.Dir(w.dir), "editor")
	w.write(path, "#!/bin/sh\necho \"editing $1\"; cat \"$1\"; read -r line; echo \"$line\" >>\"$1\"\n")
	if err := os.Chmod(path, 0o700); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// TestArranged pins, moves and groups sessions, opens another folder, and finds
// it all again.
func TestArranged(t *testing.T) {
	w := newWorld(t)
	other := filepath.Join(filepath.Dir(w.dir), "user", "api")
	if err := os.MkdirAll(other, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "two", "three"} {
		w.termio("sessions", "run", "echo this-is-"+name+"; cat", "--title", "the "+name)
	}
	order := func(names ...string) func(*world) bool {
		return func(w *world) bool {
			s, at := w.screen(), 0
			for _, name := range names {
				i := strings.Index(s[at:], name)
				if i < 0 {
					return false
				}
				at += i
			}
			return true
		}
	}
	w.face(120, 40)
	w.take(
		step{"three sessions", nil, order("❯ the one", "❯ the two", "❯ the three")},
		step{"the first one down", keys("g}"), nil},
		step{"a project moves nowhere alone; its session does", keys("j}"), order("❯ the two", "❯ the one", "❯ the three")},
		step{"the last one pinned", keys("GP"), order("pinned", "❯ the three", "▾ shop", "❯ the two", "❯ the one")},
		step{"shown", nil, shows("this-is-three")},
		step{"grouped with another", keys("m"), shows("Show beside the three")},
		step{"side by side", keys("two\r"), shows("this-is-three", "this-is-two", "◫")},
		step{"another one alone", keys("G"), func(w *world) bool { return shows("this-is-one")(w) && hides("this-is-two")(w) }},
		step{"the group again", keys("g"), shows("this-is-three", "this-is-two")},
		step{"another folder", keys("/~/ap"), shows("~/api", "open folder")},
		step{"is open", keys("\r"), order("pinned", "shop: the three", "▾ api", "no sessions yet", "▾ shop")},
		step{"a terminal there", keys("t"), order("▾ api", "❯ Terminal", "▾ shop")},
		step{"it is there", keys("pwd\r"), shows("user/api")},
		step{"leave", keys(prefix + "q"), func(w *world) bool { return w.View().Exited }},
	)
	w.face(120, 40)
	w.take(
		step{"as it was", nil, order("pinned", "❯ the three", "▾ shop", "❯ the two", "❯ the one", "▾ api")},
		step{"grouped", keys("g"), shows("this-is-three", "this-is-two")},
		step{"the folder is known", keys("/"), shows("api", "project")},
		step{"closed", keys("\x1b"), hides("Go to")},
		step{"alone again", keys("u"), func(w *world) bool { return hides("◫")(w) && shows("each of them is alone again")(w) }},
	)
}

// TestFirstRun is the page that a new user sees, once, and what it sets.
func TestFirstRun(t *testing.T) {
	w := newWorld(t)
	if err := os.Remove(filepath.Join(w.home, "state/tui.json")); err != nil {
		t.Fatal(err)
	}
	w.face(100, 30)
	w.take(
		step{"the page", nil, shows("Welcome to termio", "Live status", "at launch", "hooks into the config", "until you turn one")},
		step{"the link", keys("jjj"), shows("~/.local/bin/termio")},
		step{"on", keys(" "), func(w *world) bool { return shows("Command on the PATH: true")(w) }},
		step{"a key that is not its own does what it always does", keys("?"), func(w *world) bool { return hides("Welcome")(w) && shows("Keys", "next row")(w) }},
		step{"closed", keys("q"), hides("next row")},
		step{"a list of the settings", keys(","), shows("Settings", "Theme", "It writes hooks into")},
		step{"skill", keys("jj"), shows("SKILL.md into the skills folder")},
		step{"the theme", keys("jjjjjj "), shows("dark")},
		step{"leave", keys("\x1b\x1cq"), nil},
		step{"closed again", keys("q"), func(w *world) bool { return w.View().Exited }},
	)
	if _, err := os.Lstat(filepath.Join(w.home, "../user/.local/bin/termio")); err != nil {
		t.Errorf("the link was not made: %v", err)
	}
	if data, err := os.ReadFile(filepath.Join(w.home, "config/tui.json")); err != nil || !strings.Contains(string(data), `"dark"`) {
		t.Errorf("config/tui.json: %s %v", data, err)
	}
	w.face(100, 30)
	w.take(step{"only once", nil, shows("n  starts one")})
	if strings.Contains(w.screen(), "Welcome") {
		t.Error("the page of the first time came again")
	}
}

// TestEverythingDied kills all that runs and reopens a session from the list.
func TestEverythingDied(t *testing.T) {
	w := newWorld(t)
	w.termio("sessions", "spawn", "say before", "--agent", "alpha", "--title", "the one")
	w.face(100, 30)
	w.take(step{"a session", nil, shows("the one", "before")})
	w.take(step{"into it", keys(prefix), shows("keys go to the session")})
	w.killAll()
	w.take(
		step{"it is told", nil, shows("the one", "lost its host", "o reopens it", "1 session lost; O reopens")},
		step{"closed ones", keys("c"), shows("closed (1)", "× A the one")},
		step{"reopened", keys("Go"), shows("A the one", "alpha is ready", "keys go to the session")},
		step{"typed", keys("say after\r"), shows("> say after")},
		step{"leave", keys(prefix + "q"), func(w *world) bool { return w.View().Exited }},
	)
	w.killAll()
	w.face(100, 30)
	w.take(
		step{"the offer", nil, shows("1 session lost; O reopens")},
		step{"all of it back with one key", keys("O"), func(w *world) bool { return shows("reopened 1 session", "A the one")(w) && hides("lost;")(w) }},
	)
}

// killAll ends every host and the coordinator, as the end of the machine does.
func (w *world) killAll() {
	w.t.Helper()
	pids, err := exec.Command("pgrep", "-f", w.bin+"/(termio-host|termio daemon)").Output()
	if err != nil {
		w.t.Fatalf("pgrep: %v", err)
	}
	for pid := range strings.FieldsSeq(string(pids)) {
		n, err := strconv.Atoi(pid)
		if err != nil {
			w.t.Fatal(err)
		}
		syscall.Kill(n, syscall.SIGKILL)
	}
}

// TestAnyTerminal goes through sizes, locales and no colours.
func TestAnyTerminal(t *testing.T) {
	w := newWorld(t, "LANG=C", "NO_COLOR=1")
	w.termio("sessions", "spawn", "allow it", "--agent", "beta")
	w.face(40, 24)
	w.take(
		step{"a phone", nil, shows("NEEDS YOU (1)", "! B shop: allow it")},
		step{"the question", keys("a"), shows("+- ", "1  Yes")},
		step{"go there", keys("g"), shows("B allow it", "approve: it", "needs you")},
		step{"typed", keys("1"), shows("answered: Yes")},
		step{"the sidebar", keys(prefix), shows("termio", "v shop")},
	)
	for _, r := range w.screen() {
		if r >= 0x80 {
			t.Errorf("%q of ours in a locale of ASCII:\n%s", r, w.screen())
			break
		}
	}
	for _, size := range [][2]int{{200, 60}, {80, 24}, {20, 6}, {120, 40}} {
		w.mu.Lock()
		w.vt.Resize(size[0], size[1])
		w.mu.Unlock()
		if err := w.Resize(size[1], size[0]); err != nil {
			t.Fatal(err)
		}
		w.take(step{fmt.Sprint(size), nil, func(w *world) bool {
			lines := strings.Split(w.screen(), "\n")
			return len(lines) == size[1] && strings.Contains(lines[0], "termio") && strings.Contains(lines[size[1]-1], "Ctrl-\\")
		}})
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for y := range 40 {
		for x := range 120 {
			if s := w.vt.Cell(x, y).Style; !s.FG.IsDefault() || !s.BG.IsDefault() {
				t.Fatalf("cell %d,%d has a colour: %+v", x, y, s)
			}
		}
	}
}

// killCoordinator ends it as a crash does.
func (w *world) killCoordinator() {
	w.t.Helper()
	var r api.DaemonReply
	if err := json.Unmarshal([]byte(w.termio("daemon", "status", "--json")), &r); err != nil || r.PID == 0 {
		w.t.Fatalf("no coordinator: %v", err)
	}
	if err := syscall.Kill(r.PID, syscall.SIGKILL); err != nil {
		w.t.Fatal(err)
	}
}

// restored fails unless the outer terminal is as it was found.
func (w *world) restored() {
	w.t.Helper()
	v := w.View()
	if v.Alternate {
		w.t.Error("the alternate screen was left on")
	}
	for _, m := range v.Modes {
		switch m {
		case 7, 25: // how a terminal begins
		default:
			w.t.Errorf("mode %d was left on", m)
		}
	}
	if n := len(v.KeyFlags); n > 0 && v.KeyFlags[n-1] != 0 {
		w.t.Errorf("keyboard flags were left: %v", v.KeyFlags)
	}
	if echoes, canonical, err := w.Echoes(); err == nil && (!echoes || !canonical) {
		w.t.Errorf("the line discipline was left raw: echo %v, canonical %v", echoes, canonical)
	}
}

// TestPictureInAPane has a picture of a program on the outer terminal that can
// show it, and takes it off with the face.
func TestPictureInAPane(t *testing.T) {
	w := newWorld(t, "LANG=C.UTF-8", "TERMIO_PICTURES=kitty")
	w.termio("sessions", "run", `clear; echo 'say when'; while read line; do printf '\033_Ga=T,f=24,s=1,v=1;AAAA\033\\drawn\n'; done`, "--title", "the artist")
	pictures := func(n int) func(*world) bool {
		return func(w *world) bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			return len(w.vt.Images()) == n
		}
	}
	w.face(80, 24)
	w.take(
		step{"the program", nil, shows("the artist", "say when")},
		step{"in it", keys("\r"), shows("keys go to the session")},
		step{"its picture", keys("now\r"), func(w *world) bool { return shows("drawn")(w) && pictures(1)(w) }},
		step{"under the palette there is none", keys(prefix + ":"), pictures(0)},
		step{"it is back", keys("\x1b"), pictures(1)},
		step{"leave", keys("q"), func(w *world) bool { return w.View().Exited }},
		step{"nothing is left", nil, pictures(0)},
	)
	w.restored()
}
