//go:build unix

package term

import (
	"os"
	"path/filepath"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/shellmarks"
	"github.com/termio-sh/termio/internal/status"
	"github.com/termio-sh/termio/vt"
)

// marksDir is the folder in a session's folder for what its shell reads.
const marksDir = "shell"

// marking gives how the session's shell is started so that it marks its
// commands; as it was to be, where that cannot be had.
func (s *session) marking(argv, env []string, sessionDir string) (newArgv, newEnv []string) {
	dir := filepath.Join(sessionDir, marksDir)
	l, ok := shellmarks.For(s.record.Shell, dir, env)
	if !ok {
		return argv, env
	}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, l.Name), []byte(l.Text), 0o600)
	}
	if err != nil {
		s.log("the shell cannot be made to mark its commands: %v", err)
		return argv, env
	}
	s.marks = true
	return l.Argv, l.Env
}

// markHeard takes a shell's mark. session.mu must be held.
func (s *session) markHeard(ev vt.Event) {
	if ev.Kind != vt.EventPromptMark {
		return
	}
	if ev.Mark == 'A' {
		s.prompted.Store(true)
	}
	s.commandEnded(ev)
}

// commandEnded tells that a plain terminal's shell has said so.
// session.mu must be held.
func (s *session) commandEnded(ev vt.Event) {
	if !s.deliveries.plain || ev.Mark != 'D' || !s.signals.allow(time.Now()) {
		return
	}
	s.commands++
	out := hostproto.Event{Type: hostproto.EventCommand, Count: s.commands}
	if ev.ExitCode >= 0 {
		out.Exit = &ev.ExitCode
	}
	s.hub.Publish(out, false)
}

// lookAtShell finds a shell that reads the next command though it never marked
// the end of the one before: its hooks were taken away meanwhile, as by a file
// that sets the prompt anew. Otherwise it would seem to work for ever. While a
// shell runs a command its terminal is in line mode, or another's.
func (s *session) lookAtShell(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := &s.lastStatus
	if s.record.Closed != nil || st.State != string(status.Working) || st.Cause.Channel != status.ChannelMark || !s.deliveries.plain {
		return
	}
	if canonical, _ := s.pty.lineMode(); canonical || s.pty.foregroundGroup() != s.child.PID {
		return
	}
	s.note(status.Event{At: now, Kind: status.KindPromptMark, Mark: 'A', ExitCode: -1})
}
