package e2e

import (
	"fmt"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/testkit/fakemodel"
)

// mode is how an agent got its hooks.
type mode string

const (
	injected  mode = "injected"  // for one launch
	installed mode = "installed" // in the agent's own config
	neither   mode = "neither"
)

// script says how one agent is driven and what must be told of it.
type script struct {
	kit, agent string
	// not says why a way of giving hooks does not exist.
	not map[mode]string
	// interrupt, approve, reject, answer and exit are the keys.
	interrupt, approve, reject, answer []string
	// question stands on the screen when the agent asks.
	question string
	// dialog stands on the screen before the first prompt where hooks are
	// installed, and dialogKeys end it.
	dialog     string
	dialogKeys []string
	acts       []act
}

// act is something that is done to an agent, and the states that must be told
// of it, in order, and nothing else.
type act struct {
	name string
	want string
	// other are the wants of a mode that sees something else; why says so.
	other map[mode]string
	// or is told instead at times; why says so.
	or string
	// why is the reason where the want is not what one would expect.
	why  string
	skip string
	do   func(*timeline, act) []cause
}

func (a act) in(m mode) act {
	if w, ok := a.other[m]; ok {
		a.want = w
	}
	return a
}

func any1(fakemodel.Request) bool { return true }

func final(r fakemodel.Request) bool { return r.ToolResult != nil }

// turn: a prompt, an answer that begins and goes on, the end. What was typed
// before makes idle of done.
func turn(tl *timeline, a act) []cause {
	tl.prompts++
	name := fmt.Sprintf("t%d", tl.prompts)
	gate := tl.model.Gate(name)
	enter := tl.submit("HOLD:" + name + " please")
	if err := gate.Wait(tl.ctx); err != nil {
		tl.t.Fatal(err)
	}
	asked := tl.asks()
	tl.reaches(tl.at1(a, "working"), "working")
	tl.quiet(tl.ctx, 100*time.Millisecond)
	time.Sleep(700 * time.Millisecond)
	end, rest := tl.expect(shown("Released now.")), tl.resting()
	gate.Open()
	return tl.causes(a, enter, asked, later(tl.answers(any1), tl.await(end, "the answer"), tl.rested(rest)))
}

// at1 is the place of a state in what an act wants, from 1.
func (tl *timeline) at1(a act, state string) int {
	for i, s := range strings.Fields(a.want) {
		if s == state {
			return i + 1
		}
	}
	tl.t.Fatalf("%s never is %s", a.name, state)
	return 0
}

// causes puts the cause of idle, which is that something was typed, before the
// others, when the act begins with it.
func (tl *timeline) causes(a act, enter cause, rest ...cause) []cause {
	rest[0] = later(enter, rest[0])
	if strings.Fields(a.want)[0] == "idle" {
		return append([]cause{{tl.typing, "typing"}}, rest...)
	}
	return rest
}

// permission: the agent asks whether a command may run, and may run it.
func permission(tl *timeline, a act) []cause {
	dialog := tl.expect(shown(tl.signs.Permission))
	enter := tl.submit("please TOOL now")
	asked := tl.asks()
	visible := later(tl.answers(any1), tl.await(dialog, "the question"))
	tl.reaches(tl.at1(a, "needs-you"), "needs-you")
	time.Sleep(after)
	left := tl.expect(gone(tl.signs.Permission))
	end := tl.expect(shown("The tool finished."))
	yes := tl.presses(tl.script.approve, "the answer's key", vanished(left))
	goes := later(yes, tl.await(left, "no question"))
	rest := tl.resting()
	done := later(tl.answers(final), tl.await(end, "the answer"), tl.rested(rest))
	if !tl.ran() {
		tl.t.Error("the command that was allowed did not run")
	}
	return tl.causes(a, enter, asked, visible, goes, done)
}

// rejection: the agent asks, and is told no by Esc.
func rejection(tl *timeline, a act) []cause {
	dialog := tl.expect(shown(tl.signs.Permission))
	enter := tl.submit("please TOOL now")
	asked := tl.asks()
	visible := later(tl.answers(any1), tl.await(dialog, "the question"))
	tl.reaches(tl.at1(a, "needs-you"), "needs-you")
	time.Sleep(after)
	left := tl.expect(gone(tl.signs.Permission))
	rest := tl.resting()
	no := tl.presses(tl.script.reject, "Esc", vanished(left))
	goes := later(no, tl.await(left, "no question"), tl.rested(rest))
	out := []cause{asked, visible, goes}
	if n := len(strings.Fields(a.want)); strings.Fields(a.want)[n-2] == "working" { // it goes on by itself
		out = append(out, tl.answers(final))
	}
	if tl.ran() {
		tl.t.Error("the command that was rejected ran")
	}
	return tl.causes(a, enter, out...)
}

// interruption: a turn that is stopped in the middle.
func interruption(tl *timeline, a act) []cause {
	tl.prompts++
	name := fmt.Sprintf("t%d", tl.prompts)
	gate := tl.model.Gate(name)
	enter := tl.submit("HOLD:" + name + " please")
	if err := gate.Wait(tl.ctx); err != nil {
		tl.t.Fatal(err)
	}
	asked := tl.asks()
	tl.reaches(tl.at1(a, "working"), "working")
	time.Sleep(700 * time.Millisecond)
	rest := tl.resting()
	esc := tl.presses(tl.script.interrupt, "the interrupt", tl.came(tl.at1(a, "done")))
	stopped := tl.answers(func(r fakemodel.Request) bool { return r.Outcome == fakemodel.Aborted })
	return tl.causes(a, enter, asked, later(esc, stopped, tl.rested(rest)))
}

// question: the agent asks the user something, and is answered.
func question(tl *timeline, a act) []cause {
	dialog := tl.expect(shown(tl.script.question))
	enter := tl.submit("a QUESTION for me")
	asked := tl.asks()
	visible := later(tl.answers(any1), tl.await(dialog, "the question"))
	tl.reaches(tl.at1(a, "needs-you"), "needs-you")
	time.Sleep(after)
	left := tl.expect(gone(tl.script.question))
	end := tl.expect(shown("The tool finished."))
	yes := tl.presses(tl.script.answer, "the answer's key", vanished(left))
	goes := later(yes, tl.await(left, "no question"))
	rest := tl.resting()
	return tl.causes(a, enter, asked, visible, goes, later(tl.answers(final), tl.await(end, "the answer"), tl.rested(rest)))
}

// failure: the model refuses, and the agent gives up.
func failure(prompt string) func(*timeline, act) []cause {
	return func(tl *timeline, a act) []cause {
		enter := tl.submit(prompt)
		asked := tl.asks()
		tl.reaches(tl.at1(a, "working"), "working")
		rest := tl.resting()
		tl.reaches(tl.at1(a, "done"), "done")
		var last fakemodel.Request
		for _, r := range tl.model.Requests() {
			if r.ID > tl.said && !r.Side() && !r.Ended.IsZero() {
				last = r
			}
		}
		return tl.causes(a, enter, asked, later(cause{last.Ended, "the model's last refusal"}, tl.rested(rest)))
	}
}

// started: the agent has come up, and nothing was done to it but what its own
// dialog asked for.
func started(_ *timeline, a act) []cause {
	return make([]cause, len(strings.Fields(a.want))) // without a bound
}

// retrying: the model refuses, the agent tries again and again, and is
// interrupted.
func retrying(tl *timeline, a act) []cause {
	enter := tl.submit("FAIL please")
	asked := tl.asks()
	tl.reaches(tl.at1(a, "working"), "working")
	time.Sleep(2 * time.Second)
	rest := tl.resting()
	esc := tl.presses(tl.script.interrupt, "the interrupt", tl.came(tl.at1(a, "done")))
	return tl.causes(a, enter, asked, later(esc, tl.rested(rest)))
}

// cleared: a conversation begins anew, which is no turn.
func cleared(command string) func(*timeline, act) []cause {
	return func(tl *timeline, a act) []cause {
		tl.submit(command)
		// There is no sign on the screen that all agents give.
		time.Sleep(2 * time.Second)
		tl.rests()
		return []cause{{tl.typing, "typing"}}
	}
}

// left: the agent is told to go.
func left(command string) func(*timeline, act) []cause {
	return func(tl *timeline, _ act) []cause { return []cause{tl.submit(command)} }
}
