//go:build unix

package term

import (
	"testing"

	proc "github.com/termio-sh/termio/internal/host/process"
)

func TestOnlyTheOuterAgentSpeaks(t *testing.T) {
	line := func(names ...string) (out []proc.Relative) {
		pids := map[string]int{}
		for i, n := range names {
			pids[n]++
			out = append(out, proc.Relative{Process: proc.Process{PID: 100*len(n) + i - len(names)}, Name: n})
		}
		return out
	}
	// The ids are counted from the root, so that equal roots are equal.
	agent := line("termio-hook", "sh", "claude")
	root := agent[2].Process
	at := func(names ...string) []proc.Relative {
		l := line(names...)
		for i := range l {
			if l[i].Name == "claude" && i == len(l)-1 {
				l[i].Process = root
			}
		}
		return l
	}
	yes := func(proc.Process) bool { return true }
	no := func(proc.Process) bool { return false }
	for _, c := range []struct {
		name  string
		line  []proc.Relative
		alive func(proc.Process) bool
		want  bool
	}{
		{"the agent again", at("termio-hook", "sh", "claude"), yes, true},
		{"without a shell", at("termio-hook", "claude"), yes, true},
		{"a part of itself", at("termio-hook", "sh", "node", "claude"), yes, true},
		{"an agent in its shell", at("termio-hook", "sh", "codex", "bash", "claude"), yes, false},
		{"one deeper still", at("termio-hook", "bash", "node", "timeout", "zsh", "node", "claude"), yes, false},
		{"a plugin's of an agent in its shell", at("termio-hook", "opencode", "sh", "claude"), yes, false},
		{"its own command in its shell", at("termio-hook", "bash", "claude"), yes, true},
		{"another one beside it", at("termio-hook", "sh", "codex", "bash"), yes, true},
		{"the next one when it has gone", at("termio-hook", "sh", "codex", "bash", "claude"), no, true},
		{"nothing known", nil, yes, true},
		{"only the reporter", at("termio-hook"), yes, true},
	} {
		s := speaker{root}
		if got := s.accepts(c.line, c.alive); got != c.want {
			t.Errorf("%s: counts %v, want %v", c.name, got, c.want)
		}
	}
	var s speaker
	if !s.accepts(agent, yes) || s.Process != root {
		t.Errorf("the first that reports is %+v, want %+v", s, root)
	}
}
