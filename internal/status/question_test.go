package status

import (
	"slices"
	"testing"
)

// TestAsked: the counter that tells one question from the next.
func TestAsked(t *testing.T) {
	hooks := Config{Hooks: true}
	screens := Config{ScreenRules: true}
	for _, c := range []struct {
		name   string
		cfg    Config
		script string
		want   int
	}{
		{"nothing was asked", hooks, "1 7501 working\n2 7501 done", 0},
		{"each needs-you is a question", hooks, "1 7501 blocked msg=a\n2 7501 working\n3 7501 blocked msg=a", 2},
		{"the same words again are the same question", hooks, "1 7501 blocked msg=a\n2 input\n3 7501 blocked msg=a", 1},
		{"other words are another question", hooks, "1 7501 blocked msg=a\n2 7501 blocked msg=b", 2},
		{"two channels tell of one question", hooks, "1 7501 working\n2 hook attention event=PermissionRequest\n2.1 7501 blocked msg=a", 1},
		{"a hook that repeats itself unanswered", hooks, "1 hook attention q=a\n1.1 hook attention q=a", 1},
		{"a hook that repeats itself after an answer", hooks, "1 hook attention q=a\n2 input\n2.1 hook attention q=a", 2},
		{"a bell is a question, and the dialog behind it another", hooks, "1 bell\n5 hook attention q=a", 2},
		{"the chosen option moves", screens, "1 screen A changed q=Sure?\n3 input\n3.1 screen A changed q=❯_Sure?", 1},
		{"the dialog is drawn in steps", screens, "1 screen A changed q=old\n1.2 screen A changed q=Sure?", 1},
		{"another dialog after an answer", screens, "1 screen A changed q=Sure?\n1.5 input\n1.6 screen A changed q=Really?", 2},
		{"another dialog by itself", screens, "1 screen A changed q=Sure?\n3 screen A changed q=Really?", 2},
		{"a launch forgets no number", hooks, "1 7501 blocked msg=a\n2 launch\n3 7501 blocked msg=a", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _ := play(t, c.cfg, c.script)
			if got := m.Status().Asked; got != c.want {
				t.Errorf("asked %d, want %d", got, c.want)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		name string
		p    Program
		want []string
	}{
		{"as Claude Code writes them", Program{Kind: "question", Msg: "answer: Which colour? (Red · Blue)"}, []string{"Red", "Blue"}},
		{"with brackets inside", Program{Kind: "question", Msg: "answer: Which (really)? (Red (dark) · Blue)"}, []string{"Red (dark)", "Blue"}},
		{"as data", Program{Kind: "permission", Msg: "x", Options: []string{" Yes ", "", "No"}}, []string{"Yes", "No"}},
		{"a bracket that is no list", Program{Kind: "question", Msg: "answer: Which (any)"}, nil},
		{"a command is no question", Program{Kind: "permission", Msg: "approve Bash: (a · b)"}, nil},
		{"unbalanced", Program{Kind: "question", Msg: "answer: a · b)"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.p.State = "blocked"
			m := New(Config{}, epoch)
			m.Apply(Event{At: at(1), Kind: KindProgramStatus, Program: c.p})
			if got := m.Status().Options; !slices.Equal(got, c.want) {
				t.Errorf("options %q, want %q", got, c.want)
			}
			m.Apply(Event{At: at(2), Kind: KindProgramStatus, Program: Program{State: "working"}})
			if got := m.Status().Options; got != nil {
				t.Errorf("the options %q are left after the question", got)
			}
		})
	}
}
