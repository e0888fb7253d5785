package orchestrate

import (
	"fmt"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

// The bounds of --timeout (session-control document).
const (
	MinWait     = 1000 * time.Millisecond
	MaxWait     = 600_000 * time.Millisecond
	DefaultWait = 300_000 * time.Millisecond
)

// ClampWait gives the wait that ms milliseconds ask for; 0 asks for the
// default.
func ClampWait(ms int) time.Duration {
	if ms == 0 {
		return DefaultWait
	}
	const most = int(MaxWait / time.Millisecond)
	return max(time.Duration(min(max(ms, 0), most))*time.Millisecond, MinWait)
}

// causeExit is the channel of a status that the end of the program caused.
const causeExit = "exit"

// Times of a wait.
const (
	// StallTime is how long a prompt may be without any effect.
	StallTime = 5 * time.Second
	// SettleTime is how long a screen must stay as it is to count as settled,
	// where nothing else tells of turns.
	SettleTime = 1500 * time.Millisecond
	// CalmTime is the same where something would have told: a command such as
	// /clear begins no turn.
	CalmTime = 5 * time.Second
	// followTime is how long after the end of the turn in which a prompt was
	// typed its own may begin; an agent may also have taken it into that one.
	followTime = 1500 * time.Millisecond
)

// Wait finds the outcome of the turn that a payload starts. It is told what
// happens to the session, with the time, and does nothing itself. What it
// hears of before Delivered counts too: a turn can be over before the word
// that its prompt was typed has come.
//
//	delivered ─┬─ a question that was not there before ───────────────► needs-you
//	           ├─ the turn counter is higher, and the session rests ──► done, idle
//	           ├─ it is not, but the session was at work and rests ───► after followTime: the
//	           │                                                       prompt was taken into that turn
//	           ├─ the shell says that the command ended ──────────────► its state, exit code
//	           ├─ the screen changed and then stayed ─────────────────► its state
//	           ├─ nothing at all for StallTime ───────────────────────► prompt_stalled
//	           ├─ the session ended, its agent went ──────────────────► session_closed, agent_gone, boot_failed
//	           └─ the deadline ───────────────────────────────────────► timed out
type Wait struct {
	Plain    bool // a session without an agent
	Agent    string
	Deadline time.Time
	// Long says that the deadline is later than StallTime after the start: a
	// shorter wait just times out.
	Long bool

	delivered time.Time // zero: not yet
	before    hostproto.Before
	pressed   bool // something was typed that should have an effect

	heard    bool // a status
	status   hostproto.Status
	first    hostproto.Status // the first one that was heard
	question Question
	rested   time.Time // since when the state rests, after delivery
	worked   bool      // it was at work after delivery
	moved    bool      // the state is, or was, another than before delivery
	changed  bool      // so is the screen
	still    bool
	raw      bool // the program asked for keys when the screen was found still
	commands []command
	exit     *int
	ended    bool // the payload's command has

	over    bool
	outcome Outcome
}

// Outcome is how a wait ended.
type Outcome struct {
	Status   string // of the session
	TimedOut bool
	// Queued tells that the payload still waits for its turn.
	Queued bool
	// Question is set with needs-you.
	Question Question
	ExitCode *int // of a plain terminal's command, when it is known
	// Failure is set when there cannot be an outcome.
	Failure *Failure
}

// Failure is why there cannot be an outcome. Kind is one of the last kinds of
// refusal.
type Failure struct {
	Kind    Kind
	Message string
}

// Outcome gives the outcome, once there is one.
func (w *Wait) Outcome() (Outcome, bool) { return w.outcome, w.over }

// Patience is how long the screen must stay as it is for Still.
func (w *Wait) Patience() time.Duration {
	if w.before.Tells && !w.Plain {
		return CalmTime
	}
	return SettleTime
}

// Known takes the status that was there when the payload was sent: a question
// that stands is none of its turn.
func (w *Wait) Known(st hostproto.Status) { w.first, w.status, w.heard = st, st, true }

// Status takes a status of the session. One that the program's exit brought
// about is no outcome: how the session ended follows.
func (w *Wait) Status(st hostproto.Status, now time.Time) {
	if st.Cause.Channel == causeExit {
		return
	}
	if !w.heard {
		w.Known(st)
	}
	w.status = st
	w.question.See(st, now)
	w.judge(now)
}

// Delivered takes that the payload was typed, and what was so right before it
// was submitted. Pressed tells whether something was typed that a program
// reacts to.
func (w *Wait) Delivered(b hostproto.Before, pressed bool, now time.Time) {
	w.before, w.pressed, w.delivered = b, pressed, now
	w.judge(now)
}

// Changed takes that the screen is not what it was before the payload was
// typed, Still that it then stayed as it was for Patience.
func (w *Wait) Changed(now time.Time) {
	w.changed = true
	w.judge(now)
}

// Still: see Changed. Raw tells that the program reads keys, or a line that is
// not shown. What it has not read yet makes nothing still: that it stands on the
// screen is then the terminal's own echo.
func (w *Wait) Still(raw bool, now time.Time) {
	w.still, w.raw = true, raw
	w.judge(now)
	w.still = false
}

// Command takes that a shell said that its nth command ended, with its exit
// code if it said so.
func (w *Wait) Command(n int, exit *int, now time.Time) {
	if !w.Plain || len(w.commands) == maxCommands {
		return
	}
	w.commands = append(w.commands, command{n, exit})
	w.judge(now)
}

// command is the end of one; maxCommands of them are remembered until it is
// known which is the payload's.
type command struct {
	n    int
	exit *int
}

const maxCommands = 64

// ran looks for the end of the payload's own command: the first after those
// before it, and after the one that still ran.
func (w *Wait) ran() (exit *int, ok bool) {
	own := w.before.Commands + 1
	if w.before.State == Working {
		own++
	}
	for _, c := range w.commands {
		if c.n >= own {
			return c.exit, true
		}
	}
	return nil, false
}

// Failed takes that the payload could not be delivered.
func (w *Wait) Failed(f Failure) { w.end(Outcome{Failure: &f}) }

// Changes of the agent: AgentIs takes which one the session is.
func (w *Wait) AgentIs(id, title string) {
	if !w.Plain && w.Agent != "" && id != w.Agent {
		w.Failed(Failure{AgentGone, fmt.Sprintf("the agent of %s has left; the session is a plain terminal now: read its screen, or spawn another", title)})
	}
}

// Closed takes that the session ended. An agent that ended by itself is gone;
// what somebody closed, or what is no agent, is closed.
func (w *Wait) Closed(c hostproto.Closed, title string) {
	how := c.Reason
	if c.ExitCode != nil {
		how += fmt.Sprintf(", exit code %d", *c.ExitCode)
	}
	if c.Signal != "" {
		how += ", signal " + c.Signal
	}
	last := ""
	if c.LastLines != "" {
		last = "; its last lines were:\n" + c.LastLines
	}
	switch byItself := c.Reason == hostproto.ReasonExited || c.Reason == hostproto.ReasonKilled; {
	case c.Reason == hostproto.ReasonBootFailed:
		w.Failed(Failure{BootFailed, fmt.Sprintf("%s started and ended at once (%s)%s", title, how, last)})
	case byItself && !w.Plain:
		w.Failed(Failure{AgentGone, fmt.Sprintf("the agent of %s ended before its turn did (%s)%s", title, how, last)})
	default:
		w.Failed(Failure{SessionClosed, fmt.Sprintf("%s was closed before its turn ended (%s)%s", title, how, last)})
	}
}

// Tick takes the time.
func (w *Wait) Tick(now time.Time) { w.judge(now) }

// Next is when Tick is to be called if nothing happens.
func (w *Wait) Next() time.Time {
	next := w.Deadline
	sooner := func(t time.Time) {
		if t.Before(next) {
			next = t
		}
	}
	if w.raised() {
		sooner(w.question.Due())
	}
	if w.delivered.IsZero() {
		return next
	}
	if !w.rested.IsZero() {
		sooner(w.rested.Add(followTime))
	}
	if w.stalls() {
		sooner(w.delivered.Add(StallTime))
	}
	return next
}

// raised tells that a question stands which did not when the payload was sent.
func (w *Wait) raised() bool {
	st := &w.status
	if !w.heard || st.State != NeedsYou {
		return false
	}
	asked := w.first.Asked
	if !w.delivered.IsZero() {
		asked = max(asked, w.before.Asked)
	}
	if st.Asked != 0 || asked != 0 {
		return st.Asked > asked
	}
	// A host that does not count them.
	return w.first.State != NeedsYou || !w.delivered.IsZero() && w.moved
}

// stalls tells that nothing has come of the payload so far.
func (w *Wait) stalls() bool {
	return w.Long && w.pressed && !w.delivered.IsZero() && (w.Plain || w.before.State != Working) &&
		!w.moved && !w.changed && w.status.Turn <= w.before.Turn
}

func (w *Wait) judge(now time.Time) {
	if w.over {
		return
	}
	if w.raised() && !now.Before(w.question.Due()) {
		w.end(Outcome{Status: NeedsYou, Question: w.question, Queued: w.delivered.IsZero()})
		return
	}
	if !w.delivered.IsZero() {
		w.follow(now)
		if w.settled(now) {
			w.settle()
			return
		}
		if w.stalls() && !now.Before(w.delivered.Add(StallTime)) {
			w.Failed(Failure{PromptStalled, fmt.Sprintf(
				"nothing came of it in %v: neither status nor screen moved, so that no turn will come; look at the screen with `termio sessions read`", StallTime)})
			return
		}
	}
	if !now.Before(w.Deadline) {
		w.end(Outcome{Status: w.status.State, TimedOut: true, Queued: w.delivered.IsZero(), Question: w.question})
	}
}

// follow notes what the state has been since delivery.
func (w *Wait) follow(now time.Time) {
	if !w.heard {
		return
	}
	st := w.status.State
	w.moved = w.moved || st != w.before.State || w.status.Turn > w.before.Turn
	switch {
	case st == Working:
		w.worked, w.rested = true, time.Time{}
	case st == NeedsYou:
		w.rested = time.Time{}
	case w.rested.IsZero() && w.moved:
		w.rested = now
	}
}

// settled tells whether the turn is over.
func (w *Wait) settled(now time.Time) bool {
	st, b := &w.status, &w.before
	w.exit, w.ended = w.ran()
	rests := st.State == Done || st.State == Idle
	switch {
	case w.ended:
		return true
	case st.Turn > b.Turn+1: // it is, and another has begun
		return true
	case st.Turn > b.Turn && rests:
		return true
	case w.Plain && st.State == Working && (w.raw || b.State == Working && st.Turn == b.Turn):
		// A program that the shell runs, and that tells nothing of its turns:
		// one that reads keys, or that the text was typed into. Any other
		// command ends when it ends.
		return w.changed && w.still
	case st.Turn > b.Turn:
		return false // it runs
	case b.State == Working && rests, b.State == NeedsYou && rests:
		// The turn that ran has ended. An answer's own turn is that one; a
		// prompt's may begin yet.
		if b.State == NeedsYou && (w.worked || st.State == Done) {
			return true
		}
		return !w.rested.IsZero() && !now.Before(w.rested.Add(followTime))
	case st.State == Working || st.State == NeedsYou && w.first.State != NeedsYou:
		return false
	case w.worked && rests:
		return true
	}
	return w.changed && w.still
}

func (w *Wait) settle() {
	status := w.status.State
	if f, failed := acpFailure(w.status); failed {
		w.Failed(f)
		return
	}
	if w.status.Turn > w.before.Turn+1 || status == Working && w.ended {
		status = Done
	}
	w.end(Outcome{Status: status, ExitCode: w.exit, Question: w.question})
}

func (w *Wait) end(o Outcome) {
	if !w.over {
		w.over, w.outcome = true, o
	}
}
