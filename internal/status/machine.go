package status

import (
	"strconv"
	"strings"
	"time"
)

// Thresholds. Each is a bound on how long one signal may be doubted.
const (
	// restDebounce is how long a title, progress bar or screen must be calm
	// before the turn counts as over: a spinner that pauses is no end.
	restDebounce = 600 * time.Millisecond
	// lookLag is how much later than a title a look at the screen may come.
	lookLag = 300 * time.Millisecond
	// restCertain is the same for rest that a manifest's rule tells, and that
	// is not merely the absence of work.
	restCertain = 120 * time.Millisecond
	// restUntold is how long a screen that no rule knows must stand, of an
	// agent whose rest a rule tells: it is still being drawn.
	restUntold = 1500 * time.Millisecond
	// workHold is how long work must last that is told where it is doubtful:
	// before anything was typed or submitted, since agents turn their spinner
	// while they start, and out of a question that Esc has ended.
	workHold = 250 * time.Millisecond
	// ringHold is how long a bell in a turn waits for the turn's end: many
	// programs ring for just that.
	ringHold = 600 * time.Millisecond
	// echoBell is how long after a key the bell is the answer to that key, as
	// of a shell that has nothing to complete.
	echoBell = time.Second
	// staleAfter is the silence that ends a turn which no exact channel
	// declares.
	staleAfter = 12 * time.Second
	// staleTasks is the silence, of hooks and screen, that ends a turn which
	// only tasks that hooks told of keep open: a build may take long, a server
	// in the background never ends.
	staleTasks = time.Hour
	// lateWindow is how long after a turn's end another channel's report of
	// the same end, or a tool's trailing report, may still come in.
	lateWindow = 5 * time.Second
	// lateStart is how long after a turn's start a report of the session's
	// start may still come in, which must not end it.
	lateStart = 2 * time.Second
	// launchGrace and inputQuiet are how long after launch and after typing a
	// changing screen is no sign of work.
	launchGrace = 10 * time.Second
	inputQuiet  = 3 * time.Second
)

const (
	maxCauseText = 200
	maxQuestion  = 1200
)

// Machine is the reducer of one session. It is not safe for concurrent use.
type Machine struct {
	cfg Config
	now time.Time // the newest time heard of
	out []Change  // made by the call that runs

	phase  phase
	st     Status // what is told; State, Blocking and Description follow phase
	open   bool   // a turn is open
	gone   bool   // the program ended
	born   time.Time
	opened time.Time // the last turn's start and end
	ended  time.Time
	// workBy is the most exact channel that declares the open turn's work.
	workBy string

	// blockBy is the channel of the question, blockedAt its time; declared
	// tells that its text came with it and not from the screen.
	blockBy   string
	blockedAt time.Time
	declared  bool
	// early tells that the screen asked before anybody had typed: a dialog of
	// the agent's start.
	early    bool
	question question

	program programState
	hook    hookState
	soft    softState

	input     time.Time // last typing, last submit, last Esc or Ctrl-C
	submitted time.Time
	interrupt time.Time

	rest pending // a calm that waits for restDebounce
	held pending // work that waits for workHold
	ring pending // a bell that waits for ringHold
}

// pending is a signal that waits for its time.
type pending struct {
	at    time.Time // zero: none
	cause Cause
}

func (p *pending) drop() { *p = pending{} }

// New gives the machine of a session that was just started: idle.
func New(cfg Config, at time.Time) *Machine {
	m := &Machine{cfg: cfg}
	m.reset(at)
	m.st = Status{State: Idle, Since: at, Cause: Cause{Channel: ChannelLaunch}}
	return m
}

// reset forgets everything about the program, except for what is told.
func (m *Machine) reset(at time.Time) {
	*m = Machine{cfg: m.cfg, now: at, born: at, out: m.out, phase: m.phase, st: m.st}
	m.soft.forget()
}

// Apply takes one event and gives the changes it made, in order; those that
// were due before it (see Tick) come first. An event that reports a whole turn
// makes two.
func (m *Machine) Apply(ev Event) []Change {
	m.out = nil
	if ev.At.Before(m.now) {
		ev.At = m.now
	}
	m.advance(ev.At)
	ev.Text = clip(ev.Text, maxCauseText)
	switch {
	case ev.Kind == KindLaunch:
		m.launch(ev)
	case ev.Kind == KindSeen:
		m.signal(sigSeen, Cause{Channel: ChannelSeen})
	case m.gone: // a dead program's last words mark nothing
	default:
		m.handle(ev)
	}
	return m.out
}

func (m *Machine) handle(ev Event) {
	switch ev.Kind {
	case KindProgramStatus:
		m.onProgram(ev)
	case KindReset:
		m.onReset()
	case KindPromptMark:
		m.onMark(ev)
	case KindHook:
		m.onHook(ev)
	case KindTitle:
		m.onTitle(ev)
	case KindProgress:
		m.onProgress(ev)
	case KindScreen:
		m.onScreen(ev)
	case KindFile:
		m.onFile(ev)
	case KindBell, KindNotification:
		m.onRing(ev)
	case KindInput, KindSubmit:
		m.onInput(ev)
	case KindExit:
		m.onExit(ev)
	}
}

// Deadline is when Tick must be called next if nothing happens; false when
// only an event can change anything.
func (m *Machine) Deadline() (time.Time, bool) {
	at, _ := m.due()
	return at, !at.IsZero()
}

// Tick makes the changes that are due at now, each at its own time.
func (m *Machine) Tick(now time.Time) []Change {
	m.out = nil
	m.advance(now)
	return m.out
}

// Status is the present state.
func (m *Machine) Status() Status {
	st := m.st
	st.Description = m.describe()
	return st
}

// Tells reports whether a channel would tell that a turn begins: a manifest's
// rules, or an exact channel that has spoken.
func (m *Machine) Tells() bool {
	c := m.cfg
	return !c.Plain && (c.TitleRules || c.ScreenRules || c.ProgressRules || m.exactHasSpoken())
}

func (m *Machine) advance(now time.Time) {
	for {
		at, fire := m.due()
		if at.IsZero() || at.After(now) {
			break
		}
		m.now = at
		fire()
	}
	if now.After(m.now) {
		m.now = now
	}
}

// due gives the earliest of the things that time alone brings about.
func (m *Machine) due() (at time.Time, fire func()) {
	take := func(t time.Time, f func()) {
		if !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at, fire = t, f
		}
	}
	take(m.rest.at, m.fireRest)
	take(m.ring.at, m.fireRing)
	take(m.held.at, m.fireHeld)
	take(m.soft.recheck, m.fireRecheck)
	take(m.staleAt(), m.fireStale)
	return at, fire
}

// signal is the one place where the state changes.
func (m *Machine) signal(s signal, c Cause) {
	to, step := next(m.phase, s, m.open)
	if !step {
		return
	}
	if s == sigDone && m.phase == idle {
		m.enter(working, c) // the whole turn in one report
	}
	m.enter(to, c)
}

func (m *Machine) enter(to phase, c Cause) {
	from := m.phase
	m.rest.drop()
	m.ring.drop()
	m.held.drop()
	switch to {
	case working:
		if !m.open {
			m.begin()
		}
	case done:
		if !m.open {
			m.begin()
		}
		m.open, m.ended = false, m.now
		m.hook.rest()
	case idle:
		m.hook.rest()
	}
	m.phase = to
	m.st.Blocking = to == blocked
	m.st.Error, m.st.Unconfirmed = "", false
	m.st.Cause = c
	m.st.Question, m.st.Options, m.declared = "", nil, false
	if to == asked || to == blocked {
		m.raise()
	}
	if m.st.State == to.state() {
		return // from asked to blocked
	}
	m.st.State, m.st.Since = to.state(), m.now
	m.out = append(m.out, Change{At: m.now, From: from.state(), To: to.state(), Turn: m.st.Turn, Cause: c})
}

// begin opens a turn.
func (m *Machine) begin() {
	if !m.reopens() {
		m.st.Turn++
	}
	m.open, m.opened, m.workBy = true, m.now, ""
}

// reopens tells that work seen now belongs to the turn that silence was taken
// to have ended, because nothing was submitted since.
func (m *Machine) reopens() bool {
	return m.phase == done && m.st.Unconfirmed && m.submitted.Before(m.ended)
}

// block puts the question, whose own text may be empty.
func (m *Machine) block(text string, options []string, c Cause) {
	m.rest.drop()
	if !m.open && m.phase != blocked && m.submitted.After(m.ended) {
		// The turn was too short to be seen at work before it asked.
		m.signal(sigWork, Cause{Channel: ChannelInput, Rule: "submit"})
	}
	if m.phase != blocked {
		m.early = c.Channel == ChannelScreen && !m.open && m.input.IsZero() && m.submitted.IsZero()
	}
	m.signal(sigBlock, c)
	m.declare(c.Channel, text)
	m.blockBy, m.blockedAt = c.Channel, m.now
	m.declared = text != ""
	m.st.Options = boundOptions(options)
	if text == "" {
		m.showQuestion(m.soft.question)
		return
	}
	m.st.Question = clip(text, maxQuestion)
}

// answered tells that something was typed since the question stands.
func (m *Machine) answered() bool { return m.input.After(m.blockedAt) }

func (m *Machine) launch(ev Event) {
	phase, turn := m.phase, m.st.Turn
	m.reset(ev.At)
	if ev.Hook.Generation != 0 {
		m.cfg.Generation = ev.Hook.Generation
	}
	if phase != idle {
		m.enter(idle, Cause{Channel: ChannelLaunch})
	}
	m.st = Status{State: Idle, Since: m.st.Since, Turn: turn, Asked: m.st.Asked, Cause: m.st.Cause}
}

func (m *Machine) onExit(ev Event) {
	rule := "0"
	if ev.ExitCode != 0 {
		rule = strconv.Itoa(ev.ExitCode)
	}
	m.signal(sigGone, Cause{Channel: ChannelExit, Rule: rule, Text: ev.Text})
	if ev.ExitCode > 0 && m.phase == done && m.ended.Equal(m.now) && m.st.Error == "" {
		m.st.Error = "exit status " + rule
	}
	m.gone = true
	m.soft.forget()
}

func (m *Machine) onInput(ev Event) {
	m.input = ev.At
	if ev.Interrupt {
		m.interrupt = ev.At
	}
	if ev.Kind == KindSubmit {
		switch m.phase {
		case blocked: // an answer begins nothing
		case asked: // an answer is a look
			m.signal(sigSeen, Cause{Channel: ChannelInput, Rule: "submit"})
		default:
			m.submitted = ev.At
		}
	}
}

func (m *Machine) onRing(ev Event) {
	if m.program.live() || m.hook.spoken {
		return // it would have said so itself
	}
	c := Cause{Channel: ChannelBell, Text: ev.Text}
	if ev.Kind == KindNotification {
		c.Rule = "notification"
	}
	switch {
	case ev.Kind == KindBell && m.input.After(m.submitted) && m.now.Sub(m.input) < echoBell:
	case m.phase == done && m.cfg.Plain && (ev.Kind == KindNotification || m.now.Sub(m.ended) > ringHold):
		// A command is over, and something else in the shell calls; what rings
		// right behind a command rings for its end.
		m.enter(asked, c)
		m.asks(c)
	case m.phase != working:
		m.asks(c)
	case m.rest.at.IsZero() && m.ring.at.IsZero():
		m.ring = pending{ev.At.Add(ringHold), c}
	}
}

func (m *Machine) fireRing() {
	c := m.ring.cause
	m.asks(c)
}

func (m *Machine) asks(c Cause) {
	m.ring.drop()
	m.signal(sigRing, c)
	if m.phase == asked {
		m.declared = c.Text != ""
		if m.st.Question = c.Text; !m.declared {
			m.st.Question = m.soft.question
		}
	}
}

// describe gives the short phrase of Status.Description.
func (m *Machine) describe() string {
	switch m.phase {
	case working:
		if n := m.tasks(); n > 0 {
			text := strconv.Itoa(n) + " background task"
			if n > 1 {
				text += "s"
			}
			return text + detail(": ", m.program.verdict.lead.Program)
		}
		if m.program.live() {
			if d := detail("", m.program.verdict.lead.Program); d != "" {
				return d
			}
		}
		return m.hook.tool
	case blocked:
		if m.blockBy == ChannelProgram {
			return m.program.verdict.lead.Kind
		}
	}
	return ""
}

// detail says in a few words what a record tells of its work.
func detail(sep string, p Program) string {
	text := clip(p.Title, maxCauseText)
	if text == "" {
		text = clip(p.Msg, maxCauseText)
	}
	if p.Progress > 0 && p.State == "working" {
		text = strings.TrimSpace(text + " " + strconv.Itoa(p.Progress) + "%")
	}
	if text == "" {
		return ""
	}
	return sep + text
}

func clip(s string, n int) string {
	if len(s) > n {
		s = s[:n]
	}
	return strings.ToValidUTF8(s, "")
}
