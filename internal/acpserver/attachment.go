package acpserver

import (
	"context"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/hostproto"
)

const (
	dialTime    = 5 * time.Second
	journalWait = 10 * time.Second
)

// attachment is a session that the client has open.
type attachment struct {
	s    *Server
	id   string // ours
	host *hostproto.Client
	// life ends with the attachment; work is what the client wants of the
	// host, in its order.
	life context.Context
	stop context.CancelFunc
	work chan func()

	// Only history and then the follower use these.
	mirror mirror
	after  uint64
	open   *act // the question that stood when it was attached

	mu      sync.Mutex
	pending map[int]*acp.Responder // the client's prompts, by the host's number
	lost    error                  // the host has gone
	asked   func(cause error)      // gives up the question that the client is asked
}

// maxWork bounds what a client may ask of a session at once.
const maxWork = 64

// attach opens a session of that host and tells the client what was said, if
// it wants that. It returns when all that had happened is told.
func (s *Server) attach(ctx context.Context, id, socket string, replay bool) (*attachment, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	host, err := hostproto.Dial(ctx, socket, hostproto.Hello{Role: hostproto.RoleControl, Client: "termio " + s.o.Version + " acp serve"})
	if err != nil {
		return nil, fmt.Errorf("reach the session's host: %w", err)
	}
	a := &attachment{s: s, id: id, host: host, work: make(chan func(), maxWork), pending: map[int]*acp.Responder{}}
	a.life, a.stop = context.WithCancel(context.Background())
	if a.open, err = a.history(ctx, replay); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// start begins to tell what happens, and to do what the client wants.
func (a *attachment) start() {
	go a.follow()
	go func() {
		for {
			select {
			case f := <-a.work:
				f()
			case <-a.life.Done():
				return
			}
		}
	}()
}

// do has the client's wish done after those before it. It reports false when
// there are too many.
func (a *attachment) do(f func()) bool {
	select {
	case a.work <- f:
		return true
	default:
		return false
	}
}

func (a *attachment) close() {
	a.stop()
	a.host.Close()
}

// history reads the journal to where it ends now. It returns the question that
// stands.
func (a *attachment) history(ctx context.Context, replay bool) (open *act, err error) {
	for {
		reply, err := a.read(ctx, 0)
		if err != nil {
			return nil, err
		}
		for _, e := range reply.entries {
			for _, one := range a.mirror.add(e) {
				switch {
				case one.ask != nil:
					open = &one
				case one.answered != nil, one.over != nil:
					open = nil
				case replay:
					a.tell(one)
				}
			}
		}
		if a.after >= reply.last {
			if !replay && a.mirror.commands != nil {
				a.tell(act{update: a.mirror.commands})
			}
			return open, nil
		}
	}
}

// part is a part of the journal.
type part struct {
	entries []acphost.Entry
	last    uint64
}

// read reads on in the journal.
func (a *attachment) read(ctx context.Context, wait time.Duration) (p part, err error) {
	var reply hostproto.JournalReply
	if err := a.host.Call(ctx, hostproto.OpJournal, hostproto.JournalRequest{After: a.after, WaitMs: int(wait.Milliseconds())}, &reply); err != nil {
		return p, err
	}
	p.last = reply.Last
	lines := make([]jsontext.Value, 0, len(reply.Entries)+1)
	for _, line := range reply.Entries {
		lines = append(lines, jsontext.Value(line))
	}
	if reply.Large != nil {
		line, err := largeEntry(reply.Large)
		if err != nil {
			return p, err
		}
		lines = append(lines, line)
	}
	for _, line := range lines {
		var e acphost.Entry
		if err := json.Unmarshal(line, &e); err != nil {
			return p, fmt.Errorf("read the session's journal: %w", err)
		}
		a.after = max(a.after, e.Seq)
		p.entries = append(p.entries, e)
	}
	if len(lines) == 0 && wait == 0 {
		a.after = p.last // entries that cannot be read are not waited for
	}
	return p, nil
}

func largeEntry(l *hostproto.LargeEntry) (jsontext.Value, error) {
	f, err := os.Open(l.Path)
	if err != nil {
		return nil, fmt.Errorf("read the session's journal: %w", err)
	}
	defer f.Close()
	line := make([]byte, l.Size)
	if _, err := f.ReadAt(line, l.Offset); err != nil {
		return nil, fmt.Errorf("read the session's journal: %w", err)
	}
	return line, nil
}

// follow tells the client what happens, until the session or the client ends.
func (a *attachment) follow() {
	if a.open != nil {
		a.tell(*a.open)
	}
	for {
		p, err := a.read(a.life, journalWait)
		if err != nil {
			a.end(err)
			return
		}
		for _, e := range p.entries {
			for _, one := range a.mirror.add(e) {
				a.tell(one)
			}
		}
	}
}

// end fails what the client waits for, when the host is gone.
func (a *attachment) end(cause error) {
	lost := fmt.Errorf("the session has ended (%w); load it again to go on", cause)
	a.mu.Lock()
	a.lost = lost
	pending := a.pending
	a.pending = nil
	a.mu.Unlock()
	a.s.forget(a)
	a.close()
	for _, r := range pending {
		r.Fail(acp.Errorf(acp.CodeInternal, "%v", lost))
	}
	a.dropAsked()
}

// tell tells the client of one thing.
func (a *attachment) tell(one act) {
	switch {
	case one.update != nil:
		a.send(one.update)
	case one.prompt != "" || one.prompted != 0:
		if !a.isOurs(one.prompted) {
			a.said(acp.UpdateUser, one.prompt)
		}
	case one.over != nil:
		a.dropAsked()
		a.over(*one.over)
	case one.ask != nil:
		a.dropAsked()
		a.ask(one)
	case one.answered != nil:
		a.dropAsked()
	}
}

// send passes an update on. One for a client that is gone goes nowhere.
func (a *attachment) send(update jsontext.Value) {
	_ = a.s.conn.Notify(acp.MethodSessionUpdate, notification{SessionID: a.id, Update: update})
}

// notification is a session/update whose update is as the agent wrote it.
type notification struct {
	SessionID string         `json:"sessionId"`
	Update    jsontext.Value `json:"update"`
}

// said is a piece of text.
func (a *attachment) said(kind, text string) {
	raw, err := acp.Encode(struct {
		Kind    string           `json:"sessionUpdate"`
		Content acp.ContentBlock `json:"content"`
	}{kind, acp.TextBlock(text)})
	if err == nil {
		a.send(raw)
	}
}

// isOurs tells whether the client itself gave that prompt.
func (a *attachment) isOurs(id int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.pending[id] != nil
}

// prompt gives the session a prompt; its answer comes with the turn's end.
func (a *attachment) prompt(r *acp.Responder, text string) {
	var reply hostproto.PromptReply
	a.mu.Lock() // the follower tells nothing of it before its number is known
	defer a.mu.Unlock()
	err := a.lost
	if err == nil {
		err = a.host.Call(a.life, hostproto.OpPrompt, hostproto.PromptRequest{Text: text}, &reply)
	}
	if err != nil {
		r.Fail(acp.Errorf(acp.CodeInternal, "%v", err))
		return
	}
	a.pending[reply.ID] = r
}

// over answers the prompt whose turn has ended.
func (a *attachment) over(ev acphost.Event) {
	a.mu.Lock()
	r := a.pending[ev.ID]
	delete(a.pending, ev.ID)
	a.mu.Unlock()
	switch {
	case r == nil:
	case ev.Type == acphost.EventCompleted:
		r.Result(acp.PromptResponse{StopReason: acp.StopReason(ev.StopReason)})
	case ev.Type == acphost.EventWithdrawn:
		r.Result(acp.PromptResponse{StopReason: acp.StopReasonCancelled})
	case ev.Error == acphost.FailAuth:
		r.Fail(acp.Errorf(acp.CodeAuthRequired, "%s", ev.Message))
	default:
		r.Fail(acp.Errorf(acp.CodeInternal, "%s", ev.Message))
	}
}

// cancel ends the turn that runs, and what waits behind it.
func (a *attachment) cancel() {
	// A host that is gone has no turn.
	_ = a.host.Send(a.life, hostproto.OpCancel, nil)
}
