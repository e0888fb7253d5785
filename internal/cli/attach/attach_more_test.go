//go:build unix

package attach

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/testkit/console"
)

// A viewer that was stopped while megabytes came shows the end of them.
func TestStoppedViewerCatchesUp(t *testing.T) {
	work := t.TempDir()
	socket := startHost(t, work, shell, 80, 24)
	a := openAttach(t, socket, 80, 24)
	a.see("$")
	a.Type("while [ ! -e start ]; do sleep 0.02; done; seq 1 1500000; echo do$((1))ne; touch finished\r")
	a.see("seq 1 1500000")
	if err := a.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(work+"/start", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	waitFile(t, work+"/finished")
	if err := a.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	a.wait("the end", func(v console.View) bool { return v.Contains("1500000 do1ne") })
	a.Type("echo st$((1))ill\r")
	a.see("st1ill")
}

// waitFile waits until a program has made a file.
func waitFile(t *testing.T, name string) {
	t.Helper()
	ctx := testContext(t)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(name); err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s never came", name)
		}
	}
}

// What is pasted arrives whole, also into a program that reads it late.
func TestLargePaste(t *testing.T) {
	work := t.TempDir()
	const size = 1 << 20
	socket := startHost(t, work, fmt.Sprintf("stty raw -echo; echo ready; while [ ! -e go ]; do sleep 0.05; done; head -c %d | sha256sum; touch done; cat", size), 80, 24)
	a := openAttach(t, socket, 80, 24)
	a.see("ready")
	text := strings.Repeat("0123456789abcdef 日本\x1b[A\x1b[200~\x1c\x1b[201~\t", size/36+1)[:size]
	a.Type(text)
	if err := os.WriteFile(work+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a.see(fmt.Sprintf("%x", sha256.Sum256([]byte(text))))
}

func TestPasteNobodyReads(t *testing.T) {
	work := t.TempDir()
	socket := startHost(t, work, "stty raw -echo; echo ready; sleep 60", 80, 24)
	a := openAttach(t, socket, 80, 24)
	a.see("ready")
	a.Type(strings.Repeat("x", 4<<20) + "\x1c")
	a.see("it goes on")
	a.exits(0)
	a.restored()
}

func TestSmallerAndLargerTerminals(t *testing.T) {
	work := t.TempDir()
	socket := startHost(t, work, shell, 80, 24)
	watcher := openAttach(t, socket, 40, 10, "observe")
	watcher.see("$")
	a := openAttach(t, socket, 80, 24)
	a.see("$")
	a.Type("clear; seq 1 20; echo en$((1))d\r")
	a.see("en1d")
	watcher.wait("the cursor's part", func(v console.View) bool { return v.Contains("en1d") && !v.Contains("seq 1") })
	watcher.resize(100, 30)
	v := watcher.wait("all of it", func(v console.View) bool { return v.Contains("en1d") && strings.HasPrefix(v.Text, "1 ") })
	if !strings.Contains(v.Text, "····") {
		t.Errorf("what is outside the session is not marked:\n%s", v.Text)
	}
}

// Who attaches has seen what was done; who leaves, what was done meanwhile.
func TestAttachSees(t *testing.T) {
	work := t.TempDir()
	socket := startHost(t, work, `stty -echo; while read x; do printf '\033]7501;state=working\033\\'; printf '\033]7501;state=done\033\\turn\n'; done`, 80, 24)
	ctx := testContext(t)
	control, err := hostproto.Dial(ctx, socket, hostproto.Hello{Role: hostproto.RoleControl})
	if err != nil {
		t.Fatal(err)
	}
	defer control.Close()
	if _, err := control.Subscribe(ctx); err != nil {
		t.Fatal(err)
	}
	becomes := func(state string) {
		t.Helper()
		for {
			m, err := control.Next(ctx)
			if err != nil {
				t.Fatalf("wait for %s: %v", state, err)
			}
			if m.Event != nil && m.Event.Status != nil && m.Event.Status.State == state {
				return
			}
		}
	}
	turn := hostproto.SendRequest{Text: "go", Enter: true}
	if err := control.Call(ctx, hostproto.OpSend, turn, nil); err != nil {
		t.Fatal(err)
	}
	becomes("done")
	a := openAttach(t, socket, 80, 24)
	a.see("turn")
	becomes("idle")
	if err := control.Call(ctx, hostproto.OpSend, turn, nil); err != nil {
		t.Fatal(err)
	}
	becomes("done")
	a.Type("\x1c")
	a.exits(0)
	becomes("idle")
}

func TestInsideTmux(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	work := t.TempDir()
	socket := startHost(t, work, shell, 80, 24)
	server := "attach-" + fmt.Sprint(os.Getpid())
	tmux := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("tmux", append([]string{"-f", "/dev/null", "-L", server}, args...)...)
		cmd.Env = env(work)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %q: %v: %s", args, err, out)
		}
		return string(out)
	}
	shows := func(text string) {
		t.Helper()
		ctx := testContext(t)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			got := tmux("capture-pane", "-p")
			if strings.Contains(got, text) {
				return
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				t.Fatalf("no %q in tmux:\n%s", text, got)
			}
		}
	}
	tmux("new-session", "-d", "-x", "80", "-y", "24", "env PS1='outside> ' ENV= sh -i")
	t.Cleanup(func() { exec.Command("tmux", "-L", server, "kill-server").Run() })
	shows("outside>")
	const flags = "#{alternate_on} #{mouse_any_flag} #{cursor_flag} #{keypad_flag} #{wrap_flag}"
	before := tmux("display", "-p", flags)
	tmux("send-keys", os.Args[0]+" "+attachCommand+" "+socket, "Enter")
	shows("$\n")
	tmux("send-keys", "printf '\\033[?1003h'; echo in$((1))side 日本", "Enter")
	shows("in1side 日本")
	if got := tmux("display", "-p", flags); got == before {
		t.Errorf("nothing was taken over: %s", got)
	}
	tmux("resize-window", "-x", "100", "-y", "30")
	tmux("send-keys", "stty size", "Enter")
	shows("30 100")
	tmux("send-keys", `C-\`)
	shows("outside>")
	if got := tmux("display", "-p", flags); got != before {
		t.Errorf("flags %q, were %q", got, before)
	}
	if got := tmux("capture-pane", "-p"); strings.Contains(got, "in1side") {
		t.Errorf("the session is still on the screen:\n%s", got)
	}
}
