package acphost

import (
	"context"
	"encoding/json/jsontext"
	"errors"
	"fmt"
	"time"

	"github.com/termio-sh/termio/internal/acp"
)

// The versions of the protocol.
const (
	stableVersion = 1
	draftVersion  = 2
)

// open gives a connection with its session, setting one up where there is none.
// kept tells that it was there.
func (s *Session) open(ctx context.Context) (l *live, kept bool, err error) {
	if err := s.beginOpening(ctx); err != nil {
		return nil, false, err
	}
	defer s.endOpening()
	s.mu.Lock()
	l, closed := s.live, s.closed
	s.mu.Unlock()
	switch {
	case closed:
		return nil, false, ErrClosed
	case l != nil:
		return l, true, l.preferOnce(ctx)
	}
	l, err = s.setUp(ctx, func(l *live) error {
		if err := l.establish(ctx, RequestTime); err != nil {
			return err
		}
		return l.preferOnce(ctx)
	})
	return l, false, err
}

// beginOpening takes the one place for starting an agent; endOpening leaves it.
func (s *Session) beginOpening(ctx context.Context) error {
	select {
	case s.opening <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Session) endOpening() { <-s.opening }

// setUp starts the agent and has rest do what remains until its session is
// there. What fails leaves nothing.
func (s *Session) setUp(ctx context.Context, rest func(*live) error) (*live, error) {
	l, err := s.start(ctx)
	if err == nil {
		err = rest(l)
	}
	if err == nil {
		s.mu.Lock()
		if s.closed {
			err = ErrClosed
		} else {
			s.live = l
		}
		s.mu.Unlock()
	}
	if err == nil {
		return l, nil
	}
	if l == nil {
		return nil, err
	}
	s.mu.Lock()
	l.tellNoise()
	s.mu.Unlock()
	if !errors.Is(err, errCancelled) {
		err = l.withStderr(err)
	}
	s.discard(l)
	l.end()
	return nil, err
}

// preferOnce sets the session as wished, if that was not done yet.
func (l *live) preferOnce(ctx context.Context) error {
	if l.preferred {
		return nil
	}
	err := l.prefer(ctx)
	l.preferred = err == nil
	if errors.Is(err, acp.ErrClosed) {
		err = &undeliveredError{err}
	}
	return err
}

// start starts the agent and initializes it.
func (s *Session) start(ctx context.Context) (*live, error) {
	s.mu.Lock()
	s.o.Note(Event{Type: EventStarting})
	before := s.last
	s.mu.Unlock()
	if before != nil { // what it started must not take the new one along
		before.end()
		<-before.dead
	}
	link, err := s.o.Connect()
	if err != nil {
		return nil, missing(err)
	}
	l := s.attach(link)
	s.mu.Lock()
	s.last = l
	s.mu.Unlock()
	return l, l.initialize(ctx)
}

// call asks the agent within a time; what ctx's end is caused by, and the
// time's end, are said.
func (l *live) call(ctx context.Context, within time.Duration, method string, params, into any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, within, timeout{within.String()})
	defer cancel()
	return l.conn.Call(ctx, method, params, into)
}

// capabilities are ours, as the session's mode allows.
func (o *Options) capabilities() acp.ClientCapabilities {
	return acp.ClientCapabilities{
		FS:          &acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: o.Mode.Acts()},
		Terminal:    o.Mode.Acts() && o.Launch != nil,
		Elicitation: &acp.ElicitationCapabilities{Form: &acp.ElicitationFormCapabilities{}, URL: &acp.ElicitationUrlCapabilities{}},
		Session: &acp.ClientSessionCapabilities{ConfigOptions: &acp.SessionConfigOptionsCapabilities{
			Boolean: &acp.BooleanConfigOptionCapabilities{},
		}},
	}
}

func (l *live) initialize(ctx context.Context) error {
	o := &l.s.o
	offered := acp.ProtocolVersion(stableVersion)
	if o.Draft {
		offered = draftVersion
	}
	caps := o.capabilities()
	err := l.call(ctx, InitializeTime, acp.MethodInitialize, acp.InitializeRequest{
		ProtocolVersion: offered, ClientCapabilities: &caps,
		ClientInfo: &acp.Implementation{Name: "termio", Title: "Termio", Version: o.Version},
	}, &l.init)
	if err != nil {
		return err
	}
	if v := l.init.ProtocolVersion; v != stableVersion {
		return &Failure{FailProtocol, fmt.Errorf("%s: the agent speaks version %d of the protocol, which is not supported; this program speaks version %d",
			acp.MethodInitialize, v, stableVersion)}
	}
	return nil
}

func (l *live) caps() acp.AgentCapabilities {
	if l.init.AgentCapabilities == nil {
		return acp.AgentCapabilities{}
	}
	return *l.init.AgentCapabilities
}

func (l *live) sessionCaps() acp.SessionCapabilities {
	if c := l.caps().SessionCapabilities; c != nil {
		return *c
	}
	return acp.SessionCapabilities{}
}

// canGoOn tells whether the session can be continued by another process.
func (l *live) canGoOn() bool { return l.caps().LoadSession || l.sessionCaps().Resume != nil }

// establish makes the session: a new one, or the one to go on with, by resume
// where it is there, else by load (rows 130–132). It is never another one
// than was asked for.
func (l *live) establish(ctx context.Context, newTime time.Duration) error {
	s := l.s
	s.mu.Lock()
	if !s.spoken {
		s.id = "" // agents do not keep what nothing was said in
	}
	id := s.id
	s.mu.Unlock()
	fresh := l.fresh(id)
	if fresh != "" {
		id = ""
	}
	var err error
	if id == "" {
		id, err = l.newSession(ctx, newTime)
	} else {
		err = l.goOn(ctx, id)
	}
	if err != nil {
		if f := failure(err); f.Word == FailAuth {
			return &Failure{FailAuth, fmt.Errorf("%w%s", err, signIn(l.init.AuthMethods))}
		}
		return err
	}
	s.mu.Lock()
	s.id = id
	if fresh != "" {
		s.retell, s.spoken, s.o.Fresh = true, false, ""
		s.o.Note(Event{Type: EventNotice, Message: "a new session of the agent's goes on with the conversation: " + fresh})
	}
	ev := s.config.event(EventReady)
	ev.ProviderSessionID, ev.Agent = id, l.init.AgentInfo
	s.o.Note(ev)
	s.mu.Unlock()
	return nil
}

// fresh says why the session cannot be gone on with, so that a new one is told
// what was said (rows 134, 190); empty where it can, or where there is nothing
// to tell: then it is an error that it cannot.
func (l *live) fresh(id string) string {
	s := l.s
	if s.o.Retell == nil {
		return ""
	}
	s.mu.Lock()
	why := s.o.Fresh
	s.mu.Unlock()
	if why == "" && id != "" && !l.canGoOn() {
		why = "this agent cannot continue one"
	}
	if why == "" || s.o.Retell() == "" {
		return ""
	}
	return why
}

func (l *live) newSession(ctx context.Context, within time.Duration) (string, error) {
	var out acp.NewSessionResponse
	err := l.withServers(func(mcp []acp.McpServer) error {
		out = acp.NewSessionResponse{}
		return l.call(ctx, within, acp.MethodNewSession, acp.NewSessionRequest{Cwd: l.s.o.Dir, MCPServers: mcp}, &out)
	})
	if err == nil && out.SessionID == "" {
		err = fmt.Errorf("%s: the agent gave the session no id", acp.MethodNewSession)
	}
	l.configured(Config{out.ConfigOptions, out.Modes, modelList(out.Unknown, out.Meta)})
	return string(out.SessionID), err
}

// goOn continues the session of that id.
func (l *live) goOn(ctx context.Context, id string) error {
	load := l.caps().LoadSession
	if l.sessionCaps().Resume != nil {
		err := l.resume(ctx, id)
		var refused *acp.Error
		if !errors.As(err, &refused) || refused.Code != acp.CodeNoMethod || !load {
			return ofSession(id, err)
		}
	} else if !load {
		return &Failure{FailResume, fmt.Errorf(
			"the agent cannot continue the session %s: it declares neither sessionCapabilities.resume (session/resume) nor loadSession (session/load)", id)}
	}
	return ofSession(id, l.load(ctx, id))
}

func ofSession(id string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("continue the session %s: %w", id, err)
}

func (l *live) resume(ctx context.Context, id string) error {
	var out acp.ResumeSessionResponse
	before := l.replayed.Load()
	l.replaying()
	err := l.withServers(func(mcp []acp.McpServer) error {
		return l.call(ctx, RequestTime, acp.MethodResumeSession, acp.ResumeSessionRequest{
			SessionID: acp.SessionId(id), Cwd: l.s.o.Dir, MCPServers: mcp,
		}, &out)
	})
	if err != nil {
		return err
	}
	l.configured(Config{out.ConfigOptions, out.Modes, modelList(out.Unknown, out.Meta)})
	if l.replayed.Load() != before {
		return l.settle(ctx)
	}
	return nil
}

func (l *live) load(ctx context.Context, id string) error {
	var out acp.LoadSessionResponse
	l.replaying()
	ended := l.logLoad(ctx, id)
	err := l.withServers(func(mcp []acp.McpServer) error {
		return l.call(ctx, LoadTime, acp.MethodLoadSession, acp.LoadSessionRequest{
			SessionID: acp.SessionId(id), Cwd: l.s.o.Dir, MCPServers: mcp,
		}, &out)
	})
	ended(err)
	if err != nil {
		return err
	}
	l.configured(Config{out.ConfigOptions, out.Modes, modelList(out.Unknown, out.Meta)})
	return l.settle(ctx)
}

// replaying marks in the journal that what follows is history.
func (l *live) replaying() {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	l.s.o.Note(Event{Type: EventReplay, ProviderSessionID: l.s.id})
}

// settle waits until the replay is over: nothing came for a while, counted
// from the answer, so that a late piece of history is no part of the turn.
func (l *live) settle(ctx context.Context) error {
	answered := time.Now()
	for {
		now := time.Now()
		last := answered
		if at := time.Unix(0, l.replayed.Load()); at.After(last) {
			last = at
		}
		wait := min(settleQuiet-now.Sub(last), settleMax-now.Sub(answered))
		if wait <= 0 {
			return nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}

// Capabilities are what the agent said of itself, raw.
func (l *live) capabilities() jsontext.Value {
	raw, err := acp.Encode(l.caps())
	if err != nil {
		return nil
	}
	return raw
}
