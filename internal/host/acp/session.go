//go:build unix

package acp

import (
	"encoding/json"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/host"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/prompt"
	"github.com/termio-sh/termio/internal/status"
	"github.com/termio-sh/termio/internal/version"
)

const (
	linger   = 1500 * time.Millisecond // for peers to read the end
	maxTrace = 200
)

var defaultSize = hostproto.Size{Cols: 120, Rows: 40}

// session is one session and who looks at it.
type session struct {
	agent   *acphost.Session
	procs   *processes
	journal *journal
	hub     *host.Hub
	records *host.RecordWriter
	log     func(string, ...any)
	errand  *errand
	warm    *warm // nil for a host that was a session from its begin
	doors   doors
	line    func(any) // writes a line to the log

	leaving  chan struct{} // closed when the session begins to end
	leave    sync.Once
	finished chan struct{} // closed when everything that was started is gone
	answered chan struct{} // closed when those who asked for that know it

	// mu comes after acphost's lock and before the journal's: what is called
	// with it held must not call the session.
	mu       sync.Mutex
	dir      string // the session's folder
	once     bool
	record   hostproto.Record
	machine  *status.Machine
	trace    []hostproto.Change
	last     hostproto.Status
	timer    *time.Timer
	talk     acphost.Conversation
	events   acphost.Translator
	facts    acphost.Facts
	children children
	earlier  string // what was said in a session before this one
	lastOut  time.Time
	changed  chan struct{} // closed when the conversation changes; nil when nobody waits
	closing  string
	onClosed []func(*hostproto.Error)
	failed   string // why the last turn did, in acphost's words
	known    bool   // the conversation's history is there, or needs not be
	view     *view
	over     bool                // of a host that ends after one turn
	first    *hostproto.Delivery // of what the session was started with
}

func newSession(spec hostproto.Spec, past Past, logf func(string, ...any), line func(any)) (*session, error) {
	r := spec.Record
	r.Version, r.Kind, r.Closed = hostproto.RecordVersion, hostproto.KindACP, nil
	if r.Size.Cols <= 0 || r.Size.Rows <= 0 {
		r.Size = defaultSize
	}
	if r.Created.IsZero() {
		r.Created = time.Now()
	}
	r.HostPID = os.Getpid()
	r.HostBoot, _ = hostproto.ProcessStamp(r.HostPID) // "" is doubt, which keeps a session
	r.Permissions = spec.ACP.Permissions
	s := &session{
		record: r, hub: host.NewHub(), log: logf, line: line, dir: spec.SessionDir, once: spec.ACP.Once, leaving: make(chan struct{}), finished: make(chan struct{}), answered: make(chan struct{}),
		machine: status.New(status.Config{}, time.Now()), procs: &processes{log: logf},
	}
	s.view = newView(r.Size)
	s.doors.server = host.NewServer(s, s.hub)
	if spec.ACP.Warm {
		s.warm = &warm{ready: make(chan struct{})}
	}
	if len(spec.ACP.Errand) > 0 {
		s.errand = newErrand() // before anybody can ask for it
	}
	s.last = s.wire()
	s.record.State, s.record.Since = s.last.State, s.last.Since
	s.records = host.NewRecordWriter(spec.SessionDir, func(err error) { logf("%v; the session goes on", err) })
	if err := s.records.SaveNow(s.record); err != nil {
		return nil, err
	}
	var err error
	if s.journal, err = openJournal(spec.SessionDir, logf, s.recall); err != nil {
		return nil, err
	}
	s.known = !s.talk.Empty()
	mode, err := acphost.ParseMode(spec.ACP.Permissions)
	if err != nil {
		return nil, err
	}
	o := acphost.Options{
		Launch: s.procs.launch, Env: spec.Env, Dir: r.Dir, Mode: mode, Attended: !spec.ACP.Once,
		Continue: spec.ACP.Continue, Version: version.Version, Draft: spec.ACP.Draft,
		Message: s.message, Note: s.note, Idle: s.idle, Known: s.facts.Config, Loading: s.loading,
	}
	if len(spec.ACP.MCP) > 0 {
		if err := acp.Decode(spec.ACP.MCP, &o.MCP); err != nil {
			return nil, err
		}
	}
	if spec.ACP.OwnMCP != "" {
		o.MCP = append(o.MCP, ownServer(spec.ACP.OwnMCP, spec.Env))
	}
	o.Terminal = func(command, dir string) acphost.TerminalView { return s.showTerminal(command, dir) }
	o.Program = filepath.Base(spec.ACP.Argv[0])
	if past != nil && o.Program == "dsh" {
		o.Past = func(id string) (string, []acphost.Line, error) { return past(spec.Env, r.Dir, id) }
	}
	o.Fresh, o.Retell = spec.ACP.Fresh, s.retell
	s.earlier = spec.ACP.Told
	if len(spec.ACP.Prefer) > 0 {
		if err := json.Unmarshal(spec.ACP.Prefer, &o.Prefer); err != nil {
			return nil, err
		}
	}
	argv, env, dir := spec.ACP.Argv, spec.Env, r.Dir
	o.Connect = func() (*acphost.Link, error) {
		link, pid, err := s.procs.connect(argv, env, dir)
		s.mu.Lock()
		s.record.ChildPID = pid
		s.mu.Unlock()
		return link, err
	}
	s.agent = acphost.NewSession(o)
	return s, nil
}

// begin gives the session what it was started for.
func (s *session) begin(spec hostproto.Spec) {
	switch {
	case len(spec.ACP.Errand) > 0:
		go s.runErrand(spec.ACP.Errand)
	case spec.ACP.Warm:
		go s.runWarm()
	case spec.Prompt != nil && spec.Prompt.Text != "":
		s.prompted(spec.Prompt.Text)
	case s.once:
		time.AfterFunc(promptTime, s.abandoned)
	}
}

// promptTime is how long a host that is there for one turn waits for it.
const promptTime = 30 * time.Second

// abandoned ends a host that never got its one prompt.
func (s *session) abandoned() {
	s.mu.Lock()
	none := !s.record.Spoken
	s.mu.Unlock()
	if none {
		s.end(hostproto.ReasonExited)
	}
}

// recall takes an entry of an earlier life of the session: people read on
// where they were.
func (s *session) recall(e acphost.Entry) {
	s.apply(e)
}

// message takes what went over the wire.
func (s *session) message(from string, raw []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.journal.message(from, raw)
	if from == acphost.FromAgent {
		s.lastOut = e.At
		s.apply(e)
	}
}

// note takes what acphost tells.
func (s *session) note(ev acphost.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.apply(s.journal.add(acphost.Entry{From: acphost.FromHost, Note: &ev}))
	s.react(ev)
}

// apply makes the conversation follow. History that an agent replays is read
// only where there is none yet.
func (s *session) apply(e acphost.Entry) {
	for _, ev := range s.events.Add(e) {
		s.facts.Apply(ev)
		if ev.Type == acphost.EventReady {
			s.known = true
		}
		if ev.Replay && s.known {
			continue
		}
		s.talk.Apply(ev)
		s.told()
	}
}

func (s *session) told() {
	s.dirty()
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
	if title := prompt.Clean(s.talk.Title); title != "" && title != s.record.LiveTitle {
		s.record.LiveTitle = title
		s.records.Save(s.record, false)
		s.hub.Publish(hostproto.Event{Type: hostproto.EventTitle, Title: s.record.Title()}, true)
	}
}

// idle is called when all that has arrived is handled.
func (s *session) idle() { s.journal.settle() }

// react makes the status and the record follow; s.mu is held.
func (s *session) react(ev acphost.Event) {
	switch ev.Type {
	case acphost.EventQuestion, acphost.EventCompleted, acphost.EventFailed:
		s.journal.settle() // before it is told: cursors count what is on disk
	}
	switch ev.Type {
	case acphost.EventPrompt:
		s.record.Spoken = true
		if s.record.Prompted == "" {
			s.record.Prompted = prompt.Title(ev.Text)
			s.hub.Publish(hostproto.Event{Type: hostproto.EventTitle, Title: s.record.Title()}, true)
		}
		s.submitted()
		s.program(status.Program{State: "working"})
	case acphost.EventReady:
		if s.record.Spoken { // agents do not keep what nothing was said in
			s.entered(ev.ProviderSessionID)
		}
	case acphost.EventTurn:
		s.entered(ev.ProviderSessionID)
		if s.record.Fresh != "" { // something was said in the new conversation
			s.record.Fresh = ""
			s.records.Save(s.record, true)
			s.hub.Publish(hostproto.Event{Type: hostproto.EventTitle, Title: s.record.Title()}, true)
		}
	case acphost.EventQuestion:
		kind := "question"
		if ev.Kind == "permission" {
			kind = "permission"
		}
		s.program(status.Program{State: "blocked", Kind: kind, Msg: ev.Text, Options: ev.Question.Names()})
	case acphost.EventAnswered:
		if !ev.Dropped {
			s.submitted()
			s.program(status.Program{State: "working"})
		}
	case acphost.EventCompleted:
		s.failed = ""
		if ev.Next {
			break // it goes on
		}
		s.program(status.Program{State: "done"})
		s.turnOver()
	case acphost.EventFailed:
		s.failed = ev.Error
		s.program(status.Program{State: "error", Msg: ev.Message})
		s.turnOver()
	case acphost.EventExited:
		s.log("%s", ev.Message)
		s.agentEnded()
	}
}

// loading logs what an agent's session/load does (row 13).
func (s *session) loading(r acphost.LoadRecord) {
	s.line(struct {
		PID int    `json:"pid"`
		Msg string `json:"msg"`
		acphost.LoadRecord
	}{os.Getpid(), "acp session/load", r})
	if s.errand != nil {
		s.errand.loads = append(s.errand.loads, r)
	}
}

// entered notes the agent's own id of the session.
func (s *session) entered(id string) {
	if c := s.record.Conversation; c != nil && c.ID == id {
		return
	}
	s.record.Enter(hostproto.Conversation{ID: id, How: hostproto.HowProtocol, Since: time.Now()})
	s.records.Save(s.record, true)
	s.hub.Publish(hostproto.Event{Type: hostproto.EventConversation, Conversation: s.record.Conversation}, true)
}

// turnOver ends a host that was started for one turn.
func (s *session) turnOver() {
	if !s.once || s.over {
		return
	}
	s.over = true
	go s.end(hostproto.ReasonExited)
}

// submitted tells the reducer that what follows is a person's doing, so that it
// is not doubted.
func (s *session) submitted() {
	s.status(s.machine.Apply(status.Event{At: time.Now(), Kind: status.KindSubmit}))
}

func (s *session) program(p status.Program) {
	s.status(s.machine.Apply(status.Event{At: time.Now(), Kind: status.KindProgramStatus, Program: p}))
}

// status tells everybody what changed; s.mu is held.
func (s *session) status(changes []status.Change) {
	for _, c := range changes {
		s.trace = append(s.trace, hostproto.Change{At: c.At, From: string(c.From), To: string(c.To), Cause: wireCause(c.Cause)})
	}
	if n := len(s.trace); n > maxTrace {
		s.trace = slices.Delete(s.trace, 0, n-maxTrace)
	}
	st := s.wire()
	if len(changes) == 0 && st.Equal(s.last) {
		return
	}
	s.last = st
	s.dirty()
	changed := s.record.State != st.State
	s.record.State, s.record.Since = st.State, st.Since
	s.hub.Publish(hostproto.Event{Type: hostproto.EventStatus, Status: &st}, true)
	if changed {
		s.records.Save(s.record, true)
	}
	s.arm()
}

// arm sets the timer for what time alone changes.
func (s *session) arm() {
	if s.timer != nil {
		s.timer.Stop()
	}
	if at, ok := s.machine.Deadline(); ok && s.record.Closed == nil {
		s.timer = time.AfterFunc(max(time.Until(at), time.Millisecond), func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.status(s.machine.Tick(time.Now()))
		})
	}
}

func (s *session) wire() hostproto.Status {
	st := s.machine.Status()
	if st.Error != "" && s.failed != "" {
		st.Cause.Rule = s.failed
	}
	return hostproto.Status{
		State: string(st.State), Since: st.Since, Question: st.Question, Options: st.Options, Asked: st.Asked,
		Description: st.Description, Unconfirmed: st.Unconfirmed, Error: st.Error, Turn: st.Turn, Cause: wireCause(st.Cause),
	}
}

// channel is what a cause says where the protocol spoke.
const channel = "acp"

func wireCause(c status.Cause) hostproto.Cause {
	if c.Channel == status.ChannelProgram {
		c.Channel = channel
	}
	return hostproto.Cause{Channel: c.Channel, Rule: c.Rule, Text: c.Text}
}

// Info is the session right now.
func (s *session) Info() hostproto.Info {
	pending := s.pending()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info(pending)
}

// pending is asked before s.mu is taken, see there.
func (s *session) pending() int {
	if s.agent == nil {
		return 0
	}
	return s.agent.Pending()
}

func (s *session) info(pending int) hostproto.Info {
	i := hostproto.Info{Record: s.record, Status: s.wire(), Size: s.record.Size, LastOutput: s.lastOut, First: s.first}
	if i.Status.State == "idle" {
		i.Pending = pending
	}
	i.Seq, i.Viewers = s.hub.Seq()
	i.Terminals = s.children.records()
	return i
}

// Subscribe is Info for a peer that gets every event after it.
func (s *session) Subscribe(p *host.Peer) hostproto.Info {
	pending := s.pending()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hub.Subscribe(p)
	return s.info(pending)
}

// screen stands for the conversation's text, for Look.
func (s *session) screen() uint64 {
	h := fnv.New64a()
	h.Write([]byte(s.talk.Text()))
	return h.Sum64() | 1
}
