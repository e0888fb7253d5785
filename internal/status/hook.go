package status

import "time"

// hookState is what the agent's own hooks said.
type hookState struct {
	spoken bool
	seq    uint64
	last   time.Time // last report
	tool   string    // the running one
	// tasks are the sub-agents that were begun and have not ended; held tells
	// that the main turn has ended and waits for them.
	tasks map[string]struct{}
	held  bool
	// begins tells that hooks have told a turn's beginning since launch: one
	// whose end they tell alone has ended before, however late that comes.
	begins bool
	// pending counts the tasks that the end of the main turn declared.
	pending int
	// asker is the sub-agent whose question stands, "" for the main one's.
	asker string
}

// rest is what remains once no turn is open.
func (h *hookState) rest() { h.tool, h.tasks, h.held, h.pending = "", nil, false, 0 }

// waiting tells that work which was declared is still to end.
func (h *hookState) waiting() bool { return len(h.tasks) > 0 || h.pending > 0 }

func (m *Machine) onHook(ev Event) {
	h := ev.Hook
	h.Event, h.Tool = clip(h.Event, maxCauseText), clip(h.Tool, maxCauseText)
	h.SubagentID = clip(h.SubagentID, maxIDBytes)
	if h.Generation != 0 && m.cfg.Generation != 0 && h.Generation != m.cfg.Generation {
		return // another launch's
	}
	if h.Seq != 0 {
		if h.Seq <= m.hook.seq {
			return
		}
		m.hook.seq = h.Seq
	}
	switch h.State {
	case HookWorking, HookAttention, HookDone, HookIdle:
		m.exactSpoke(&m.hook.spoken)
	default:
		return
	}
	c := Cause{Channel: ChannelHook, Rule: h.Event, Text: h.Tool}
	if c.Rule == "" {
		c.Rule = string(h.State)
	}
	switch {
	case h.Subagent:
		m.onTask(h, c)
	case h.State == HookWorking:
		m.hookWorking(h, c)
	case h.State == HookAttention:
		m.hookAttention(h, c)
	case h.State == HookDone:
		m.hookDone(h, c)
	case h.State == HookIdle:
		m.hookIdle(c)
	}
	m.hook.last = m.now
}

func (m *Machine) hookWorking(h Hook, c Cause) {
	if h.Tool != "" && m.repeatsEnd() {
		return // the trailing report of a tool whose turn is over
	}
	m.hook.begins = true
	m.hook.tool, m.hook.held, m.hook.pending = h.Tool, false, 0
	if m.program.live() && m.program.verdict.state != "working" {
		return
	}
	if m.phase == blocked && m.blockBy == ChannelProgram {
		return
	}
	m.work(c)
}

func (m *Machine) hookAttention(h Hook, c Cause) {
	if m.program.live() && m.program.verdict.state != "working" {
		return // it asks by itself, or is at rest
	}
	m.hook.asker = h.SubagentID
	m.block(h.Question, h.Options, c)
}

func (m *Machine) hookDone(h Hook, c Cause) {
	m.hook.pending = min(max(h.Pending, 0), maxRecords)
	switch {
	case m.program.live():
	case m.hook.waiting() && m.open:
		m.hook.held = true
		m.work(c) // out of a question, if one stood
	case !m.repeatsEnd() && (m.open || !m.hook.begins):
		m.signal(sigDone, c)
	}
	if !m.open {
		m.confirm()
	}
}

func (m *Machine) hookIdle(c Cause) {
	if m.program.live() || m.open && m.now.Sub(m.opened) < lateStart {
		return
	}
	m.hook.rest()
	m.signal(sigIdle, c)
}

// onTask keeps the ledger of sub-agents. They never begin a turn: what trails
// behind a finished one must not light it again.
func (m *Machine) onTask(h Hook, c Cause) {
	switch h.State {
	case HookWorking:
		if m.open && h.Tool == "" {
			if m.hook.tasks == nil {
				m.hook.tasks = map[string]struct{}{}
			}
			if len(m.hook.tasks) < maxRecords {
				m.hook.tasks[h.SubagentID] = struct{}{}
			}
		}
		if m.phase == blocked && m.blockBy == ChannelHook && m.hook.asker == h.SubagentID && !m.program.live() {
			m.work(c) // it goes on after its own question
		}
	case HookAttention:
		m.hookAttention(h, c)
	case HookDone, HookIdle:
		delete(m.hook.tasks, h.SubagentID)
		if m.hook.held && !m.hook.waiting() && m.phase == working {
			m.signal(sigDone, c)
		}
	}
}

// tasks counts what still runs behind a main turn that has ended.
func (m *Machine) tasks() int {
	if m.program.live() {
		return m.program.verdict.tasks
	}
	if m.hook.held {
		return len(m.hook.tasks) + m.hook.pending
	}
	return 0
}
