//go:build unix

package term

import (
	"sync/atomic"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/vt"
)

// setup is a command that makes a fresh worktree ready. It runs in the
// session's own terminal, before the program, whose start counts from its end.
type setup struct {
	running atomic.Bool
	broke   atomic.Bool
	ended   atomic.Int64 // Unix nanoseconds; 0 while there was none
}

// setupLine is shell text, for any login shell, that runs a setup command with
// the POSIX shell and goes on to line only when that succeeded. Success is
// noted in the file done. The marks of a command's begin and end (OSC 133) tell
// the host; the command is shown as a shell would show it.
func setupLine(command, done, line string) string {
	script := "printf '\\033]133;C\\033\\\\\\033[2m$ %s\\033[m\\n' " + atp.Quote(oneLine(command)) + "\n" +
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
