//go:build unix

package term

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/filelock"
	"github.com/termio-sh/termio/vt"
)

// setup is a command that makes a fresh worktree ready. It runs in the
// session's own terminal, before the program, whose start counts from its end.
type setup struct {
	running atomic.Bool
	broke   atomic.Bool
	ended   atomic.Int64 // Unix nanoseconds; 0 while there was none
	lock    atomic.Pointer[filelock.Lock]
	pipe    *os.File // says when it is its turn
}

// turnName is the pipe, in a session's folder, from which its setup reads when
// it is its turn.
const turnName = "setup.turn"

// What the pipe says, a line each.
const (
	turnWait = "wait" // another session makes the worktree ready
	turnGo   = "go"
	turnDone = "done" // it is ready
)

// queue lets one session at a time run a worktree's setup; the next ones find
// it done. It holds the lock beside the file done, which ends with this process
// at the latest, until the setup has ended.
func (u *setup) queue(pipe, done string, logf func(string, ...any)) error {
	if err := os.Remove(pipe); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("make the setup's pipe: %w", err)
	}
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		return fmt.Errorf("make the setup's pipe %s: %w", pipe, err)
	}
	f, err := os.OpenFile(pipe, os.O_RDWR, 0) // with a reader's right, so that it need not wait for one
	if err != nil {
		return fmt.Errorf("open the setup's pipe: %w", err)
	}
	u.pipe = f // what was written is lost when nobody has it open
	say := func(what string) {
		if _, err := f.WriteString(what + "\n"); err != nil {
			logf("tell the setup when it is its turn: %v", err)
		}
	}
	path := done + ".lock"
	lock, err := filelock.Try(path)
	if err == nil {
		u.begin(lock, done, say)
		return nil
	}
	if !errors.Is(err, filelock.ErrHeld) {
		logf("%v; the setup runs without", err)
		say(turnGo)
		return nil
	}
	say(turnWait)
	go func() {
		lock, err := filelock.Hold(path)
		if err != nil {
			logf("%v; the setup runs without", err)
		}
		u.begin(lock, done, say)
	}()
	return nil
}

// begin says that it is the setup's turn.
func (u *setup) begin(lock *filelock.Lock, done string, say func(string)) {
	if lock != nil {
		u.lock.Store(lock)
	}
	if _, err := os.Stat(done); err == nil {
		say(turnDone)
		return
	}
	say(turnGo)
}

// setupLine is shell text, for any login shell, that runs a setup command with
// the POSIX shell, when the pipe says that it is its turn, and goes on to line
// only when that succeeded. Success is noted in the file done. The marks of a
// command's begin and end (OSC 133) tell the host; the command is shown as a
// shell would show it.
func setupLine(command, done, pipe, line string) string {
	script := "exec 3<" + atp.Quote(pipe) + "\n" +
		"read -r turn <&3\n" +
		"if [ \"$turn\" = " + turnWait + " ]; then\n" +
		"printf '\\033[2mAnother session makes this worktree ready …\\033[m\\n'\nread -r turn <&3\nfi\n" +
		"exec 3<&-\n" +
		"if [ \"$turn\" = " + turnDone + " ]; then printf '\\033]133;D;0\\033\\\\'; exit 0; fi\n" +
		"printf '\\033]133;C\\033\\\\\\033[2m$ %s\\033[m\\n' " + atp.Quote(oneLine(command)) + "\n" +
		"(\n" + command + "\n)\n" +
		"code=$?\n" +
		"if [ $code -eq 0 ]; then : > " + atp.Quote(done) + "; else " +
		"printf 'termio: the setup command failed with exit code %d, so the agent was not started\\n' $code; fi\n" +
		"printf '\\033]133;D;%d\\033\\\\' $code\n" +
		"exit $code"
	return "sh -c " + atp.Quote(script) + " || exit; " + line // exit: with its code, in every shell
}

// oneLine shortens a command for showing it.
func oneLine(s string) string { return cut(visible(s), 200) }

// heard takes a mark of the setup command's end.
func (u *setup) heard(ev vt.Event) {
	if ev.Kind == vt.EventPromptMark && ev.Mark == 'D' && u.running.CompareAndSwap(true, false) {
		u.broke.Store(ev.ExitCode != 0)
		u.ended.Store(time.Now().UnixNano())
		if lock := u.lock.Swap(nil); lock != nil {
			lock.Release() // closing a file that was only locked cannot fail
		}
	}
}

// failed reports whether the program was never started.
func (u *setup) failed() bool { return u.running.Load() || u.broke.Load() }

// start is when the program itself began, for one that was launched at
// launched.
func (u *setup) start(launched time.Time) time.Time {
	if at := u.ended.Load(); at != 0 {
		return time.Unix(0, at)
	}
	return launched
}
