//go:build unix

package term

import "slices"

// An agent's children inherit its environment, and an agent that it starts in
// its shell reports to the same session. Only the outer one's reports count.

// relative is a process on the way from a reporter up to the host.
type relative struct {
	process
	name string // of its program, as the system shortens it
}

var shells = []string{"sh", "ash", "bash", "dash", "fish", "ksh", "mksh", "zsh", "busybox"}

// speaker is the process whose hooks speak for the session: the first that
// reported, for as long as it lives.
type speaker struct{ process }

// accepts tells whether a report counts that comes from line[0], whose
// ancestors follow. A report of which nothing is known counts.
func (s *speaker) accepts(line []relative, alive func(process) bool) bool {
	isShell := func(r relative) bool { return slices.Contains(shells, r.name) }
	from := 1
	for from < len(line) && isShell(line[from]) {
		from++ // what runs the hook's command
	}
	if from >= len(line) {
		return true
	}
	agent := line[from].process
	if s.pid == 0 || !alive(s.process) {
		s.process = agent
		return true
	}
	above := slices.IndexFunc(line[from:], func(r relative) bool { return r.process == s.process })
	// Between an agent and a part of itself there is no shell.
	return above <= 0 || !slices.ContainsFunc(line[from:from+above], isShell)
}
