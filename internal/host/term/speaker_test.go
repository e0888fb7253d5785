//go:build unix

package term

import "testing"

func TestOnlyTheOuterAgentSpeaks(t *testing.T) {
	line := func(names ...string) (out []relative) {
		pids := map[string]int{}
		for i, n := range names {
			pids[n]++
			out = append(out, relative{process: process{pid: 100*len(n) + i - len(names)}, name: n})
		}
		return out
	}
	// The ids are counted from the root, so that equal roots are equal.
	agent := line("termio-hook", "sh", "claude")
	root := agent[2].process
	at := func(names ...string) []relative {
		l := line(names...)
		for i := range l {
			if l[i].name == "claude" && i == len(l)-1 {
				l[i].process = root
			}
		}
		return l
	}
	yes := func(process) bool { return true }
	no := func(process) bool { return false }
	for _, c := range []struct {
		name  string
		line  []relative
		alive func(process) bool
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
	if !s.accepts(agent, yes) || s.process != root {
		t.Errorf("the first that reports is %+v, want %+v", s, root)
	}
}
