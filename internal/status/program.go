package status

import (
	"strconv"
	"time"
)

// programState is what OSC 7501 says. Its reports cover every turn of events,
// interrupts and failures too: while a record stands, no other channel decides.
type programState struct {
	records records
	verdict verdict
	spoken  bool // since launch
	// over tells that the program which reported is gone; what it left
	// (done and error) is history and decides nothing.
	over bool
}

func (p *programState) live() bool { return p.verdict.state != "" && !p.over }

func (m *Machine) onProgram(ev Event) {
	recs := &m.program.records
	if m.program.over {
		recs = &records{} // another program's first report
	}
	if !recs.report(ev.Program) {
		return
	}
	if m.program.over {
		m.program = programState{records: *recs, spoken: m.program.spoken}
	}
	m.exactSpoke(&m.program.spoken)
	rule := ev.Program.State
	if ev.Program.ID != "" {
		rule += " " + ev.Program.ID
	}
	m.settleProgram(Cause{Channel: ChannelProgram, Rule: rule, Text: clip(ev.Program.Msg, maxCauseText)})
}

// onReset is RIS: it clears all records.
func (m *Machine) onReset() {
	if len(m.program.records.byID) == 0 {
		return
	}
	m.program.records = records{}
	m.settleProgram(Cause{Channel: ChannelProgram, Rule: "reset"})
}

// settleProgram acts on what the records say now, when it differs from before.
func (m *Machine) settleProgram(c Cause) {
	was := m.program.verdict
	v := m.program.records.verdict()
	m.program.verdict = v
	if v.state == was.state {
		m.repeatProgram(v, c)
		return
	}
	switch v.state {
	case "working":
		m.work(c)
	case "blocked":
		m.block(questionOf(v), optionsOf(v.lead.Program), c)
	case "done":
		if !m.repeatsEnd() {
			m.signal(sigDone, c)
		}
		m.confirm()
	case "error":
		m.signal(sigRest, c)
		m.st.Error = errorOf(v)
		m.confirm()
	case "idle":
		if m.workBy == ChannelMark {
			m.open = false // a shell's command turned out to be a program that waits
		}
		m.signal(sigIdle, c)
	case "":
		m.signal(sigRest, c)
		m.soft.forget()
	}
}

// repeatProgram takes a report that leaves the verdict as it was.
func (m *Machine) repeatProgram(v verdict, c Cause) {
	switch {
	case v.state == "blocked":
		m.block(questionOf(v), optionsOf(v.lead.Program), c) // perhaps the next question
	case v.state == "working" && m.phase == blocked && m.answered():
		m.work(c) // a hook's question, answered
	case v.state == "error":
		m.st.Error = errorOf(v)
	}
}

// repeatsEnd tells that no turn is open and one ended so recently that the
// report of an end, or a tool's report, is about that one.
func (m *Machine) repeatsEnd() bool {
	return (m.phase == idle || m.phase == done) && !m.ended.IsZero() &&
		!m.submitted.After(m.ended) && m.now.Sub(m.ended) <= lateWindow
}

// confirm takes the doubt from a done that silence had concluded.
func (m *Machine) confirm() { m.st.Unconfirmed = false }

func questionOf(v verdict) string {
	if v.lead.Msg != "" {
		return v.lead.Msg
	}
	return v.lead.Title
}

func errorOf(v verdict) string {
	if q := questionOf(v); q != "" {
		return clip(q, maxQuestion)
	}
	return "failed"
}

// exactSpoke notes that an exact channel speaks: from here on screen rules
// have no say, and what they said is forgotten.
func (m *Machine) exactSpoke(spoken *bool) {
	if !*spoken {
		*spoken = true
		m.soft.level, _ = m.softLevel()
	}
}

func (m *Machine) exactHasSpoken() bool { return m.program.spoken || m.hook.spoken }

// work is a sign of work from a channel; the most exact one is remembered.
func (m *Machine) work(c Cause) {
	m.rest.drop()
	m.ring.drop()
	if wait := m.doubt(c); wait > 0 {
		if m.held.at.IsZero() {
			m.held = pending{m.now.Add(wait), c}
		}
		return
	}
	m.goWork(c)
}

// doubt is how long work must last that may be over in a moment, without
// having been any.
func (m *Machine) doubt(c Cause) time.Duration {
	untouched := m.input.IsZero() && m.submitted.IsZero()
	switch {
	case m.phase == blocked && m.interrupt.After(m.blockedAt) && m.interrupt.Equal(m.input) &&
		m.now.Sub(m.interrupt) < inputQuiet:
		return workHold
	case c.Channel == ChannelHook, c.Channel == ChannelMark:
	case m.phase == blocked && m.early:
		return workHold // out of a dialog of its start
	case m.phase == idle && untouched && m.now.Sub(m.born) < launchGrace:
		return workHold
	case m.phase == idle, m.phase == done && !m.st.Unconfirmed:
		return m.cfg.WorkAfter
	}
	return 0
}

// fireHeld takes doubtful work that has lasted.
func (m *Machine) fireHeld() {
	c := m.held.cause
	m.held.drop()
	works := m.soft.level == ClassWorking || c.Channel == ChannelHook
	if m.program.live() {
		works = m.program.verdict.state == "working"
	}
	if works {
		m.goWork(c)
	}
}

func (m *Machine) goWork(c Cause) {
	m.signal(sigWork, c)
	if m.phase == working && exactness(c.Channel) >= exactness(m.workBy) {
		m.workBy = c.Channel
	}
}

func exactness(channel string) int {
	switch channel {
	case ChannelProgram:
		return 4
	case ChannelHook:
		return 3
	case ChannelMark:
		return 2
	case "":
		return 0
	}
	return 1
}

// onMark takes the marks that a shell puts around its commands (OSC 133). In
// an agent's terminal they only tell which program status records are over.
func (m *Machine) onMark(ev Event) {
	c := Cause{Channel: ChannelMark, Rule: string(ev.Mark)}
	switch ev.Mark {
	case 'A':
		m.program.records.ended()
		m.program.over = true
		m.settleProgram(c)
		if m.workBy == ChannelMark && m.cfg.Plain {
			m.signal(sigRest, c)
		}
	case 'C':
		if m.cfg.Plain && !m.program.live() {
			m.work(c)
		}
	case 'D':
		if m.cfg.Plain && m.open && m.workBy == ChannelMark && !m.program.live() {
			if ev.ExitCode >= 0 {
				c.Text = "exit status " + strconv.Itoa(ev.ExitCode)
			}
			m.signal(sigDone, c)
			if ev.ExitCode > 0 {
				m.st.Error = c.Text
			}
		}
	}
}
