package acphost

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/acp"
)

// Options are a session's.
type Options struct {
	// Connect starts the agent. An error names what is missing.
	Connect func() (*Link, error)
	// Launch starts the programs of the agent's terminals, with Env.
	Launch Launcher
	Env    []string
	// Terminal shows one of them to people; it may be nil.
	Terminal func(command, dir string) TerminalView

	Program string // the name of the agent's
	Dir     string // absolute
	Mode    Mode
	// Attended tells that somebody may answer questions that no mode answers,
	// now or later.
	Attended bool
	// Continue is the provider's id of the session to go on with.
	Continue string
	// MCP are the servers that the session is given.
	MCP []acp.McpServer
	// Fresh says why the conversation goes on in a new session of the agent's,
	// which is told what was said; empty where it need not.
	Fresh string
	// Retell is what was said so far; it may be nil. It is called with no lock
	// of the session's.
	Retell func() string
	// Past reads a session of the agent's that it cannot replay itself; nil where
	// there is no way.
	Past func(session string) (title string, lines []Line, err error)
	// Draft offers version 2 of the protocol, which is a draft.
	Draft bool
	// Prefer is what the session is set to, once it is there.
	Prefer Preferences
	// Known is what an earlier life of the session could be set to.
	Known Config

	Version string // of this program, for the agent

	// Message is shown every message of the wire, Note every event of the
	// session, in one order. They are called with the session's locks held and
	// must not call back.
	Message func(from string, raw []byte)
	Note    func(Event)
	// Idle is called when all that has arrived is handled.
	Idle func()
	// Loading is told of every session/load; it may be nil.
	Loading func(LoadRecord)
}

// maxQueue is how many prompts may wait for the turns before them.
const maxQueue = 64

// Session is one conversation with an agent. The agent's program is started
// with the first prompt, and again when it has gone.
type Session struct {
	o Options

	// mu comes before the connection's and the journal's locks.
	mu        sync.Mutex
	live      *live
	last      *live  // the newest that was started
	id        string // the provider's
	turns     int
	prompts   int // taken
	queue     []queued
	current   *turn
	questions []*Question // pending, the oldest first
	asked     int
	closed    bool
	rest      *time.Timer // until the agent may go
	warming   *warmUp     // nil where there was none
	config    Config
	spoken    bool // a prompt was sent in the session that id names
	retell    bool // the next prompt tells the agent what was said before
	visits    int
	visitors  map[int]context.CancelCauseFunc // what opens the session without a turn

	work    chan struct{} // cap 1: a prompt, or the end
	opening chan struct{} // cap 1: held while the agent is started
	over    chan struct{} // closed when the runner has ended
}

// turn is a prompt on its way.
type turn struct {
	queued
	n         int
	ctx       context.Context // of the set-up
	cancel    context.CancelCauseFunc
	sent      bool
	cancelled bool
	over      bool
	answered  bool // its answer is the next turn
	done      chan struct{}
	timer     *time.Timer // of a cancel that is not answered
}

// NewSession makes a session. Nothing runs before the first prompt or Open.
func NewSession(o Options) *Session {
	s := &Session{
		o: o, id: o.Continue, spoken: o.Continue != "", config: o.Known, visitors: map[int]context.CancelCauseFunc{},
		work: make(chan struct{}, 1), over: make(chan struct{}), opening: make(chan struct{}, 1),
	}
	go s.run()
	return s
}

// ErrClosed is a session that has ended.
var ErrClosed = errors.New("the session has ended")

// Prompt puts a prompt in the queue. It returns the number of turns before it.
func (s *Session) Prompt(text string) (before int, err error) {
	_, before, err = s.Submit(text)
	return before, err
}

// Submit is Prompt that also tells the prompt's id, by which its events are
// known: EventPrompt and the turn's last one, or EventWithdrawn. Files that are
// attached are read when its turn begins.
func (s *Session) Submit(text string, attach ...string) (id, before int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return 0, 0, ErrClosed
	case len(s.queue) >= maxQueue:
		return 0, 0, fmt.Errorf("%d prompts wait already", len(s.queue))
	}
	before = s.turns + len(s.queue)
	s.prompts++
	if s.current != nil || len(s.queue) > 0 {
		s.o.Note(Event{Type: EventQueued, ID: s.prompts, Text: text})
	}
	s.queue = append(s.queue, queued{s.prompts, text, attach})
	s.poke()
	return s.prompts, before, nil
}

func (s *Session) poke() {
	select {
	case s.work <- struct{}{}:
	default:
	}
}

// ProviderID is the agent's own id of the session; empty when not known yet.
func (s *Session) ProviderID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// Pending is how many prompts wait or run.
func (s *Session) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.queue)
	if s.current != nil {
		n++
	}
	return n
}

// run takes one prompt after the other.
func (s *Session) run() {
	defer close(s.over)
	for range s.work {
		for {
			t := s.begin()
			if t == nil {
				break
			}
			s.turn(t)
		}
		s.mu.Lock()
		closed := s.closed
		s.mu.Unlock()
		if closed {
			return
		}
	}
}

func (s *Session) begin() *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.queue) == 0 {
		return nil
	}
	s.turns++
	t := &turn{n: s.turns, queued: s.queue[0], done: make(chan struct{})}
	s.queue = slices.Delete(s.queue, 0, 1)
	t.ctx, t.cancel = context.WithCancelCause(context.Background())
	s.current = t
	if s.rest != nil {
		s.rest.Stop()
	}
	s.o.Note(Event{Type: EventPrompt, ID: t.id, Text: t.text, Turn: t.n})
	return t
}

// turn sees one prompt to its end. Where the agent that was there already turns
// out to have gone before it got the prompt, another one gets it, once (row
// 133).
func (s *Session) turn(t *turn) {
	defer t.cancel(nil)
	l, kept, err := s.open(t.ctx)
	if err == nil {
		err = s.deliver(t, l)
	}
	if kept && undelivered(err) {
		s.retrying(l, err)
		if l, _, err = s.open(t.ctx); err == nil {
			err = s.deliver(t, l)
		}
	}
	if err != nil {
		if l != nil {
			err = l.withStderr(err)
		}
		s.finish(t, "", err)
	}
}

// deliver gives the agent the prompt and waits for the end of the turn. An
// error is that the turn has not ended and the agent did not get the prompt.
func (s *Session) deliver(t *turn, l *live) error {
	if l.hasGone() {
		return &undeliveredError{fmt.Errorf("%s: %w", acp.MethodPrompt, acp.ErrClosed)}
	}
	s.mu.Lock()
	if t.cancelled {
		s.mu.Unlock()
		return errCancelled
	}
	spoken, retells := s.spoken, s.retell
	t.sent, s.spoken = true, true
	l.session = s.id
	s.o.Note(Event{Type: EventTurn, Turn: t.n, ProviderSessionID: s.id})
	text, retell := t.text, s.retell && !strings.HasPrefix(t.text, "/") // a command is sent as it is
	s.retell = s.retell && !retell
	s.mu.Unlock()
	if retell {
		text = s.o.Retell() + text
	}
	images := l.caps().PromptCapabilities != nil && l.caps().PromptCapabilities.Image
	request := acp.PromptRequest{SessionID: acp.SessionId(s.id), Prompt: promptBlocks(text, t.attach, s.o.Dir, images)}
	lost := make(chan error, 1)
	l.conn.Go(acp.MethodPrompt, request, func(result []byte, err error) {
		if errors.Is(err, acp.ErrNotSent) {
			lost <- &undeliveredError{err}
			return
		}
		var p acp.PromptResponse
		if err == nil {
			err = acp.Decode(result, &p)
		}
		if err == nil {
			err = knownReason(p.StopReason)
		}
		if err != nil {
			err = l.withStderr(err)
		}
		s.finish(t, string(p.StopReason), err)
	})
	select {
	case <-t.done:
		return nil
	case err := <-lost:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.spoken, s.retell = spoken, retells
		return err
	}
}

func knownReason(r acp.StopReason) error {
	switch r {
	case acp.StopReasonEndTurn, acp.StopReasonMaxTokens, acp.StopReasonMaxTurnRequests, acp.StopReasonRefusal, acp.StopReasonCancelled:
		return nil
	}
	return fmt.Errorf("%s: the agent ended the turn with the unknown reason %q", acp.MethodPrompt, r)
}

// finish ends a turn, once: there is exactly one last event.
func (s *Session) finish(t *turn, reason string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.over {
		return
	}
	t.over = true
	if t.timer != nil {
		t.timer.Stop()
	}
	s.dropQuestions()
	if s.current == t {
		s.current = nil
	}
	if s.live != nil {
		s.live.session = ""
		s.live.tellNoise()
	}
	ev := Event{Type: EventCompleted, ID: t.id, StopReason: reason, ProviderSessionID: s.id, Turn: t.n}
	switch {
	case t.cancelled:
		ev.StopReason, ev.Next = string(acp.StopReasonCancelled), t.answered && len(s.queue) > 0
	case err != nil:
		f := failure(err)
		if f.Word == FailGone {
			s.live = nil // told here
		}
		ev = Event{Type: EventFailed, ID: t.id, Error: f.Word, Message: f.Error(), ProviderSessionID: s.id, Turn: t.n}
	}
	s.o.Note(ev)
	s.rests()
	close(t.done)
}

// release lets go of an agent that has had nothing to do for long.
func (s *Session) release() {
	s.mu.Lock()
	l := s.live
	if s.current != nil || len(s.queue) > 0 || s.closed {
		l = nil
	}
	if l != nil {
		s.o.Note(Event{Type: EventReleased, ProviderSessionID: s.id})
	}
	s.mu.Unlock()
	s.discard(l)
	s.drop(l)
}

// Cancel ends the turn that runs, and whatever waits behind it. It reports
// whether there was one.
func (s *Session) Cancel() bool { return s.cancel(true) }

func (s *Session) cancel(queueToo bool) bool {
	s.mu.Lock()
	t := s.current
	if queueToo {
		s.withdrawQueue()
	}
	if t == nil || t.over || t.cancelled {
		s.mu.Unlock()
		return t != nil
	}
	t.cancelled = true
	s.dropQuestions()
	t.cancel(errCancelled)
	l, id := s.live, s.id
	if t.sent {
		t.timer = time.AfterFunc(cancelTime, func() {
			s.finish(t, "", errCancelled)
			s.drop(l)
		})
	}
	s.mu.Unlock()
	if t.sent {
		// To a connection that has ended it need not be said.
		_ = l.conn.Notify(acp.MethodCancel, acp.CancelNotification{SessionID: acp.SessionId(id)})
	}
	return true
}

// Close ends the session and the agent.
func (s *Session) Close() {
	s.mu.Lock()
	s.closed = true
	s.withdrawQueue()
	if s.rest != nil {
		s.rest.Stop()
	}
	t, l, w := s.current, s.live, s.warming
	for _, leave := range s.visitors {
		leave(ErrClosed)
	}
	if t != nil {
		t.cancelled = true
		t.cancel(errCancelled)
	}
	s.mu.Unlock()
	if t != nil {
		s.finish(t, "", errCancelled)
	}
	if w != nil {
		w.abort(ErrClosed)
		<-w.done
	}
	s.discard(l)
	s.drop(l)
	s.poke()
	<-s.over
	s.opening <- struct{}{} // what is being started is over
	<-s.opening
	s.mu.Lock()
	last := s.last
	s.mu.Unlock()
	if last != nil {
		last.end()
		<-last.dead
	}
}

// drop lets go of the agent's program; the next prompt starts it again.
func (s *Session) drop(l *live) {
	if l == nil {
		return
	}
	s.mu.Lock()
	if s.live == l {
		s.live = nil
	}
	s.mu.Unlock()
	l.end()
}

// ask puts a question to people. answer is called once.
func (s *Session) ask(q *Question, then func(Outcome)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.current; t == nil || t.cancelled {
		then(Outcome{Dropped: true}) // it ended meanwhile
		return
	}
	s.asked++
	q.ID, q.answer = s.asked, then
	s.questions = append(s.questions, q)
	if len(s.questions) == 1 {
		s.show()
	}
}

// show tells the question that stands.
func (s *Session) show() {
	q := s.questions[0]
	copied := *q
	s.o.Note(Event{Type: EventQuestion, ID: q.ID, Page: len(q.answers), Kind: q.Kind, Text: q.Prompt(), Question: &copied})
}

// ErrNoQuestion tells that nothing is asked.
var ErrNoQuestion = errors.New("nothing is asked")

// Answer answers the oldest question, or the next page of it. An answer that
// cannot be one is an error that says what can.
func (s *Session) Answer(text string) error { return s.answer(0, 0, text) }

// AnswerTo is Answer for one page of one question. ErrNoQuestion is that it is
// not asked any more.
func (s *Session) AnswerTo(id, page int, text string) error { return s.answer(id, page, text) }

func (s *Session) answer(id, page int, text string) error {
	s.mu.Lock()
	if len(s.questions) == 0 || id != 0 && (s.questions[0].ID != id || len(s.questions[0].answers) != page) {
		s.mu.Unlock()
		return ErrNoQuestion
	}
	q := s.questions[0]
	done, err := q.Give(text)
	if err != nil {
		s.mu.Unlock()
		return err
	}
	given := q.answers[len(q.answers)-1]
	said := given.Text
	if len(given.Choices) == 1 {
		said = given.Choices[0].Name
	}
	s.o.Note(Event{Type: EventAnswered, ID: q.ID, Answer: said, Count: len(s.questions)})
	if done {
		s.questions = s.questions[1:]
	}
	if len(s.questions) > 0 {
		s.show()
	}
	s.mu.Unlock()
	if done {
		q.answer(Outcome{Answers: q.answers})
	}
	return nil
}

// Asking tells whether a question stands, and how many were put.
func (s *Session) Asking() (stands bool, asked int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.questions) > 0, s.asked
}

// dropQuestions answers every pending question that it is cancelled; s.mu is
// held.
func (s *Session) dropQuestions() {
	all := s.questions
	s.questions = nil
	for _, q := range all {
		s.o.Note(Event{Type: EventAnswered, ID: q.ID, Dropped: true})
		q.answer(Outcome{Dropped: true})
	}
}

// withdraw takes back a question that the agent no longer asks.
func (s *Session) withdraw(q *Question) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.questions, q)
	if i < 0 {
		return
	}
	s.questions = slices.Delete(s.questions, i, i+1)
	s.o.Note(Event{Type: EventAnswered, ID: q.ID, Dropped: true})
	if i == 0 && len(s.questions) > 0 {
		s.show()
	}
}
