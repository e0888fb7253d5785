//go:build unix

package term

import (
	"hash/maphash"
	"strings"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/status"
	"github.com/termio-sh/termio/vt"
)

// Bounds of what is kept of a status.
const (
	maxTrace     = 200
	questionRows = 12
	maxQuestion  = 1200
	maxSignal    = 1 << 10
)

// watcher feeds the status reducer with what the program shows and says, and
// keeps the trace. It is guarded by session.mu, but for sample's own fields,
// which belong to the engine.
type watcher struct {
	machine *status.Machine
	rules   *atp.Rules
	trace   []hostproto.Change
	timer   *time.Timer

	// The engine's.
	lastScreen uint64
	seed       maphash.Seed
	sampledGen uint64
}

func newWatcher(m *atp.Manifest, at time.Time, generation uint64) *watcher {
	w := &watcher{rules: atp.NewRules(m), seed: maphash.MakeSeed()}
	w.machine = status.New(status.Config{
		Plain:         m.IsTerminal(),
		TitleRules:    w.rules.HasTitle(),
		ScreenRules:   w.rules.HasScreen(),
		ProgressRules: w.rules.Progress(),
		Hooks:         m.Hooks != nil,
		Generation:    generation,
		WorkAfter:     time.Duration(m.WorkAfterMs) * time.Millisecond,
	}, at)
	return w
}

// class translates a manifest's word.
func class(v atp.Verdict) status.Class {
	switch v.State {
	case atp.StateWorking:
		return status.ClassWorking
	case atp.StateAttention:
		return status.ClassAttention
	case atp.StateIdle, atp.StateDone:
		return status.ClassIdle
	}
	return status.ClassNone
}

func classified(kind status.Kind, v atp.Verdict, text string) status.Event {
	ev := status.Event{Kind: kind, Class: class(v), Rule: v.Rule, Text: text}
	if v.Rule != "" {
		ev.Text = v.Matched
	}
	return ev
}

// programEvent is what a terminal event means to the reducer.
func (w *watcher) programEvent(ev vt.Event) (status.Event, bool) {
	switch ev.Kind {
	case vt.EventTitle:
		return classified(status.KindTitle, w.rules.ClassifyTitle(ev.Text), ev.Text), true
	case vt.EventProgress:
		return status.Event{Kind: status.KindProgress, Progress: int(ev.Progress.State)}, true
	case vt.EventBell:
		return status.Event{Kind: status.KindBell}, true
	case vt.EventNotification:
		return status.Event{Kind: status.KindNotification, Text: cut(strings.TrimSpace(ev.Title+" "+ev.Text), maxSignal)}, true
	case vt.EventPromptMark:
		return status.Event{Kind: status.KindPromptMark, Mark: ev.Mark, ExitCode: ev.ExitCode}, true
	case vt.EventReset:
		return status.Event{Kind: status.KindReset}, true
	case vt.EventProgramStatus:
		if ev.Status.Query {
			return status.Event{}, false
		}
		return status.Event{Kind: status.KindProgramStatus, Program: status.Program{
			ID: ev.Status.ID, App: ev.Status.App, State: string(ev.Status.State), Kind: string(ev.Status.Kind),
			Progress: ev.Status.Progress, Title: ev.Status.Title, Msg: ev.Status.Msg,
		}}, true
	}
	return status.Event{}, false
}

// screenEvent looks at the screen for the reducer. It runs on the engine's
// goroutine.
func (w *watcher) screenEvent(t *vt.Terminal) (status.Event, bool) {
	gen := t.Generation()
	if gen == w.sampledGen {
		return status.Event{}, false
	}
	w.sampledGen = gen
	text := t.ScreenText()
	sum := maphash.String(w.seed, text)
	ev := classified(status.KindScreen, w.rules.ClassifyScreen(text), "")
	ev.Changed = sum != w.lastScreen
	ev.Question = question(text)
	w.lastScreen = sum
	return ev, true
}

// question is the end of the screen, where an agent asks.
func question(screen string) string { return bottom(screen, questionRows, maxQuestion) }

// note gives an event to the reducer and tells everybody what changed.
// session.mu must be held.
func (s *session) note(ev status.Event) {
	if ev.At.IsZero() {
		ev.At = time.Now()
	}
	if s.foreground != nil && !s.record.Plain {
		s.foreground.remember(ev)
	}
	s.hear(ev)
}

// hear is note for what is not to be remembered. session.mu must be held.
func (s *session) hear(ev status.Event) { s.changed(s.watcher.machine.Apply(ev)) }

func (s *session) changed(changes []status.Change) {
	w := s.watcher
	for _, c := range changes {
		w.trace = append(w.trace, hostproto.Change{
			At: c.At, From: string(c.From), To: string(c.To), Cause: wireCause(c.Cause),
		})
	}
	if n := len(w.trace); n > maxTrace {
		w.trace = append(w.trace[:0], w.trace[n-maxTrace:]...)
	}
	s.armStatus()
	for i := 0; i < len(changes)-1; i++ {
		s.passThrough(changes[i])
	}
	st := s.wireStatus()
	if len(changes) == 0 && st.Equal(s.lastStatus) {
		return
	}
	s.lastStatus = st
	s.engine.poke() // for a delivery that waits for its effect
	changed, spoken := s.record.State != st.State, st.Turn > s.enteredAt && !s.record.Spoken
	s.record.Spoken = s.record.Spoken || spoken
	s.record.State, s.record.Since = st.State, st.Since
	told := s.tell(&s.states, func() hostproto.Event {
		now := s.lastStatus
		return hostproto.Event{Type: hostproto.EventStatus, Status: &now}
	})
	if changed || spoken {
		s.records.Save(s.record, told || spoken)
	}
}

// passThrough publishes a state that is over already, since one event can tell
// of a whole turn. Of a flood of them only the newest counts.
func (s *session) passThrough(c status.Change) {
	if s.states.waiting || !s.states.allow(time.Now()) {
		return
	}
	s.hub.Publish(hostproto.Event{Type: hostproto.EventStatus, Status: &hostproto.Status{
		State: string(c.To), Since: c.At, Turn: s.turns + c.Turn, Cause: wireCause(c.Cause),
	}}, true)
}

// undeliverable puts a delivery that failed into the trace. Nobody waits for
// the first prompt, so that its failure is part of the status too.
func (s *session) undeliverable(failure *hostproto.Error, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.Closed != nil {
		return
	}
	st := s.watcher.machine.Status()
	if first {
		s.undelivered, s.undeliveredAt = "the prompt was not delivered: "+cut(failure.Message, maxSignal), st.Turn
	}
	s.watcher.trace = append(s.watcher.trace, hostproto.Change{
		At: time.Now(), From: string(st.State), To: string(st.State),
		Cause: hostproto.Cause{Channel: "delivery", Rule: failure.Code, Text: cut(failure.Message, maxSignal)},
	})
	s.changed(nil)
}

// armStatus sets the timer for what silence will change.
func (s *session) armStatus() {
	at, ok := s.watcher.machine.Deadline()
	if s.watcher.timer != nil {
		s.watcher.timer.Stop()
	}
	if !ok || s.record.Closed != nil {
		return
	}
	wait := max(time.Until(at), time.Millisecond)
	if s.watcher.timer == nil {
		s.watcher.timer = time.AfterFunc(wait, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.changed(s.watcher.machine.Tick(time.Now()))
		})
		return
	}
	s.watcher.timer.Reset(wait)
}

func (s *session) wireStatus() hostproto.Status {
	st := s.watcher.machine.Status()
	if st.Error == "" && st.Turn == s.undeliveredAt {
		st.Error = s.undelivered
	}
	return hostproto.Status{
		State: string(st.State), Since: st.Since, Question: st.Question, Description: st.Description,
		Unconfirmed: st.Unconfirmed, Error: st.Error, Turn: s.turns + st.Turn, Cause: wireCause(st.Cause),
		Options: st.Options, Asked: s.questions + st.Asked,
	}
}

func wireCause(c status.Cause) hostproto.Cause {
	return hostproto.Cause{Channel: c.Channel, Rule: c.Rule, Text: cut(c.Text, maxSignal)}
}
