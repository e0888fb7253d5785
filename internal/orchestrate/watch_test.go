package orchestrate

import (
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

// TestSteps plays statuses and collects what is told: the status, with the
// question's number and text where there is one.
func TestSteps(t *testing.T) {
	ask := func(turn, asked int, text string) hostproto.Status {
		return hostproto.Status{State: NeedsYou, Turn: turn, Asked: asked, Question: text}
	}
	type heard struct {
		ms int
		st hostproto.Status
	}
	for name, c := range map[string]struct {
		heard []heard
		want  string
	}{
		"a turn": {[]heard{{0, st(Idle, 0, 0)}, {10, st(Working, 1, 0)}, {20, st(Done, 1, 0)}, {30, st(Idle, 1, 0)}}, "idle working done idle"},
		"what changes but the status is no step": {
			[]heard{{0, st(Idle, 0, 0)}, {10, hostproto.Status{State: Idle, Description: "x"}}, {20, st(Working, 1, 0)}, {30, hostproto.Status{State: Working, Turn: 1, Description: "Bash"}}},
			"idle working",
		},
		"a turn of which only the end is heard": {[]heard{{0, st(Done, 1, 0)}, {10, st(Done, 2, 0)}}, "done done"},
		"an end that is not heard of":           {[]heard{{0, st(Working, 1, 0)}, {10, st(Working, 2, 0)}, {20, st(Done, 2, 0)}}, "working done working done"},
		"a question with its text": {
			[]heard{{0, st(Working, 1, 0)}, {10, ask(1, 1, "")}, {50, ask(1, 1, "Allow?")}, {60, ask(1, 1, "Allow?")}, {900, st(Working, 1, 1)}},
			"working needs-you:1:Allow? working",
		},
		"a question that is over at once": {
			[]heard{{0, st(Working, 1, 0)}, {10, ask(1, 1, "Quick?")}, {20, st(Working, 1, 1)}}, "working needs-you:1:Quick? working",
		},
		"two in a row": {
			[]heard{{0, st(Working, 1, 0)}, {10, ask(1, 1, "A?")}, {500, ask(1, 2, "B?")}, {900, ask(1, 2, "B?")}},
			"working needs-you:1:A? needs-you:2:B?",
		},
		"two so fast that the first is still drawn": {
			[]heard{{0, st(Working, 1, 0)}, {10, ask(1, 1, "A?")}, {20, ask(1, 2, "B?")}}, "working needs-you:1:A? needs-you:2:B?",
		},
		"the same question drawn anew": {
			[]heard{{0, st(Working, 1, 0)}, {10, ask(1, 1, "A?")}, {500, ask(1, 1, "A ?")}}, "working needs-you:1:A?",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var s Steps
			var told []string
			tell := func(steps []Step) {
				for _, p := range steps {
					text := p.Status
					if p.Status == NeedsYou {
						text += ":" + string(rune('0'+p.Asked)) + ":" + p.Prompt
					}
					told = append(told, text)
				}
			}
			until := func(now time.Time) {
				for d := s.Deadline(); !d.IsZero() && !d.After(now); d = s.Deadline() {
					tell(s.Tick(d))
				}
			}
			for _, h := range c.heard {
				until(at(h.ms))
				tell(s.See(h.st, at(h.ms)))
			}
			until(at(60_000))
			if got := strings.Join(told, " "); got != c.want {
				t.Errorf("told %q, want %q", got, c.want)
			}
		})
	}
}

func TestStepsOfAnEnd(t *testing.T) {
	var s Steps
	s.Known(st(Working, 1, 0), at(0))
	if got := s.See(st(Working, 1, 0), at(1)); len(got) != 0 {
		t.Errorf("what was known is told: %v", got)
	}
	if got := s.Closed(); len(got) != 1 || got[0].Status != Closed {
		t.Errorf("told %v", got)
	}
	if got := s.Closed(); len(got) != 0 {
		t.Errorf("told twice: %v", got)
	}
}
