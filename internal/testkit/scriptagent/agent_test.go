//go:build unix

package scriptagent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/termio-sh/termio/internal/testkit/console"
	"github.com/termio-sh/termio/internal/testkit/scriptagent"
)

var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "scriptagent")
	if err == nil {
		program = filepath.Join(dir, "scriptagent")
		err = scriptagent.BuildTo(program)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

type agent struct {
	*console.Console
	t   *testing.T
	ctx context.Context
	raw *console.Recorder
}

func start(t *testing.T, o console.Options, args ...string) *agent {
	t.Helper()
	return startProgram(t, program, o, args...)
}

func startProgram(t *testing.T, path string, o console.Options, args ...string) *agent {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	a := &agent{t: t, ctx: ctx, raw: &console.Recorder{}}
	o.Raw = a.raw
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "SCRIPTAGENT=")
	c, err := console.Start(cmd, o)
	if err != nil {
		t.Fatal(err)
	}
	a.Console = c
	t.Cleanup(func() {
		c.Close(ctx)
		cancel()
	})
	return a
}

func (a *agent) see(text string) console.View {
	a.t.Helper()
	v, err := a.WaitText(a.ctx, text)
	if err != nil {
		a.t.Fatal(err)
	}
	return v
}

func (a *agent) until(what string, fits func(console.View) bool) console.View {
	a.t.Helper()
	v, err := a.Wait(a.ctx, what, fits)
	if err != nil {
		a.t.Fatal(err)
	}
	return v
}

func (a *agent) exits(code int) {
	a.t.Helper()
	if got, err := a.WaitExit(a.ctx); err != nil || got != code {
		a.t.Errorf("exit code %d (%v), want %d; the screen:\n%s", got, err, code, a.View().Text)
	}
}

func TestAnswersAndLeaves(t *testing.T) {
	t.Parallel()
	a := start(t, console.Options{})
	a.see("is ready")
	a.Type("hello\r")
	a.see("You said: hello")
	a.Type("work 30\r")
	a.see("worked 30 ms")
	a.Type("exit 4\r")
	a.exits(4)
}

func TestModesAreSetWhenReadyAndGivenBack(t *testing.T) {
	t.Parallel()
	a := start(t, console.Options{}, "-alt", "-paste", "-kitty", "5")
	v := a.see("is ready")
	if !v.Alternate || !slices.Equal(v.Modes, []int{1049, 2004}) || !slices.Equal(v.KeyFlags, []int{5}) {
		t.Errorf("ready with alternate %v, modes %v, keys %v", v.Alternate, v.Modes, v.KeyFlags)
	}
	a.Paste("say two\nlines")
	a.Type("\x1b[13u")
	a.see("two\nlines")
	a.Type("exit 0\r")
	a.exits(0)
	v = a.until("the modes' end", func(v console.View) bool { return v.Contains("bye") })
	if v.Alternate || len(v.Modes) != 0 || len(v.KeyFlags) != 0 {
		t.Errorf("left with alternate %v, modes %v, keys %v", v.Alternate, v.Modes, v.KeyFlags)
	}
}

func TestInputWhileBooting(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flags       string
		echoed, got bool
	}{
		{"-boot=150ms", false, true},
		{"-boot=150ms -eat", false, false},
		{"-boot=150ms -cooked-boot", true, false},
	} {
		t.Run(c.flags, func(t *testing.T) {
			t.Parallel()
			a := start(t, console.Options{}, strings.Fields(c.flags)...)
			a.see("booting")
			a.Type("early\r")
			a.see("is ready")
			a.Type("late\r")
			text := a.see("You said: late").Text
			before, _, _ := strings.Cut(text, "is ready")
			if strings.Contains(before, "early") != c.echoed {
				t.Errorf("echoed while booting: want %v; the screen:\n%s", c.echoed, text)
			}
			if strings.Contains(text, "You said: early") != c.got {
				t.Errorf("got the early line: want %v; the screen:\n%s", c.got, text)
			}
		})
	}
}

func TestDies(t *testing.T) {
	t.Parallel()
	a := start(t, console.Options{}, "-die", "17", "-last", "no key\ngiving up")
	a.see("no key giving up")
	a.exits(17)
	a = start(t, console.Options{}, "-die-mid-turn", "9")
	a.see("is ready")
	a.Type("anything\r")
	a.see("working on it")
	a.exits(9)
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{
		"1": "answered: Red", "2": "answered: Blue", "\r": "answered: Red", "\x1b[B\r": "answered: Blue", "\x1b": "interrupted",
	} {
		for _, flags := range [][]string{nil, {"-alt"}} {
			a := start(t, console.Options{}, flags...)
			a.see("is ready")
			a.Type("ask Which colour?\r")
			a.see("Which colour? ❯ 1. Red 2. Blue")
			a.Type(keys)
			a.see(want)
		}
	}
}

func TestInterruptAndQueue(t *testing.T) {
	t.Parallel()
	a := start(t, console.Options{})
	a.see("is ready")
	a.Type("hang\r")
	a.see("working…")
	a.Type("say next\r")
	a.see("queued: say next")
	a.Type("\x1b")
	v := a.see("interrupted next")
	if strings.Contains(v.Text, "You said: hang") {
		t.Errorf("an interrupted turn answered:\n%s", v.Text)
	}
}

func TestHoldIsReleasedByTheTest(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	a := start(t, console.Options{})
	a.see("is ready")
	a.Type("hold " + fifo + "\r")
	a.see("working…")
	f, err := os.OpenFile(fifo, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	a.see("released")
}

func TestReadingTempers(t *testing.T) {
	t.Parallel()
	a := start(t, console.Options{}, "-echo=false")
	a.see("is ready")
	a.Type("secret\r")
	if v := a.see("You said: secret"); strings.Contains(v.Text, "> secret") {
		t.Errorf("echoed:\n%s", v.Text)
	}

	a = start(t, console.Options{}, "-burst")
	a.see("is ready")
	a.Type("one\rtwo")
	a.see("> one two")
	a.Type("\r")
	a.see("You said: one two")

	a = start(t, console.Options{}, "-never-reads", "-redraw", "20")
	a.see("frame 3")
	a.Type("hello\r")
	n := 0
	a.until("ten more frames", func(v console.View) bool {
		n++
		return n > 10
	})
	if v := a.View(); strings.Contains(v.Text, "hello") {
		t.Errorf("it read:\n%s", v.Text)
	}
}

// Linux keeps 4,096 bytes of a line, its end included, and drops the rest.
func TestCanonicalReader(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("skipped: the length of a line that a terminal keeps is known for Linux only")
	}
	record := filepath.Join(t.TempDir(), "record")
	a := start(t, console.Options{Rows: 40, Cols: 250}, "-canonical", "-record", record)
	a.see("is ready")
	a.Type(strings.Repeat("x", 5000) + "\r")
	a.see("… (4095 bytes)")
	got, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 4096 {
		t.Errorf("a canonical reader got %d bytes", len(got))
	}
}

func TestFlood(t *testing.T) {
	t.Parallel()
	a := start(t, console.Options{})
	a.see("is ready")
	before := len(a.raw.Bytes())
	a.Type("flood 300000\r")
	a.see("flooded 300000")
	if n := len(a.raw.Bytes()) - before; n < 300000 || n > 300200 {
		t.Errorf("%d bytes came", n)
	}
}

func TestStatusReports(t *testing.T) {
	t.Parallel()
	reports := func(v console.View) string {
		var out []string
		for _, o := range v.OSCs {
			if r, ok := strings.CutPrefix(o, "7501;state="); ok {
				out = append(out, strings.SplitN(r, ":", 2)[0])
			}
		}
		return strings.Join(out, " ")
	}
	a := start(t, console.Options{}, "-status", "asked", "-titles", "-progress")
	a.until("idle", func(v console.View) bool { return reports(v) == "idle" })
	a.Type("work 10\r")
	a.until("done", func(v console.View) bool { return reports(v) == "idle working done" })
	a.Type("allow touch x\r")
	v := a.until("blocked", func(v console.View) bool { return reports(v) == "idle working done working blocked" })
	if last := v.OSCs[len(v.OSCs)-1]; last != "7501;state=blocked:kind=permission:app=scriptagent:msg=YXBwcm92ZTogdG91Y2ggeA==" {
		t.Errorf("blocked says %q", last)
	}
	a.Type("\x1b")
	v = a.until("idle", func(v console.View) bool { return strings.HasSuffix(reports(v), "blocked idle") })
	if !slices.Contains(v.Titles, "◐ scriptagent") || v.Title() != "✳ scriptagent" {
		t.Errorf("titles %q", v.Titles)
	}
	if !slices.Contains(v.OSCs, "9;4;3;0") || !slices.Contains(v.OSCs, "9;4;0;0") {
		t.Errorf("no progress among %q", v.OSCs)
	}

	a = start(t, console.Options{NoProgramStatus: true}, "-status", "asked")
	a.see("is ready")
	a.Type("hello\r")
	if v := a.see("You said: hello"); reports(v) != "" {
		t.Errorf("reported without an answer to its query: %q", v.OSCs)
	}
}

func TestHooksTranscriptAndRotation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := filepath.Join(dir, "hooks")
	a := start(t, console.Options{}, "-hook", "cat >> "+log+"; echo >> "+log, "-transcript", dir, "-session-id", "one")
	a.see("is ready, session one")
	a.Type("hello\r")
	a.see("You said: hello")
	a.Type("rotate\r")
	a.see("session ") // the new id follows; the transcript below tells more
	a.Type("exit 0\r")
	a.exits(0)
	raw, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var events []string
	for _, line := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		_, rest, _ := strings.Cut(line, `"hook_event_name":"`)
		name, _, _ := strings.Cut(rest, `"`)
		events = append(events, name)
	}
	want := "SessionStart UserPromptSubmit Stop UserPromptSubmit SessionEnd SessionStart Stop UserPromptSubmit SessionEnd"
	if got := strings.Join(events, " "); got != want {
		t.Errorf("events %s, want %s", got, want)
	}
	text, err := os.ReadFile(filepath.Join(dir, "one.jsonl"))
	if err != nil || strings.Count(string(text), "\n") != 3 {
		t.Errorf("transcript (%v):\n%s", err, text)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl")); len(files) != 2 {
		t.Errorf("transcripts %v, want two", files)
	}
}

func TestReplacesItself(t *testing.T) {
	t.Parallel()
	own := filepath.Join(t.TempDir(), "agent")
	raw, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(own, raw, 0o755); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(own)
	if err != nil {
		t.Fatal(err)
	}
	a := startProgram(t, own, console.Options{}, "-session-id", "first")
	a.see("session first")
	a.Type("exec -session-id second\r")
	a.see("session second")
	a.Type("update\r")
	a.exits(0)
	after, err := os.Stat(own)
	if err != nil {
		t.Fatal(err)
	}
	if os.SameFile(before, after) {
		t.Error("the executable is the same file as before")
	}
}

func TestChildrenOutliveItsGroup(t *testing.T) {
	t.Parallel()
	pids := filepath.Join(t.TempDir(), "pids")
	a := start(t, console.Options{}, "-children", "child,group,session,orphan,ignoring", "-ignore", "hup,term", "-pids", pids)
	a.see("is ready")
	raw, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, line := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		var kind string
		var pid int
		if _, err := fmt.Sscan(line, &kind, &pid); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		found[kind] = pid
		t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) })
	}
	self := found["agent"]
	groups, sessions := map[string]bool{}, map[string]bool{}
	for kind, pid := range found {
		pgid, err1 := unix.Getpgid(pid)
		sid, err2 := unix.Getsid(pid)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatalf("%s %d: %v", kind, pid, err)
		}
		groups[kind], sessions[kind] = pgid == self, sid == self
	}
	want := func(what string, got map[string]bool, inside ...string) {
		for kind, in := range got {
			if in != slices.Contains(inside, kind) {
				t.Errorf("%s is in the agent's %s: %v", kind, what, in)
			}
		}
	}
	want("group", groups, "agent", "child")
	want("session", sessions, "agent", "child", "group")
	if len(found) != 6 {
		t.Errorf("started %v", found)
	}
	// The agent ignores TERM; the question is whether it still answers.
	if err := syscall.Kill(self, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	a.Type("hello\r")
	a.see("You said: hello")
}
