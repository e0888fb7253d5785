//go:build unix

package term

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/termio-sh/termio/atp"
	proc "github.com/termio-sh/termio/internal/host/process"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/status"
)

// An agent that is started by hand in a plain terminal makes the session that
// agent, until it ends. Who is in the terminal's foreground is looked at when
// the engine looks at the screen and when a hook reports, so that a quiet
// session costs nothing.

// Times of the foreground.
const (
	// scanFor is how long after a program took the foreground its whole process
	// group is looked at, since wrappers start the agent only after a while;
	// scanEvery is how often at most.
	scanFor   = 15 * time.Second
	scanEvery = time.Second
	// rememberFor is how old what the program said may be when it is recognised.
	rememberFor = 3 * time.Second
	maxRemember = 64
)

// foreground recognises agents in a plain terminal.
type foreground struct {
	programs  atp.Programs
	agentsDir string
	terminal  *atp.Manifest // what the session is without an agent
	name      string        // and what that is called

	mu     sync.Mutex // one look at a time; taken before session.mu
	seen   recognition
	looked time.Time

	// Guarded by session.mu: what the program said lately, for the reducer of
	// the agent that it turns out to be.
	said []status.Event
}

// recognition is what is known of who is in the foreground: a value that goes
// from one sight to the next.
type recognition struct {
	group   int // the process group
	since   time.Time
	scanned time.Time // when its members were looked at

	agent string // manifest id; "" for none
	by    proc.Process
}

// scene is the foreground at one moment.
type scene struct {
	now   time.Time
	group int
	// shell tells that the group is that of the session's own program.
	shell  bool
	leader proc.Someone
	// members are the group's other processes, looked up when they matter.
	members func() []proc.Someone
	// goesOn tells whether a process runs and is not stopped.
	goesOn func(proc.Process) bool
}

// next gives what is known after a scene. The agent changes only by evidence:
// what cannot be read changes nothing.
func (r recognition) next(v scene, known atp.Programs) recognition {
	if v.group != r.group {
		r.group, r.since, r.scanned = v.group, v.now, time.Time{}
	}
	if id, ok := known.Foreground(v.leader.Argv); ok {
		r.agent, r.by = id, v.leader.Process
		return r
	}
	answered := len(v.leader.Argv) > 0
	if r.agent != "" && v.goesOn(r.by) && !v.shell {
		return r // what it has started has the terminal, or its name cannot be read
	}
	// The leader of a pipeline may be gone, and a wrapper leads the agent.
	young := v.now.Sub(r.since) < scanFor && v.now.Sub(r.scanned) >= scanEvery
	if !v.shell && young && (!answered || wrapper(v.leader.Argv)) {
		r.scanned = v.now
		for _, m := range v.members() {
			answered = answered || len(m.Argv) > 0
			if id, ok := known.Foreground(m.Argv); ok {
				r.agent, r.by = id, m.Process
				return r
			}
		}
	}
	if answered {
		r.agent, r.by = "", proc.Process{}
	}
	return r
}

// wrapper tells whether a program may be one that only starts another.
func wrapper(argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	// npm writes what it does into its first argument.
	name, _, _ := strings.Cut(filepath.Base(argv[0]), " ")
	return atp.Runtime(argv) || slices.Contains(wrappers, name)
}

var wrappers = []string{
	"npm", "pnpm", "yarn", "bunx", "uv", "uvx", "pipx", "mise", "asdf", "nix", "direnv",
	"sudo", "doas", "time", "nohup", "nice", "script", "caffeinate",
}

// recognise begins to look for agents, if the session is a plain terminal and
// it is known what agents there are.
func (s *session) recognise(m *atp.Manifest, spec hostproto.Spec) {
	if m.IsTerminal() && len(spec.Programs) > 0 {
		s.foreground = &foreground{programs: spec.Programs, agentsDir: spec.AgentsDir, terminal: m, name: s.record.AgentName}
	}
}

// lookForeground looks at who is in the terminal's foreground. session.mu must
// not be held.
func (s *session) lookForeground(now time.Time) {
	f := s.foreground
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	group := s.pty.foregroundGroup()
	if group <= 0 {
		return // nobody, or not known
	}
	if group == f.seen.group && now.Sub(f.seen.since) > scanFor && now.Sub(f.looked) < scanEvery {
		return // it may have become another program, but seldom does
	}
	f.looked = now
	leader := proc.At(group)
	was := f.seen
	f.seen = was.next(scene{
		now: now, group: group, shell: group == s.child.PID, leader: leader,
		members: func() []proc.Someone { return proc.Members(group) }, goesOn: proc.GoesOn,
	}, f.programs)
	if f.seen.agent == was.agent {
		return
	}
	m := f.terminal
	if f.seen.agent != "" {
		catalog, _ := atp.Load(f.agentsDir)
		found, ok := catalog.ByID(f.seen.agent)
		if !ok {
			f.seen.agent = was.agent // its manifest is gone
			return
		}
		m = found
	}
	s.become(m, now)
}

// remember keeps what the program says while nobody is recognised: an agent
// tells its state before it can be. session.mu must be held.
func (f *foreground) remember(ev status.Event) {
	switch ev.Kind {
	case status.KindProgramStatus, status.KindHook, status.KindTitle, status.KindProgress:
		if len(f.said) >= maxRemember {
			f.said = append(f.said[:0], f.said[1:]...)
		}
		f.said = append(f.said, ev)
	}
}

// become makes the session the agent m, or the terminal that it was. The turns
// counted so far stay; the new reducer hears what was said lately.
func (s *session) become(m *atp.Manifest, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.Closed != nil || s.closing != "" {
		return // what was there when it was closed counts
	}
	plain := m.IsTerminal()
	old, was, from := s.watcher, s.record.Agent, s.wireStatus()
	if old.timer != nil {
		old.timer.Stop()
	}
	w := newWatcher(m, now, s.generation)
	w.trace = append(old.trace, hostproto.Change{
		At: now, From: from.State, To: string(status.Idle),
		Cause: hostproto.Cause{Channel: "foreground", Rule: m.ID, Text: was + " → " + m.ID},
	})
	s.watcher, s.resume, s.speaks = w, m.Resume, speaker{}
	s.turns, s.questions = from.Turn, from.Asked
	s.undelivered = ""
	s.announced.Store(false)
	s.deliveries.change(m, w)

	s.record.Agent, s.record.AgentName, s.record.Plain = m.ID, m.Name, !plain
	if plain {
		s.record.AgentName, s.record.LiveTitle = s.foreground.name, "" // the shell says its own
	}
	s.record.Prompted = ""
	if s.record.Conversation != nil {
		s.record.Leave("its agent has ended")
		s.hub.Publish(hostproto.Event{Type: hostproto.EventConversation, Why: s.record.Unknown}, true)
	}
	s.records.Save(s.record, true)
	s.hub.Publish(hostproto.Event{Type: hostproto.EventAgent, Agent: &hostproto.Agent{
		ID: s.record.Agent, Name: s.record.AgentName, Plain: s.record.Plain,
	}}, true)
	s.hub.Publish(hostproto.Event{Type: hostproto.EventTitle, Title: s.record.Title()}, true)

	said := s.foreground.said
	s.foreground.said = nil
	s.note(status.Event{At: now, Kind: status.KindLaunch})
	if plain {
		return
	}
	for _, ev := range said {
		if now.Sub(ev.At) > rememberFor {
			continue
		}
		if ev.Kind == status.KindTitle {
			ev = classified(ev.Kind, w.rules.ClassifyTitle(ev.Text), ev.Text) // a terminal has no rules
		}
		ev.At = now
		s.hear(ev)
	}
}

// change makes the deliverer one for another program; a delivery at work goes
// on as it began.
func (v *deliverer) change(m *atp.Manifest, w *watcher) {
	r := readiness{plain: m.IsTerminal(), manifest: m.Ready}
	if m.Ready != nil {
		r.matches = w.rules.ScreenReady
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.plain, v.input = m.IsTerminal(), atp.Input{}
	if m.Input != nil {
		v.input = *m.Input
	}
	v.changed = &r
}

// program is what is known of the program for a new delivery.
func (v *deliverer) program() (in atp.Input, plain bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.input, v.plain
}
