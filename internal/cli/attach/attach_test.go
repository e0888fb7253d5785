//go:build unix

package attach

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/host/term"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/paint/tty"
	"github.com/termio-sh/termio/internal/testkit/console"
	"github.com/termio-sh/termio/vt"
)

// The test binary is also the host, the guard, and the program under test.
const (
	hostCommand   = "__host"
	attachCommand = "__attach"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case hostCommand:
			os.Exit(term.Main(os.Stdin, os.Stdout))
		case tty.GuardCommand:
			os.Exit(tty.Guard())
		case attachCommand:
			os.Exit(attachMain(os.Args[2:]))
		}
	}
	os.Exit(m.Run())
}

func attachMain(args []string) int {
	o := Options{
		Socket: args[0], Link: "termio://session/00000000-0000-4000-8000-000000000000", Title: "test",
		Detach: `ctrl-\`, Observe: slices.Contains(args, "observe"),
		In: os.Stdin, Out: os.Stdout, Getenv: os.Getenv,
	}
	end, err := Run(context.Background(), o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	fmt.Fprintln(os.Stderr, end.Text)
	return 0
}

func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// shell is a plain one, whatever profiles say.
const shell = "env PS1='$ ' ENV= sh -i"

// env is what programs of these tests see.
func env(home string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8",
		"PS1=$ ", "ENV=", "LESSHISTFILE=-", "HISTFILE=", "GOCOVERDIR=" + os.Getenv("GOCOVERDIR"),
	}
}

// startHost starts a host of its own and returns its socket.
func startHost(t *testing.T, work, command string, cols, rows int) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "at") // short: it holds a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	spec, err := json.Marshal(hostproto.Spec{
		SessionDir: filepath.Join(dir, "session"), Env: env(work),
		Record: hostproto.Record{
			ID: "00000000-0000-4000-8000-000000000000", Agent: "terminal", AgentName: "Terminal",
			Dir: work, Command: command, Shell: "/bin/sh", Socket: socket, Size: hostproto.Size{Cols: cols, Rows: rows},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], hostCommand)
	cmd.Env = env(work)
	cmd.Stdin = bytes.NewReader(spec)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if c, err := hostproto.Dial(ctx, socket, hostproto.Hello{Role: hostproto.RoleControl}); err == nil {
			c.Call(ctx, hostproto.OpClose, hostproto.CloseRequest{}, nil)
			c.Close()
		}
		cmd.Wait()
	})
	var started hostproto.Started
	if err := json.NewDecoder(out).Decode(&started); err != nil || !started.OK {
		t.Fatalf("the host did not start: %v %+v", err, started.Error)
	}
	return socket
}

// outside is a terminal that a program runs in, with an engine of our own
// beside the console's, to compare cells.
type outside struct {
	t *testing.T
	*console.Console
	cmd *exec.Cmd
	raw console.Recorder
	mu  sync.Mutex
	vt  *vt.Terminal
}

func (o *outside) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.raw.Write(p)
	return o.vt.Write(p)
}

func open(t *testing.T, cols, rows int, home string, argv ...string) *outside {
	t.Helper()
	o := &outside{t: t, vt: vt.New(vt.Options{Cols: cols, Rows: rows})}
	o.cmd = exec.Command(argv[0], argv[1:]...)
	o.cmd.Env, o.cmd.Dir = env(home), home
	c, err := console.Start(o.cmd, console.Options{Rows: rows, Cols: cols, Raw: o})
	if err != nil {
		t.Fatal(err)
	}
	o.Console = c
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		c.Close(ctx)
	})
	return o
}

func openAttach(t *testing.T, socket string, cols, rows int, args ...string) *outside {
	return open(t, cols, rows, t.TempDir(), append([]string{os.Args[0], attachCommand, socket}, args...)...)
}

func (o *outside) resize(cols, rows int) {
	o.t.Helper()
	o.mu.Lock()
	o.vt.Resize(cols, rows)
	o.mu.Unlock()
	if err := o.Resize(rows, cols); err != nil {
		o.t.Fatal(err)
	}
}

func (o *outside) see(text string) console.View {
	o.t.Helper()
	v, err := o.WaitText(testContext(o.t), text)
	if err != nil {
		o.t.Fatal(err)
	}
	return v
}

func (o *outside) wait(what string, fits func(console.View) bool) console.View {
	o.t.Helper()
	v, err := o.Wait(testContext(o.t), what, fits)
	if err != nil {
		o.t.Fatal(err)
	}
	return v
}

func (o *outside) exits(code int) {
	o.t.Helper()
	got, err := o.WaitExit(testContext(o.t))
	if err != nil {
		o.t.Fatal(err)
	}
	if got != code {
		o.t.Fatalf("exit code %d, want %d; the screen:\n%s", got, code, o.View().Text)
	}
}

// picture is every cell and the cursor.
func (o *outside) picture() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	cols, rows := o.vt.Size()
	var b strings.Builder
	for y := range rows {
		for x := range cols {
			c := o.vt.Cell(x, y)
			if c.Text == " " {
				c.Text = ""
			}
			if c.Text != "" || c.Style != (vt.Style{}) || c.Width != 1 {
				fmt.Fprintf(&b, "%d,%d %q/%d %+v %s\n", x, y, c.Text, c.Width, c.Style, c.Link)
			}
		}
	}
	cur := o.vt.Cursor()
	if !cur.Visible {
		cur.X, cur.Y = 0, 0
	}
	fmt.Fprintf(&b, "cursor %+v\n", cur)
	return b.String()
}

// restored checks that a terminal is as a shell wants it.
func (o *outside) restored() {
	o.t.Helper()
	v := o.wait("the user's screen", func(v console.View) bool { return !v.Alternate })
	if modes := slices.DeleteFunc(v.Modes, func(m int) bool { return m == 7 || m == 25 || m == 12 }); len(modes) > 0 {
		o.t.Errorf("modes are left: %v", modes)
	}
	if len(v.KeyFlags) > 0 {
		o.t.Errorf("keyboard flags are left: %v", v.KeyFlags)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if m := o.vt.InputModes(); m != (vt.InputModes{}) {
		o.t.Errorf("input modes are left: %+v", m)
	}
	if !o.vt.Cursor().Visible || o.vt.AltScreen() || o.vt.Synchronized() {
		o.t.Errorf("left: cursor %+v, alternate %v, synchronised %v", o.vt.Cursor(), o.vt.AltScreen(), o.vt.Synchronized())
	}
}

// asks has the shell say its size, once for each prompt, until it is want.
func (o *outside) asks(want string) func(console.View) bool {
	return func(v console.View) bool {
		if strings.HasSuffix(strings.TrimSpace(v.Text), "$") {
			o.Type("stty size\r")
		}
		return v.Contains(want)
	}
}

func TestTypeIntoAShell(t *testing.T) {
	work := t.TempDir()
	socket := startHost(t, work, shell, 80, 24)
	a := openAttach(t, socket, 80, 24)
	v := a.see("$")
	if !v.Alternate {
		t.Error("attach does not use the alternate screen")
	}
	a.see(`ctrl-\ leaves`)
	a.Type("echo $((6*7)) $COLUMNS; stty size\r")
	a.see("42")
	a.see("24 80")
	if v := a.View(); v.Contains("leaves") {
		t.Error("the notice stays after a key")
	}
	a.resize(100, 30)
	a.wait("the new size", a.asks("30 100"))
	a.Type("\x1c")
	a.see("left session 00000000 (test); it goes on")
	a.exits(0)
	a.restored()
	if echo, canonical, err := a.Echoes(); err == nil && (!echo || !canonical) {
		t.Error("the line discipline stays raw")
	}

	again := openAttach(t, socket, 80, 24)
	again.see("42")
	again.Type("exit 7\r")
	again.see("ended: exit code 7")
	again.exits(0)
	again.restored()
}

func TestTwoViewers(t *testing.T) {
	work := t.TempDir()
	socket := startHost(t, work, shell, 80, 24)
	first := openAttach(t, socket, 80, 24)
	first.see("$")
	watcher := openAttach(t, socket, 100, 30, "observe")
	watcher.see("watching only")
	second := openAttach(t, socket, 60, 20)
	second.see("$")
	first.see("another viewer types now")
	second.Type("echo a$((1+1))c; stty size\r")
	for _, o := range []*outside{first, watcher, second} {
		o.see("a2c")
		o.see("20 60")
	}
	watcher.Type("echo no\r")
	watcher.see("watching only")
	first.Type("echo no\r")
	first.see("attach again to take over")
	second.Type("\x1c")
	second.exits(0)
	first.see("you type here again")
	first.wait("the first's size", first.asks("24 80"))
	if v := first.View(); v.Contains("echo no") {
		t.Error("a viewer that does not own the session typed")
	}
	watcher.Type("\x1c")
	watcher.exits(0)
	watcher.restored()
}

func TestSignalsRestore(t *testing.T) {
	work := t.TempDir()
	socket := startHost(t, work, `printf '\033[?1003h\033[?1006h\033[?2004h\033[?1h\033[>1u\033[5 q\033]2;agent\007ready'; exec cat`, 80, 24)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGKILL} {
		a := openAttach(t, socket, 80, 24)
		a.see("ready")
		a.wait("the mouse", func(v console.View) bool { return slices.Contains(v.Modes, 1003) && v.Title() == "agent" })
		a.wait("the guard", func(console.View) bool {
			return exec.Command("pgrep", "-P", fmt.Sprint(a.cmd.Process.Pid)).Run() == nil
		})
		if err := a.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		code := 1
		if sig == syscall.SIGKILL {
			code = -1
		}
		a.exits(code)
		a.restored()
	}
}

// A shell's terminal is as it was after kill -9 of attach, and after a
// suspension in between.
func TestUnderAShell(t *testing.T) {
	work := t.TempDir()
	socket := startHost(t, work, `printf '\033[?1003h\033[?1006hready'; exec cat`, 80, 24)
	sh := open(t, 80, 24, t.TempDir(), "/bin/bash", "--norc", "--noprofile", "-i")
	sh.Type("bind 'set enable-bracketed-paste off'\r")
	sh.Type("stty -a > before; echo seen-$((1+1))\r")
	sh.see("seen-2")
	sh.Type(fmt.Sprintf("%s %s %s\r", os.Args[0], attachCommand, socket))
	sh.see("ready")
	pid := func() int {
		t.Helper()
		out, err := exec.Command("pgrep", "-P", fmt.Sprint(sh.cmd.Process.Pid)).Output()
		if err != nil {
			t.Fatalf("find attach: %v", err)
		}
		var pid int
		fmt.Sscan(string(out), &pid)
		return pid
	}
	attached := pid()
	syscall.Kill(attached, syscall.SIGTSTP)
	sh.wait("the shell", func(v console.View) bool { return !v.Alternate && v.Contains("Stopped") })
	sh.restored()
	sh.Type("stty -a > between; echo seen-$((1+2))\r")
	sh.see("seen-3")
	sh.Type("fg\r")
	sh.wait("the session", func(v console.View) bool { return v.Alternate && v.Contains("ready") })
	sh.Type("typed")
	sh.see("typed")
	syscall.Kill(attached, syscall.SIGKILL)
	sh.wait("the shell", func(v console.View) bool { return !v.Alternate })
	sh.Type("stty -a > after; echo seen-$((2+2))\r")
	sh.see("seen-4")
	sh.restored()
	if v := sh.View(); !v.Contains("seen-2") || v.Contains("ready") {
		t.Errorf("the user's screen was changed:\n%s", v.Text)
	}
	home := sh.cmd.Dir
	want, err := os.ReadFile(filepath.Join(home, "before"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"between", "after"} {
		if got, err := os.ReadFile(filepath.Join(home, name)); err != nil || string(got) != string(want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, want)
		}
	}
}

func TestPipe(t *testing.T) {
	work := t.TempDir()
	socket := startHost(t, work, shell, 80, 24)
	cmd := exec.Command(os.Args[0], attachCommand, socket)
	cmd.Env = env(work)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	io.WriteString(in, "echo pi''ped; sleep 0.2; exit 4\r")
	in.Close() // ends only the input
	if err := cmd.Wait(); err != nil {
		t.Errorf("attach in a pipe: %v: %s", err, errs.String())
	}
	if !strings.Contains(out.String(), "piped") || !strings.Contains(errs.String(), "ended: exit code 4") {
		t.Errorf("out %q, err %q", out.String(), errs.String())
	}
}

func TestNoHost(t *testing.T) {
	cmd := exec.Command(os.Args[0], attachCommand, filepath.Join(t.TempDir(), "none"))
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "error: attach to 00000000 (test): connect to host") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestWheelScrollsBack(t *testing.T) {
	work := t.TempDir()
	socket := startHost(t, work, "for i in $(seq 1 100); do echo line $i.; done; exec cat", 80, 24)
	a := openAttach(t, socket, 80, 24)
	a.see("line 100.")
	for range 4 {
		a.Type("\x1b[<64;5;5M")
	}
	a.wait("older lines", func(v console.View) bool { return v.Contains("line 70.") && v.Contains("12 lines back") })
	a.Type("x")
	a.wait("the bottom", func(v console.View) bool {
		return v.Contains("line 100.") && v.Contains("x") && !v.Contains("line 70.")
	})
}

func TestMouseReachesTheProgram(t *testing.T) {
	work := t.TempDir()
	socket := startHost(t, work, `stty raw -echo; printf '\033[?1002h\033[?1006hready'; exec cat -v`, 80, 24)
	a := openAttach(t, socket, 80, 24)
	a.see("ready")
	a.wait("drags", func(v console.View) bool { return slices.Contains(v.Modes, 1002) })
	a.Type("\x1b[<0;7;3M")
	a.see("^[[<0;7;3M")
}

// What attach shows of a program is what the program shows.
func TestPicturesAreEqual(t *testing.T) {
	work := t.TempDir()
	var text strings.Builder
	for i := range 300 {
		fmt.Fprintf(&text, "line %d \x1b[3%dmcolour\x1b[m 日本語 é 👍🏽 %s\n", i, i%8, strings.Repeat("-", i%90))
	}
	if err := os.WriteFile(filepath.Join(work, "text"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(work, "main.c"), []byte(strings.Repeat("int main(void) { return 0; } /* comment */\n#define X \"string\"\n", 40)), 0o600); err != nil {
		t.Fatal(err)
	}
	// Its server must not outlive its client.
	if err := os.WriteFile(filepath.Join(work, "tmux.conf"), []byte("set -g destroy-unattached on\nset -g status-right ''\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, command string
		first         string // on the screen when it is ready
		keys          []string
		last          string // on the screen at the end
	}{
		{"bash", `env PS1="bash> " bash --norc --noprofile`, "bash>", []string{"ls -l --color=always /etc | head -30 | cut -c1-70; PS1='\\[\\e[1;32m\\]> \\[\\e[m\\]'\r", "echo 日本 \x1b[D\x1b[Dx; echo EN''D\r"}, "END"},
		{"less", "less -R text", "line 0", []string{" ", "G", "50g", "/line 77\r"}, "line 77"},
		{"vim", "vim -n -u NONE -c 'syntax on' -c 'set number mouse=a nofixeol' main.c", "main.c", []string{"10Gdd", "ohello 日本 END\x1b", ":split\r", "\x17j:set list\r", "gg"}, "END"},
		{"tmux", `tmux -f tmux.conf -L attach-test-$$ new-session "env PS1='$ ' ENV= sh -i"`, "$", []string{"echo one\r", "\x02%", "\x02\"", "echo tw''o\r"}, "two"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := exec.LookPath(tt.name); err != nil {
				t.Skipf("%s is not installed", tt.name)
			}
			socket := startHost(t, work, tt.command, 90, 28)
			attached := openAttach(t, socket, 90, 28)
			direct := open(t, 90, 28, work, "/bin/sh", "-c", tt.command)
			for _, o := range []*outside{attached, direct} {
				o.see(tt.first)
			}
			for _, keys := range tt.keys {
				for _, o := range []*outside{attached, direct} {
					o.Type(keys)
					o.settle()
				}
			}
			attached.see(tt.last)
			direct.see(tt.last)
			attached.settle()
			direct.settle()
			if a, d := attached.picture(), direct.picture(); a != d {
				t.Errorf("attached and direct differ:\n%s", firstDifference(a, d))
			}
		})
	}
}

// settle waits until nothing was written for a while: the end of what a
// program does has no sign of its own.
func (o *outside) settle() {
	quiet := time.NewTimer(250 * time.Millisecond)
	defer quiet.Stop()
	limit := time.After(30 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for n := -1; ; {
		select {
		case <-tick.C:
			if now := len(o.raw.Bytes()); now != n {
				n = now
				quiet.Reset(250 * time.Millisecond)
			}
		case <-quiet.C:
			return
		case <-limit:
			o.t.Fatalf("the program never rests; the screen:\n%s", o.View().Text)
		}
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	n := 0
	var out strings.Builder
	for i := range max(len(x), len(y)) {
		var p, q string
		if i < len(x) {
			p = x[i]
		}
		if i < len(y) {
			q = y[i]
		}
		if p != q {
			fmt.Fprintf(&out, "attached: %s\ndirect:   %s\n", p, q)
			if n++; n == 5 {
				break
			}
		}
	}
	return out.String()
}
