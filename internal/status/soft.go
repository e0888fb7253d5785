package status

import "time"

// softState is what titles, progress bars and the screen say. Each is a level:
// it stands until the next event of its kind, and only a change of the level
// they make together is a signal.
type softState struct {
	title, progress, screen, file voice
	level                         Class // of the three together
	// proven tells that titles or progress have told work or a question:
	// from then on they, not the screen, say when work ends.
	proven   bool
	alive    time.Time // last change of the screen or report of work
	question string    // the last rows of the screen
	// spent is a standing title or progress bar that said working when
	// silence ended the turn; a change of the screen gives it its voice back.
	spent pending
	// recheck is when a question on the screen, seen before the title came to
	// rest, counts although no later look has shown it again.
	recheck time.Time
	// sawQuestion tells that the screen showed the question of a hook.
	sawQuestion bool
	// sure tells that a rule has told this screen's rest.
	sure bool
	// worked is when the screen last showed work.
	worked time.Time
	// streak counts changed ticks in a row, the last one at tick.
	streak int
	tick   time.Time
}

// voice is what one of the channels said last.
type voice struct {
	class Class
	cause Cause
}

// forget drops the levels, so that only new events count.
func (s *softState) forget() {
	s.title, s.progress, s.screen, s.file, s.level = voice{}, voice{}, voice{}, voice{}, ClassIdle
	s.recheck = time.Time{}
}

func (m *Machine) onTitle(ev Event) {
	if !m.cfg.TitleRules {
		return
	}
	switch was := m.soft.title.class; {
	case ev.Class == ClassWorking && was != ClassWorking:
		m.soft.screen = voice{} // looked at before; the next look tells
	case ev.Class != ClassWorking && was == ClassWorking && m.soft.screen.class == ClassAttention:
		m.soft.recheck = m.now.Add(lookLag)
	}
	m.soft.title = voice{ev.Class, Cause{Channel: ChannelTitle, Rule: ev.Rule, Text: ev.Text}}
	m.softReport(m.soft.title)
}

func (m *Machine) onProgress(ev Event) {
	if !m.cfg.ProgressRules {
		return
	}
	switch ev.Progress {
	case 0:
		m.soft.progress = voice{ClassIdle, Cause{Channel: ChannelProgress, Rule: "clear"}}
	case 1, 3:
		m.soft.progress = voice{ClassWorking, Cause{Channel: ChannelProgress, Rule: "working"}}
	default: // error and paused tell of the bar, not of the turn
		return
	}
	m.softReport(m.soft.progress)
}

// softReport takes a title or progress event: liveness first, since a spinner
// that ticks is alive although its level does not change.
func (m *Machine) softReport(v voice) {
	if v.class == ClassWorking {
		m.soft.alive = m.now
		m.ring.drop()
	}
	if v.class == ClassWorking || v.class == ClassAttention {
		m.soft.proven = true
	}
	m.soft.spent.drop()
	m.settleSoft(v.cause)
}

// softLevel is what the channels say together. Titles and progress come first;
// the screen adds a question that they cannot show, and, for an agent whose
// titles never told anything, its work. In each channel a question beats work.
func (m *Machine) softLevel() (Class, Cause) {
	s := &m.soft
	screen := s.screen
	if m.exactHasSpoken() || screen.class == ClassAttention && m.now.Before(s.recheck) {
		screen = voice{}
	}
	switch {
	case s.file.class == ClassAttention, s.file.class == ClassWorking:
		return s.file.class, s.file.cause
	case s.file.class == ClassIdle:
		return ClassIdle, s.file.cause
	case s.title.class == ClassAttention, s.title.class == ClassWorking:
		return s.title.class, s.title.cause
	case s.progress.class == ClassWorking:
		return ClassWorking, s.progress.cause
	case screen.class == ClassAttention, screen.class == ClassWorking && !s.proven:
		return screen.class, screen.cause
	}
	return ClassIdle, Cause{}
}

// onFile takes what the agent's own status file says. While there is one it
// speaks for titles, progress and the screen: it was right in every state.
func (m *Machine) onFile(ev Event) {
	was := m.soft.file.class
	m.soft.file = voice{ev.Class, Cause{Channel: ChannelFile, Rule: ev.Rule, Text: ev.Text}}
	if ev.Class != was {
		m.soft.spent.drop()
		m.settleSoft(m.soft.file.cause)
	}
}

// settleSoft acts on a change of the common level; c is what brought it to
// rest, if so it is.
func (m *Machine) settleSoft(c Cause) {
	was := m.soft.level
	now, why := m.softLevel()
	m.soft.level = now
	if m.program.live() {
		return
	}
	if m.phase == blocked && m.blockBy == ChannelHook && !m.answered() {
		return
	}
	if now == was {
		if !m.rest.at.IsZero() {
			m.calm(c) // perhaps for certain now
		}
		return
	}
	switch now {
	case ClassAttention:
		m.block("", nil, why)
	case ClassWorking:
		m.work(why)
	default:
		m.calm(m.soft.surer(c))
	}
}

// surer gives the title's word for rest, where a rule of a title that has told
// work or a question has told rest before, in the place of a screen that merely
// shows no question any more.
func (s *softState) surer(c Cause) Cause {
	if title := s.title; c.Rule == "" && s.proven && title.class == ClassIdle && title.cause.Rule != "" {
		return title.cause
	}
	return c
}

// calm waits whether the rest lasts.
func (m *Machine) calm(c Cause) {
	m.held.drop()
	if m.phase != working && m.phase != asked && m.phase != blocked {
		return
	}
	if m.hook.waiting() && !m.interrupted() {
		return // the agent declares work that is still to end
	}
	wait := restDebounce
	switch certain := c.Rule != ""; {
	case certain && (c.Channel == ChannelTitle || c.Channel == ChannelScreen || c.Channel == ChannelFile):
		wait = restCertain
		m.soft.sure = m.soft.sure || c.Channel == ChannelScreen
	case c.Channel == ChannelScreen && m.soft.sure:
		wait = restUntold
	}
	if at := m.now.Add(wait); m.rest.at.IsZero() || at.Before(m.rest.at) {
		m.rest = pending{at, c}
	}
	m.ring.drop()
}

func (m *Machine) fireRecheck() {
	m.soft.recheck = time.Time{}
	m.settleSoft(Cause{})
}

func (m *Machine) fireRest() {
	c := m.rest.cause
	m.rest.drop()
	if !m.program.live() {
		m.signal(sigRest, c)
	}
}

// interrupted tells that Esc or Ctrl-C was typed since the last hook report.
func (m *Machine) interrupted() bool {
	return m.interrupt.After(m.hook.last) && !m.interrupt.Before(m.opened)
}

func (m *Machine) onScreen(ev Event) {
	s := &m.soft
	s.question = clip(ev.Question, maxQuestion)
	if ev.Changed {
		s.alive = m.now
	}
	if (m.phase == blocked || m.phase == asked) && !m.declared {
		m.showQuestion(s.question)
	}
	c := Cause{Channel: ChannelScreen, Rule: ev.Rule, Text: ev.Text}
	switch {
	case m.cfg.ScreenRules && m.spentText(ev):
	case m.cfg.ScreenRules && !m.exactHasSpoken():
		s.screen, s.recheck = voice{ev.Class, c}, time.Time{}
		if ev.Class == ClassWorking {
			s.alive = m.now
			m.ring.drop()
		}
		m.settleSoft(restCause(ev.Class, c))
	case m.cfg.ScreenRules:
		m.answerOnScreen(ev.Class, c)
		m.restOnScreen(ev.Class, c)
	}
	if ev.Changed {
		m.revive()
		m.promote()
	}
}

// restCause is what a look says of rest; a rule that speaks of something else
// makes none certain.
func restCause(class Class, c Cause) Cause {
	if class != ClassIdle {
		c.Rule = ""
	}
	return c
}

// spentText tells that the screen shows nothing but the text whose silence
// ended the turn.
func (m *Machine) spentText(ev Event) bool {
	return m.phase == done && m.st.Unconfirmed && ev.Class == ClassWorking && !ev.Changed
}

// answerOnScreen sees a hook's question leave the screen after something was
// typed: the hooks of several agents are silent about a rejection.
func (m *Machine) answerOnScreen(class Class, c Cause) {
	if m.phase != blocked || m.blockBy != ChannelHook || m.program.live() {
		m.soft.sawQuestion = false
		return
	}
	switch {
	case class == ClassAttention:
		m.soft.sawQuestion = true
		m.rest.drop()
	case !m.soft.sawQuestion || !m.answered():
	case class == ClassWorking:
		m.work(c)
	default:
		m.calm(c)
	}
}

// restOnScreen corrects hooks that tell no end, where no title does: a screen
// that has shown the turn's work, or was asked with Esc to stop, and whose rest
// a rule tells.
func (m *Machine) restOnScreen(class Class, c Cause) {
	if class == ClassWorking {
		m.soft.worked = m.now
	}
	if m.phase != working || m.workBy != ChannelHook || m.cfg.TitleRules || m.program.live() {
		return
	}
	switch {
	case class == ClassWorking:
		m.rest.drop()
	case class != ClassIdle || c.Rule == "" || !m.rest.at.IsZero():
	case m.interrupted(), !m.soft.worked.Before(m.opened):
		m.calm(c)
	}
}

// revive takes back an end that silence had concluded, when a title or bar
// still says working and the screen moves again by itself.
func (m *Machine) revive() {
	if m.soft.spent.at.IsZero() || m.phase != done || !m.st.Unconfirmed || !m.quiet() {
		return
	}
	c := m.soft.spent.cause
	m.soft.spent.drop()
	m.work(c)
}

// quiet tells that nobody typed just now, so that a changing screen is not
// the echo of typing.
func (m *Machine) quiet() bool {
	return m.input.IsZero() || m.now.Sub(m.input) >= inputQuiet
}

// The promotion ticks: changes that are closer together count once, changes
// farther apart are not in a row.
const (
	tickMin = time.Second
	tickMax = 2500 * time.Millisecond
	streak  = 2
)

// promote is the only sign of work of an agent without any rules: a screen
// that keeps changing, when neither the launch nor typing explains it. It
// lights no finished turn again, unless silence alone had finished it or
// something was submitted since.
func (m *Machine) promote() {
	s := &m.soft
	switch {
	case m.cfg.Plain || m.Tells():
		return
	case m.phase == done && !m.st.Unconfirmed && !m.submitted.After(m.ended),
		m.phase != idle && m.phase != done,
		m.now.Sub(m.born) < launchGrace, !m.quiet():
		s.streak = 0
		return
	}
	since := m.now.Sub(s.tick)
	switch {
	case s.streak == 0 || since > tickMax:
		s.streak, s.tick = 1, m.now
	case since >= tickMin:
		s.streak, s.tick = s.streak+1, m.now
	}
	if s.streak >= streak {
		m.work(Cause{Channel: ChannelScreen, Rule: "changes"})
	}
}

// staleAt is when silence ends the open turn. Exact channels' work stands
// however long a tool is silent; a hook's only until Esc or Ctrl-C was typed,
// which many hooks do not report, and what it left behind a main turn that has
// ended not for ever: nothing tells of a task that died, or was never to end.
func (m *Machine) staleAt() time.Time {
	if m.phase != working || !m.rest.at.IsZero() {
		return time.Time{}
	}
	at := m.soft.alive
	since := []time.Time{m.st.Since, m.interruptOfHook()}
	wait := staleAfter
	switch {
	case m.left():
		since, wait = append(since, m.hook.last), staleTasks
	case m.workBy == ChannelTitle, m.workBy == ChannelProgress, m.workBy == ChannelScreen:
	case m.workBy == ChannelHook && m.interrupted():
	default:
		return time.Time{}
	}
	for _, t := range since {
		if t.After(at) {
			at = t
		}
	}
	return at.Add(wait)
}

// left tells that only tasks which hooks told of keep the turn open. Those of
// OSC 7501 are its program's to withdraw.
func (m *Machine) left() bool {
	return m.hook.held && m.hook.waiting() && !m.interrupted() && !m.program.live()
}

func (m *Machine) interruptOfHook() time.Time {
	if m.workBy == ChannelHook {
		return m.interrupt
	}
	return time.Time{}
}

func (m *Machine) fireStale() {
	c := m.st.Cause
	standing := m.soft.title.class == ClassWorking || m.soft.progress.class == ClassWorking
	wait := staleAfter
	if m.left() {
		wait = staleTasks
	}
	m.signal(sigRest, Cause{Channel: ChannelStale, Rule: "silent", Text: wait.String()})
	m.st.Unconfirmed = true
	m.soft.forget()
	if standing {
		m.soft.spent = pending{m.now, c}
	}
}
