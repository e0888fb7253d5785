package orchestrate

import (
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func at(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }

func st(state string, turn, asked int) hostproto.Status {
	return hostproto.Status{State: state, Turn: turn, Asked: asked}
}

// happening is one thing that a wait hears of, ms after the payload was sent.
type happening struct {
	ms int
	do func(w *Wait, now time.Time)
}

func status(ms int, state string, turn, asked int) happening {
	return happening{ms, func(w *Wait, now time.Time) { w.Status(st(state, turn, asked), now) }}
}

func asks(ms, turn, asked int, text string, options ...string) happening {
	return happening{ms, func(w *Wait, now time.Time) {
		s := st(NeedsYou, turn, asked)
		s.Question, s.Options = text, options
		w.Status(s, now)
	}}
}

func delivered(ms int, b hostproto.Before) happening {
	return happening{ms, func(w *Wait, now time.Time) { w.Delivered(b, true, now) }}
}

func closed(ms int, reason string) happening {
	return happening{ms, func(w *Wait, now time.Time) { w.Closed(hostproto.Closed{Reason: reason}, "it") }}
}

var (
	changed = func(ms int) happening { return happening{ms, func(w *Wait, now time.Time) { w.Changed(now) }} }
	still   = func(ms int) happening { return happening{ms, func(w *Wait, now time.Time) { w.Still(false, now) }} }
	keys    = func(ms int) happening { return happening{ms, func(w *Wait, now time.Time) { w.Still(true, now) }} }
	ends    = func(ms, n, exit int) happening {
		return happening{ms, func(w *Wait, now time.Time) { w.Command(n, &exit, now) }}
	}
	agentIs = func(ms int, id string) happening {
		return happening{ms, func(w *Wait, now time.Time) { w.AgentIs(id, "it") }}
	}
)

func before(state string, turn, asked int) hostproto.Before {
	return hostproto.Before{State: state, Turn: turn, Asked: asked, Tells: true}
}

// play tells a wait what happens and gives its outcome and when it came. Time
// passes as the wait asks for it.
func play(w *Wait, known hostproto.Status, events []happening) (Outcome, int) {
	w.Known(known)
	for i := 0; ; {
		if o, ok := w.Outcome(); ok {
			return o, 0
		}
		next := w.Next()
		now := next
		if i < len(events) && !at(events[i].ms).After(next) {
			now = at(events[i].ms)
			events[i].do(w, now)
			i++
		} else {
			w.Tick(now)
		}
		if o, ok := w.Outcome(); ok {
			return o, int(now.Sub(start) / time.Millisecond)
		}
	}
}

func TestWait(t *testing.T) {
	type want struct {
		status string // or the kind of failure
		ms     int
	}
	kinds := map[Kind]string{PromptStalled: "stalled", SessionClosed: "closed", AgentGone: "gone", BootFailed: "boot"}
	shell := hostproto.Before{State: Idle}
	for name, c := range map[string]struct {
		plain   bool
		timeout int
		known   hostproto.Status
		events  []happening
		want    want
	}{
		"a turn": {known: st(Idle, 0, 0), events: []happening{
			delivered(10, before(Idle, 0, 0)), status(20, Working, 1, 0), status(900, Done, 1, 0),
		}, want: want{Done, 900}},
		"a turn over before the word that it was delivered": {known: st(Idle, 0, 0), events: []happening{
			status(5, Working, 1, 0), status(50, Done, 1, 0), delivered(60, before(Idle, 0, 0)),
		}, want: want{Done, 60}},
		"only the end of a short turn is heard of": {known: st(Done, 3, 0), events: []happening{
			delivered(10, before(Done, 3, 0)), status(60, Done, 4, 0),
		}, want: want{Done, 60}},
		"a turn that somebody watches ends idle": {known: st(Idle, 0, 0), events: []happening{
			delivered(10, before(Idle, 0, 0)), status(20, Working, 1, 0), status(30, Idle, 1, 0),
		}, want: want{Idle, 30}},
		"the turn before is none": {known: st(Working, 1, 0), events: []happening{
			status(500, Done, 1, 0), delivered(800, before(Done, 1, 0)), status(900, Working, 2, 0), status(2000, Done, 2, 0),
		}, want: want{Done, 2000}},
		"typed into a turn, its own follows": {known: st(Working, 1, 0), events: []happening{
			delivered(10, before(Working, 1, 0)), status(500, Done, 1, 0), status(700, Working, 2, 0), status(2000, Done, 2, 0),
		}, want: want{Done, 2000}},
		"typed into a turn that takes it in": {known: st(Working, 1, 0), events: []happening{
			delivered(10, before(Working, 1, 0)), status(500, Done, 1, 0),
		}, want: want{Done, 2000}},
		"the next turn has begun already": {known: st(Idle, 0, 0), events: []happening{
			delivered(10, before(Idle, 0, 0)), status(20, Working, 1, 0), status(900, Working, 2, 0),
		}, want: want{Done, 900}},
		"a question is an answer at once, when its text is complete": {known: st(Idle, 0, 0), events: []happening{
			delivered(10, before(Idle, 0, 0)), status(20, Working, 1, 0), asks(300, 1, 1, ""), asks(350, 1, 1, "Allow?"),
		}, want: want{NeedsYou, 470}},
		"one that came as data needs no time": {known: st(Idle, 0, 0), events: []happening{
			delivered(10, before(Idle, 0, 0)), status(20, Working, 1, 0), asks(300, 1, 1, "Allow?", "Yes", "No"),
		}, want: want{NeedsYou, 300}},
		"a question that moves all the time": {known: st(Idle, 0, 0), events: []happening{
			delivered(10, before(Idle, 0, 0)), asks(300, 1, 1, "a"), asks(400, 1, 1, "b"), asks(500, 1, 1, "c"), asks(600, 1, 1, "d"), asks(700, 1, 1, "e"), asks(800, 1, 1, "f"), asks(890, 1, 1, "g"),
		}, want: want{NeedsYou, 900}},
		"the question that stood is none": {known: st(NeedsYou, 1, 1), events: []happening{
			delivered(10, before(NeedsYou, 1, 1)), asks(20, 1, 1, "Allow?"), status(100, Working, 1, 1), status(900, Done, 1, 1),
		}, want: want{Done, 900}},
		"an answer brings the next question": {known: st(NeedsYou, 1, 1), events: []happening{
			delivered(10, before(NeedsYou, 1, 1)), asks(200, 1, 2, "And this?"),
		}, want: want{NeedsYou, 320}},
		"an answer that ends the turn": {known: st(NeedsYou, 1, 1), events: []happening{
			delivered(10, before(NeedsYou, 1, 1)), status(40, Done, 1, 1),
		}, want: want{Done, 40}},
		"an answer after which it is idle for a moment": {known: st(NeedsYou, 1, 1), events: []happening{
			delivered(10, before(NeedsYou, 1, 1)), status(20, Idle, 1, 1), status(400, Working, 2, 1), status(700, Done, 2, 1),
		}, want: want{Done, 700}},
		"a question while the payload is queued": {known: st(Working, 1, 0), events: []happening{
			asks(300, 1, 1, "Allow?"),
		}, want: want{NeedsYou, 420}},
		"a host that counts no questions": {known: st(Idle, 0, 0), events: []happening{
			delivered(10, before(Idle, 0, 0)), status(20, Working, 1, 0), asks(30, 1, 0, "Allow?"),
		}, want: want{NeedsYou, 150}},
		"nothing at all": {known: st(Idle, 0, 0), events: []happening{
			delivered(1000, before(Idle, 0, 0)),
		}, want: want{"stalled", 6000}},
		"nothing at all, and little patience": {timeout: 5000, known: st(Idle, 0, 0), events: []happening{
			delivered(100, before(Idle, 0, 0)),
		}, want: want{"timed out", 5000}},
		"a screen that moves is no stall": {timeout: 20000, known: st(Idle, 0, 0), events: []happening{
			delivered(10, before(Idle, 0, 0)), changed(100),
		}, want: want{"timed out", 20000}},
		"a command of the agent's own begins no turn": {known: st(Idle, 0, 0), events: []happening{
			delivered(10, before(Idle, 0, 0)), changed(100), still(5100),
		}, want: want{Idle, 5100}},
		"a busy agent is not stalled": {timeout: 20000, known: st(Working, 1, 0), events: []happening{
			delivered(10, before(Working, 1, 0)),
		}, want: want{"timed out", 20000}},
		"a still screen in a turn is no end": {timeout: 20000, known: st(Idle, 0, 0), events: []happening{
			delivered(10, before(Idle, 0, 0)), status(20, Working, 1, 0), changed(30), still(3000),
		}, want: want{"timed out", 20000}},
		"closed": {known: st(Idle, 0, 0), events: []happening{
			delivered(10, before(Idle, 0, 0)), status(20, Working, 1, 0), closed(700, hostproto.ReasonUser),
		}, want: want{"closed", 700}},
		"its host is lost": {known: st(Idle, 0, 0), events: []happening{closed(700, hostproto.ReasonHostLost)}, want: want{"closed", 700}},
		"the agent dies": {known: st(Idle, 0, 0), events: []happening{
			delivered(10, before(Idle, 0, 0)), status(20, Working, 1, 0), closed(700, hostproto.ReasonExited),
		}, want: want{"gone", 700}},
		"a turn that only the exit ended": {known: st(Idle, 0, 0), events: []happening{
			delivered(10, before(Idle, 0, 0)), status(20, Working, 1, 0),
			{600, func(w *Wait, now time.Time) {
				s := st(Done, 1, 0)
				s.Cause.Channel = "exit"
				w.Status(s, now)
			}},
			closed(700, hostproto.ReasonExited),
		}, want: want{"gone", 700}},
		"the agent is killed":   {known: st(Idle, 0, 0), events: []happening{closed(700, hostproto.ReasonKilled)}, want: want{"gone", 700}},
		"the agent cannot boot": {known: st(Idle, 0, 0), events: []happening{closed(700, hostproto.ReasonBootFailed)}, want: want{"boot", 700}},
		"back at the shell": {known: st(Idle, 0, 0), events: []happening{
			delivered(10, before(Idle, 0, 0)), agentIs(30, "codex"), agentIs(50, "terminal"),
		}, want: want{"gone", 50}},
		"a shell that ends is closed": {plain: true, known: st(Idle, 0, 0), events: []happening{
			delivered(10, shell), closed(20, hostproto.ReasonExited),
		}, want: want{"closed", 20}},
		"a screen that settles": {plain: true, known: st(Idle, 0, 0), events: []happening{
			delivered(10, shell), changed(30), still(1530),
		}, want: want{Idle, 1530}},
		"a program of the shell's that takes the keys settles by its screen": {plain: true, known: st(Idle, 0, 0), events: []happening{
			delivered(10, shell), status(20, Working, 1, 0), changed(30), still(1000), keys(3000),
		}, want: want{Working, 3000}},
		"one that does not is waited for": {plain: true, timeout: 20_000, known: st(Idle, 0, 0), events: []happening{
			delivered(10, shell), status(20, Working, 1, 0), changed(30), still(1530), still(9000), ends(15_000, 1, 0),
		}, want: want{Done, 15_000}},
		"one that the text was typed into": {plain: true, known: st(Working, 1, 0), events: []happening{
			delivered(10, hostproto.Before{State: Working, Turn: 1}), changed(30), still(1530),
		}, want: want{Working, 1530}},
		"and that makes nothing of it": {plain: true, known: st(Working, 1, 0), events: []happening{
			delivered(10, hostproto.Before{State: Working, Turn: 1}),
		}, want: want{"stalled", 5010}},
		"a command's end by the shell's mark": {plain: true, known: st(Idle, 0, 0), events: []happening{
			delivered(10, shell), changed(15), status(20, Working, 1, 0), still(2000), ends(4000, 1, 3), status(4001, Done, 1, 0),
		}, want: want{Done, 4000}},
		"the end of the command before is none": {plain: true, known: st(Working, 1, 0), events: []happening{
			delivered(10, hostproto.Before{State: Working, Turn: 1, Commands: 4}), ends(100, 5, 0), status(101, Done, 1, 0), status(102, Working, 2, 0), ends(900, 6, 1),
		}, want: want{Done, 900}},
		"a command over before the word that it was delivered": {plain: true, known: st(Idle, 0, 0), events: []happening{
			ends(5, 3, 0), ends(20, 4, 7), delivered(30, hostproto.Before{State: Idle, Commands: 3}),
		}, want: want{Idle, 30}},
		"a shell that swallows all": {plain: true, known: st(Idle, 0, 0), events: []happening{delivered(10, shell)}, want: want{"stalled", 5010}},
		"never delivered":           {timeout: 3000, known: st(Idle, 0, 0), want: want{"timed out", 3000}},
	} {
		t.Run(name, func(t *testing.T) {
			timeout := DefaultWait
			if c.timeout > 0 {
				timeout = time.Duration(c.timeout) * time.Millisecond
			}
			w := &Wait{Plain: c.plain, Agent: "codex", Deadline: start.Add(timeout), Long: timeout > StallTime}
			o, ms := play(w, c.known, c.events)
			got := o.Status
			switch {
			case o.Failure != nil:
				got = kinds[o.Failure.Kind]
				if o.Failure.Message == "" {
					t.Error("the failure says nothing")
				}
			case o.TimedOut:
				got = "timed out"
			}
			if got != c.want.status || ms != c.want.ms {
				t.Errorf("%s after %d ms, want %s after %d", got, ms, c.want.status, c.want.ms)
			}
			if o.Status == NeedsYou && !o.TimedOut && o.Question.Text == "" {
				t.Error("no question with needs-you")
			}
		})
	}
}

func TestWaitTells(t *testing.T) {
	w := &Wait{Plain: true, Deadline: start.Add(DefaultWait)}
	o, _ := play(w, st(Idle, 0, 0), []happening{ends(0, 8, 1), ends(1, 9, 7), delivered(2, hostproto.Before{State: Idle, Commands: 8})})
	if o.ExitCode == nil || *o.ExitCode != 7 {
		t.Errorf("the exit code is %v", o.ExitCode)
	}
	w = &Wait{Deadline: start.Add(DefaultWait)}
	o, _ = play(w, st(Working, 1, 0), []happening{asks(5, 1, 1, "Allow?", "Yes")})
	if !o.Queued || o.Question.Asked != 1 || o.Question.Options[0] != "Yes" {
		t.Errorf("%+v", o)
	}
	w = &Wait{Deadline: start.Add(DefaultWait)}
	code := 3
	w.Closed(hostproto.Closed{Reason: hostproto.ReasonExited, ExitCode: &code, LastLines: "panic"}, `"t"`)
	if o, _ := w.Outcome(); !strings.Contains(o.Failure.Message, `"t"`) || !strings.Contains(o.Failure.Message, "exit code 3") || !strings.Contains(o.Failure.Message, "panic") {
		t.Error(o.Failure.Message)
	}
}

func TestClampWait(t *testing.T) {
	for ms, want := range map[int]time.Duration{
		0: DefaultWait, 1: MinWait, 999: MinWait, 1000: MinWait, 120000: 2 * time.Minute, 600000: MaxWait, 600001: MaxWait, 1 << 40: MaxWait,
	} {
		if got := ClampWait(ms); got != want {
			t.Errorf("ClampWait(%d) is %v, want %v", ms, got, want)
		}
	}
}
