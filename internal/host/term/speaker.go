//go:build unix

package term

import (
	"slices"

	proc "github.com/termio-sh/termio/internal/host/process"
)

// An agent's children inherit its environment, and an agent that it starts in
// its shell reports to the same session. Only the outer one's reports count.

var shells = []string{"sh", "ash", "bash", "dash", "fish", "ksh", "mksh", "zsh", "busybox"}

// speaker is the process whose hooks speak for the session: the first that
// reported, for as long as it lives.
type speaker struct{ proc.Process }

// accepts tells whether a report counts that comes from line[0], whose
// ancestors follow. A report of which nothing is known counts.
func (s *speaker) accepts(line []proc.Relative, alive func(proc.Process) bool) bool {
	isShell := func(r proc.Relative) bool { return slices.Contains(shells, r.Name) }
	from := 1
	for from < len(line) && isShell(line[from]) {
		from++ // what runs the hook's command
	}
	if from >= len(line) {
		return true
	}
	agent := line[from].Process
	if s.PID == 0 || !alive(s.Process) {
		s.Process = agent
		return true
	}
	above := slices.IndexFunc(line[from:], func(r proc.Relative) bool { return r.Process == s.Process })
	// Between an agent and a part of itself there is no shell.
	return above <= 0 || !slices.ContainsFunc(line[from:from+above], isShell)
}
