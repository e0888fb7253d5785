package acphost

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/termio-sh/termio/internal/acp"
)

// live is a connection to a running agent, and what it may ask of us.
type live struct {
	s      *Session
	link   *Link
	conn   *acp.Conn
	stderr *stderr
	files  *files
	terms  *terminals

	init acp.InitializeResponse
	// toolAsks are the tool calls that ask, by id; see toolask.go. The reader's
	// goroutine has them.
	toolAsks map[string]*Question

	// preferred tells that the session was set as wished; guarded by
	// Session.opening.
	preferred bool
	// session is the provider's id while a turn runs, guarded by s.mu.
	session string
	// replayed is when the last piece of history came, in Unix nanoseconds.
	replayed atomic.Int64

	noise noise
	tap   func(Entry)   // an errand's; guarded by s.mu
	dead  chan struct{} // closed when the connection is over
}

// noise are lines on the agent's standard output that are no messages.
type noise struct {
	count, told int // guarded by s.mu
	lines       []string
}

const (
	noiseLines = 5   // kept
	noiseLine  = 200 // bytes of each
)

// attach speaks to an agent that was started.
func (s *Session) attach(link *Link) *live {
	l := &live{
		s: s, link: link, stderr: drain(link.Err), dead: make(chan struct{}),
		files: newFiles(s.o.Mode.Acts(), s.o.Dir),
		terms: &terminals{launch: s.o.Launch, env: s.o.Env, dir: s.o.Dir, allow: s.o.Mode.Acts() && s.o.Launch != nil, show: s.o.Terminal},
	}
	l.conn = acp.New(link.Out, link.In, acp.Options{
		Handler:  l,
		Noise:    l.heardNoise,
		Received: func(m acp.Message) { s.o.Message(FromAgent, m.Raw) },
		Sent:     func(line []byte) { s.o.Message(FromClient, withoutSecrets(line)) },
		Idle:     s.o.Idle,
	})
	go l.watch()
	return l
}

// watch takes notice of the agent's end.
func (l *live) watch() {
	select {
	case <-l.conn.Done():
	case <-l.link.Process.Exited():
		// What it started may hold its output open.
		timer := time.NewTimer(deadTime)
		defer timer.Stop()
		select {
		case <-l.conn.Done():
		case <-timer.C:
			l.link.End()
			<-l.conn.Done()
		}
	}
	l.terms.close()
	why := l.withStderr(l.conn.Err())
	s := l.s
	s.mu.Lock()
	was := s.live == l
	if was {
		s.live = nil
	}
	if was && s.current == nil && !s.closed {
		s.o.Note(Event{Type: EventExited, Message: "the agent has ended: " + why.Error(), ProviderSessionID: s.id})
	}
	s.mu.Unlock()
	l.end()
	close(l.dead)
}

// end ends the agent and everything it started.
func (l *live) end() {
	l.conn.Close(errDead)
	l.link.In.Close()
	l.link.End()
}

func (l *live) heardNoise(line []byte) {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	l.noise.count++
	if len(l.noise.lines) < noiseLines {
		text := strings.ToValidUTF8(string(line[:min(len(line), noiseLine)]), "\uFFFD")
		l.noise.lines = append(l.noise.lines, visible(text))
	}
}

// tellNoise tells of the lines that were skipped since it did so last; s.mu is
// held.
func (l *live) tellNoise() {
	if n := &l.noise; n.count > n.told {
		l.s.o.Note(Event{Type: EventNoise, Count: n.count - n.told, Lines: n.lines})
		n.told, n.lines = n.count, nil
	}
}

// Notification takes what the agent tells.
func (l *live) Notification(m acp.Message) {
	if m.Method != acp.MethodSessionUpdate {
		return // kept in the journal
	}
	l.s.mu.Lock()
	if l.tap != nil {
		l.tap(Entry{At: time.Now(), From: FromAgent, Msg: m.Raw})
	}
	l.s.mu.Unlock()
	c := acp.UpdateOf(m.Params)
	switch c.Kind {
	case acp.UpdateMessage, acp.UpdateThought, acp.UpdateUser, acp.UpdateTool, acp.UpdateToolMore:
		l.replayed.Store(time.Now().UnixNano())
		if c.Kind == acp.UpdateTool || c.Kind == acp.UpdateToolMore {
			l.shown(c)
		}
	case acp.UpdateConfig:
		var u acp.SessionUpdate
		if acp.Decode(c.Update, &u) == nil {
			l.s.mu.Lock()
			l.s.config.Options = u.ConfigOptions
			l.follow()
			l.s.mu.Unlock()
		}
	case acp.UpdateMode:
		var u acp.SessionUpdate
		if acp.Decode(c.Update, &u) == nil {
			l.s.mu.Lock()
			l.s.config.moded(u.CurrentModeID)
			l.follow()
			l.s.mu.Unlock()
		}
	}
}

// Request takes what the agent asks. What is not known is refused, and the
// connection goes on.
func (l *live) Request(m acp.Message, r *acp.Responder) {
	switch m.Method {
	case acp.MethodRequestPermission:
		l.permission(m, r)
	case acp.MethodCreateElicitation:
		l.elicitation(m, r)
	case askMethod, askMethodOld:
		l.askUser(m, r)
	case acp.MethodReadTextFile:
		var q acp.ReadTextFileRequest
		if decode(m, r, &q) {
			out, failure := l.files.read(q)
			answer(r, out, failure)
		}
	case acp.MethodWriteTextFile:
		var q acp.WriteTextFileRequest
		if decode(m, r, &q) {
			answer(r, acp.WriteTextFileResponse{}, l.files.save(q))
		}
	case acp.MethodCreateTerminal, acp.MethodTerminalOutput, acp.MethodReleaseTerminal, acp.MethodKillTerminal, acp.MethodWaitForTerminalExit:
		l.terms.serve(m, r)
	default:
		r.Fail(acp.Errorf(acp.CodeNoMethod, "Method not found: %s", m.Method))
	}
}

// inTurn tells whether a turn runs that has not been cancelled, and that the
// request belongs to.
func (l *live) inTurn(session string) bool {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	t := l.s.current
	return l.s.live == l && t != nil && !t.cancelled && t.sent && (session == "" || session == l.session)
}

func (l *live) permission(m acp.Message, r *acp.Responder) {
	var q acp.RequestPermissionRequest
	if !decode(m, r, &q) {
		return
	}
	s := l.s
	if !l.inTurn(string(q.SessionID)) {
		r.Result(acp.RequestPermissionResponse{Outcome: cancelled})
		return
	}
	outcome, ask := Decide(s.o.Mode, q.ToolCall.Kind, q.Options)
	if !ask || len(q.Options) == 0 {
		if ask {
			outcome = cancelled
		}
		said := outcome.Outcome
		for _, o := range q.Options {
			if outcome.OptionID != "" && o.OptionID == outcome.OptionID {
				said = o.Name
			}
		}
		s.mu.Lock()
		s.o.Note(Event{Type: EventDecided, Title: q.ToolCall.Title, Kind: string(q.ToolCall.Kind), ToolCallID: string(q.ToolCall.ToolCallID), Answer: said})
		s.mu.Unlock()
		r.Result(acp.RequestPermissionResponse{Outcome: outcome})
		return
	}
	l.put(permissionQuestion(q), r, func(o Outcome) any { return permissionAnswer(o) })
}

func (l *live) elicitation(m acp.Message, r *acp.Responder) {
	var q acp.CreateElicitationRequest
	if !decode(m, r, &q) {
		return
	}
	question, ok := elicitationQuestion(q)
	if !ok || !l.inTurn(string(q.SessionID)) || !l.s.o.Attended && l.s.o.Mode != Ask {
		action := "cancel"
		if !ok {
			action = "decline"
		}
		r.Result(acp.CreateElicitationResponse{Action: action})
		return
	}
	l.put(question, r, func(o Outcome) any { return elicitationAnswer(question, o) })
}

func (l *live) askUser(m acp.Message, r *acp.Responder) {
	question, kept, err := askUser(m.Params)
	switch {
	case err != nil:
		r.Fail(acp.Errorf(acp.CodeBadParams, "%v", err))
		return
	case len(question.Pages) == 0, !l.inTurn(""), !l.s.o.Attended && l.s.o.Mode != Ask:
		r.Result(askResponse{Outcome: "cancelled"})
		return
	}
	l.put(question, r, func(o Outcome) any { return askAnswer(kept, o) })
}

// put asks people, and takes the question back when the agent does.
func (l *live) put(q *Question, r *acp.Responder, result func(Outcome) any) {
	tool := ""
	if q.Kind != "permission" { // which only lets the tool run
		tool = q.Tool
	}
	l.asksItself(tool)
	l.s.ask(q, func(o Outcome) { r.Result(result(o)) })
	go func() {
		<-r.Context().Done()
		l.s.withdraw(q) // nothing when it was answered
	}()
}
