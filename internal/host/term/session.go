//go:build unix

package term

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/host"
	proc "github.com/termio-sh/termio/internal/host/process"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/status"
	"github.com/termio-sh/termio/vt"
)

// session is one terminal session: the program, its terminal, and who looks.
type session struct {
	pty     *pty
	reaper  proc.Reaper
	child   *proc.Child
	tee     *host.Tee
	engine  *engine
	input   *inputQueue
	hub     *host.Hub
	records *host.RecordWriter
	log     func(format string, args ...any)

	launched   time.Time
	token      string       // proves that a report comes from inside this launch
	generation uint64       // names this launch for the reducer
	speaks     speaker      // guarded by mu
	file       *statusFile  // the agent's own; nil: it keeps none
	resume     *atp.Resume  // how the agent's conversations are known; nil: not
	program    programFile  // the agent's, as it was at the launch
	taken      string       // a conversation that belongs to another session; guarded by mu
	lastOutput atomic.Int64 // Unix nanoseconds
	typedAt    atomic.Int64 // when a person last pressed a key
	pressedAt  atomic.Int64 // when a delivery last wrote
	asked      atomic.Bool  // something was typed, by whatever way
	announced  atomic.Bool  // the program asked for program status
	prompted   atomic.Bool  // the shell marked a prompt
	marks      bool         // it was started so that it does

	setup setup

	quit     chan struct{} // closed when the host may go: ends the engine
	finished chan struct{} // closed when everything that was started is gone

	deliveries deliverer
	lines      lineCount // of the transcript; the deliverer's

	mu         sync.Mutex
	record     hostproto.Record
	size       hostproto.Size
	watcher    *watcher
	foreground *foreground // nil but in a plain terminal
	// turns and questions are those counted before the present watcher's.
	turns, questions int
	lastStatus       hostproto.Status
	// undelivered says why the first prompt is not with the agent, until
	// something is submitted or a turn later than undeliveredAt begins.
	undelivered   string
	undeliveredAt int
	titles        level
	cwds          level
	states        level
	signals       budget
	draft         string // what a person typed and did not send
	commands      int    // whose end a plain terminal's shell told
	// first is how the payload that it was started with was delivered.
	first     *hostproto.Delivery
	closing   string // reason, once it is being closed
	stopped   string // the signal that the host was ended with
	stopAgain bool   // a signal came when the session had ended
	enteredAt int    // the turns that had begun when the conversation was entered
	onClosed  []func(*hostproto.Error)
	filters   map[*host.Peer]*filter
}

// read moves output from the PTY into the tee until the program's terminal is
// gone.
func (s *session) read() {
	for {
		err := s.pty.read(s.tee.Space, func(n int) {
			s.tee.Publish(n)
			if n > 0 {
				s.lastOutput.Store(time.Now().UnixNano())
			}
		})
		if err == io.EOF && s.alive(reopenPoll) {
			continue // it has let go of its terminal, and may open it again
		}
		if err != nil {
			s.tee.Close()
			return
		}
		s.tee.WaitRoom(s.quit)
	}
}

// reopenPoll is how often a living program without a terminal is looked at.
const reopenPoll = 100 * time.Millisecond

// alive waits for the program's end, at most d, and tells whether it still runs.
func (s *session) alive(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-s.child.Exited:
		return false
	case <-t.C:
		return true
	}
}

// terminalEvent takes what the program says, on the engine's goroutine.
func (s *session) terminalEvent(ev vt.Event) {
	if ev.Kind == vt.EventProgramStatus && ev.Status.Query {
		s.announced.Store(true)
	}
	s.setup.heard(ev)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.Closed != nil {
		return
	}
	switch ev.Kind {
	case vt.EventTitle:
		s.retitle(cleanTitle(ev.Text, s.record))
	case vt.EventWorkingDirectory:
		s.chdir(cut(ev.Text, 4096))
	case vt.EventBell:
		s.signal(hostproto.Signal{Kind: "bell"})
	case vt.EventNotification:
		s.signal(hostproto.Signal{Kind: "notification", Title: cut(ev.Title, maxSignal), Text: cut(ev.Text, maxSignal)})
	}
	s.markHeard(ev)
	if out, ok := s.watcher.programEvent(ev); ok {
		s.note(out)
	}
}

func (s *session) signal(sig hostproto.Signal) {
	if s.signals.allow(time.Now()) {
		s.hub.Publish(hostproto.Event{Type: hostproto.EventSignal, Signal: &sig}, true)
	}
}

func (s *session) retitle(title string) {
	if title == s.record.LiveTitle {
		return
	}
	s.record.LiveTitle = title
	s.records.Save(s.record, false)
	s.tell(&s.titles, func() hostproto.Event {
		return hostproto.Event{Type: hostproto.EventTitle, Title: s.record.Title()}
	})
}

func (s *session) chdir(dir string) {
	if dir == s.record.Cwd {
		return
	}
	s.record.Cwd = dir
	s.records.Save(s.record, false)
	s.tell(&s.cwds, func() hostproto.Event { return hostproto.Event{Type: hostproto.EventCwd, Cwd: s.record.Cwd} })
}

// sample is the engine's regular look at the screen.
func (s *session) sample(t *vt.Terminal, now time.Time) {
	s.lookForeground(now)
	s.lookAtFile(now)
	s.lookAtShell(now)
	s.mu.Lock()
	w := s.watcher
	s.mu.Unlock()
	ev, ok := w.screenEvent(t)
	if !ok {
		return
	}
	ev.At = now
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.Closed == nil && s.watcher == w {
		s.note(ev)
	}
}

// Info is the session right now.
func (s *session) Info() hostproto.Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info()
}

func (s *session) info() hostproto.Info {
	i := hostproto.Info{Record: s.record, Status: s.wireStatus(), Size: s.size, Pending: s.deliveries.pending()}
	i.Record.Size = s.size
	i.First, i.Output = s.first, s.tee.End()
	i.Seq, i.Viewers = s.hub.Seq()
	if at := s.lastOutput.Load(); at != 0 {
		i.LastOutput = time.Unix(0, at)
	}
	return i
}

// Subscribe is Info for a peer that gets every event after it.
func (s *session) Subscribe(p *host.Peer) hostproto.Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hub.Subscribe(p)
	return s.info()
}

// Attached takes over a new viewer's size, and its coming as being looked at.
func (s *session) Attached(p *host.Peer) {
	h := p.Hello()
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.Role != hostproto.RoleInteract {
		return
	}
	s.filters[p] = newFilter()
	if hasSize(h) && s.hub.Owner() == p {
		s.resize(*h.Size)
	}
	s.note(status.Event{Kind: status.KindSeen})
}

// Left forgets a viewer.
func (s *session) Left(p *host.Peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.filters, p)
}

// Owns gives the size back to the viewer that owns the session now.
func (s *session) Owns(p *host.Peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := p.Hello(); hasSize(h) && s.hub.Owner() == p {
		s.resize(*h.Size)
	}
}

// resize sets the terminal's size; the same size again is nothing, since a
// program repaints for each.
func (s *session) resize(size hostproto.Size) {
	size = clampSize(size)
	if size == s.size || s.record.Closed != nil {
		return
	}
	if err := s.pty.resize(size); err != nil {
		s.log("%v", err)
		return
	}
	s.size, s.record.Size = size, size
	s.tee.Mark(size)
	s.records.Save(s.record, false)
}

func hasSize(h hostproto.Hello) bool { return h.Size != nil && h.Size.Cols > 0 && h.Size.Rows > 0 }

func clampSize(s hostproto.Size) hostproto.Size {
	return hostproto.Size{Cols: min(max(s.Cols, 1), vt.MaxCols), Rows: min(max(s.Rows, 1), vt.MaxRows)}
}

// Snapshot is what a viewer starts from.
func (s *session) Snapshot(p *host.Peer) (host.Snapshot, bool) {
	snap, ok := s.engine.snapshot(p.Hello().Scrollback)
	snap.Owner = s.hub.Owner() == p
	return snap, ok
}

// Input passes on what the owning viewer typed, without the answers that its
// terminal gave to queries: only the engine answers.
func (s *session) Input(p *host.Peer, data []byte) {
	s.mu.Lock()
	f := s.filters[p]
	s.mu.Unlock()
	if f == nil {
		return
	}
	f.pass(data, func(p []byte) { s.typed(p, f.typing.read(p)) })
}

// typed takes filtered input of a viewer, and what its person did with it.
func (s *session) typed(data []byte, did pressed) {
	if len(data) == 0 {
		return
	}
	now := time.Now()
	if did.key {
		s.asked.Store(true)
		s.typedAt.Store(now.UnixNano())
	}
	s.input.typing(data)
	if !did.key {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.Closed != nil {
		return
	}
	if s.watcher.machine.Status().State == status.Done {
		s.note(status.Event{At: now, Kind: status.KindSeen})
	}
	s.draft = did.draft
	s.note(status.Event{At: now, Kind: status.KindInput, Interrupt: did.interrupt})
	if did.submit {
		s.undelivered = ""
		s.submitted(now, did.line)
		s.note(status.Event{At: now, Kind: status.KindSubmit})
	}
}
