//go:build unix

package acp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/host"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/prompt"
	"github.com/termio-sh/termio/internal/status"
)

type replyFunc = func(body any, failure *hostproto.Error)

func refuse(reply replyFunc, code, format string, args ...any) {
	reply(nil, &hostproto.Error{Code: code, Message: fmt.Sprintf(format, args...)})
}

// Control takes one request of a peer. What calls the agent's session may have
// to wait for it, so it runs beside the peer's other requests.
func (s *session) Control(p *host.Peer, q hostproto.Request, reply replyFunc) {
	switch q.Op {
	case hostproto.OpScreen:
		handle(q, reply, s.showScreen)
	case hostproto.OpSend:
		handle(q, reply, s.send)
	case hostproto.OpCancel:
		s.agent.Cancel()
		reply(s.Info(), nil)
	case hostproto.OpJournal:
		handle(q, reply, func(r hostproto.JournalRequest, reply replyFunc) { go s.readJournal(p, r, reply) })
	case hostproto.OpPrompt:
		handle(q, reply, s.prompt)
	case hostproto.OpAnswer:
		handle(q, reply, s.answer)
	case hostproto.OpOptions:
		handle(q, reply, func(r hostproto.OptionsRequest, reply replyFunc) { go s.options(p, r, reply) })
	case hostproto.OpErrand:
		go s.errandDone(p, reply)
	case hostproto.OpWarm:
		go s.keepWarm(p, reply)
	case hostproto.OpAdopt:
		handle(q, reply, func(a hostproto.AdoptRequest, reply replyFunc) { go s.adopt(a, reply) })
	case hostproto.OpLook:
		handle(q, reply, func(r hostproto.LookRequest, reply replyFunc) { go s.look(p, r, reply) })
	case hostproto.OpQueue:
		handle(q, reply, s.queue)
	case hostproto.OpClose:
		handle(q, reply, func(c hostproto.CloseRequest, reply replyFunc) {
			s.close(c.Reason, func(failure *hostproto.Error) {
				reply(hostproto.CloseReply{Closed: s.closed(), Unsaved: s.records.Settled()}, failure)
			})
		})
	case hostproto.OpRename:
		handle(q, reply, s.rename)
	case hostproto.OpSeen:
		s.mu.Lock()
		s.seen()
		s.mu.Unlock()
		reply(s.Info(), nil)
	case hostproto.OpResize:
		handle(q, reply, func(size hostproto.Size, reply replyFunc) {
			p.SetSize(size)
			s.Owns(p)
			reply(size, nil)
		})
	case hostproto.OpTrace:
		s.mu.Lock()
		t := hostproto.TraceReply{Changes: append([]hostproto.Change{}, s.trace...)}
		s.mu.Unlock()
		reply(t, nil)
	case hostproto.OpReport:
		reply(struct{}{}, nil) // hooks say less than the protocol does
	default:
		refuse(reply, hostproto.CodeBadOp, "this host does not know the operation %q", q.Op)
	}
}

// handle decodes a request's body for f.
func handle[T any](q hostproto.Request, reply replyFunc, f func(T, replyFunc)) {
	var body T
	if len(q.Body) > 0 {
		if err := json.Unmarshal(q.Body, &body); err != nil {
			refuse(reply, hostproto.CodeBadRequest, "the body of %s cannot be read: %v", q.Op, err)
			return
		}
	}
	f(body, reply)
}

func (s *session) showScreen(q hostproto.ScreenRequest, reply replyFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := q.Lines
	if lines <= 0 {
		lines = s.record.Size.Rows
	}
	reply(hostproto.Screen{Text: strings.TrimRight(s.talk.Lines(lines), "\n "), Size: s.record.Size}, nil)
}

// send gives the agent a prompt, or the answer to the question that stands.
// Escape ends the turn.
func (s *session) send(q hostproto.SendRequest, reply replyFunc) {
	for _, k := range q.Keys {
		switch strings.ToLower(k) {
		case "escape", "esc", "ctrl+c", "ctrl-c":
		case "enter", "return":
			q.Enter = true
		default:
			refuse(reply, hostproto.CodeBadKey, "%q does nothing here: a session over ACP takes whole prompts and answers, and escape ends its turn", k)
			return
		}
	}
	s.mu.Lock()
	st, over := s.wire(), s.record.Closed != nil || s.closing != ""
	before := &hostproto.Before{Turn: st.Turn, Asked: st.Asked, State: st.State, Tells: true, Screen: s.screen(), Transcript: s.journal.where(), Lines: s.journal.length()}
	s.mu.Unlock()
	yes := true
	done := hostproto.SendReply{Bytes: len(q.Text), Verified: true, Turn: st.Turn, Submitted: &yes, Before: before}
	switch {
	case over:
		refuse(reply, hostproto.CodeNotLive, "the session has ended")
	case q.Answers != 0 && (st.State != string(status.NeedsYou) || st.Asked != q.Answers):
		refuse(reply, hostproto.CodePromptChanged, "that question is not asked any more; read the session again")
	case q.Text == "" && len(q.Keys) > 0:
		s.agent.Cancel()
		done.Submitted = nil
		reply(done, nil)
	case !q.Enter:
		refuse(reply, hostproto.CodeBadRequest, "a session over ACP takes whole prompts: leave --no-enter out")
	default:
		s.say(q, done, reply)
	}
}

// say is an answer where a question stands, else a prompt.
func (s *session) say(q hostproto.SendRequest, done hostproto.SendReply, reply replyFunc) {
	switch err := s.agent.Answer(q.Text); {
	case err == nil:
		reply(done, nil)
		return
	case !errors.Is(err, acphost.ErrNoQuestion):
		refuse(reply, hostproto.CodeBadRequest, "%v", err)
		return
	case q.Answers != 0:
		refuse(reply, hostproto.CodePromptChanged, "that question is not asked any more; read the session again")
		return
	}
	running := done.Before.State == string(status.Working) || done.Before.State == string(status.NeedsYou)
	before, err := s.agent.Prompt(q.Text)
	if err != nil {
		refuse(reply, hostproto.CodeNotLive, "%v", err)
		return
	}
	if running { // those before it have turns of their own
		done.Turn = max(done.Turn, before)
		done.Before.Turn = done.Turn
	}
	reply(done, nil)
}

// prompt takes a prompt of a client that knows the protocol's terms.
func (s *session) prompt(q hostproto.PromptRequest, reply replyFunc) {
	if q.Text == "" {
		refuse(reply, hostproto.CodeBadRequest, "the prompt is empty")
		return
	}
	id, _, err := s.agent.Submit(q.Text, q.Attach...)
	if err != nil {
		refuse(reply, hostproto.CodeNotLive, "%v", err)
		return
	}
	reply(hostproto.PromptReply{ID: id}, nil)
}

// queue tells which prompts wait, and withdraws one.
func (s *session) queue(q hostproto.QueueRequest, reply replyFunc) {
	out := hostproto.Queue{Prompts: []hostproto.Queued{}}
	if q.Drop > 0 {
		if w, ok := s.agent.Withdraw(q.Drop); ok {
			out.Dropped = &hostproto.Queued{N: w.ID, Text: w.Text, Reason: "working"}
		}
	}
	for _, w := range s.agent.Queue() {
		out.Prompts = append(out.Prompts, hostproto.Queued{N: w.ID, Text: w.Text, Reason: "working"})
	}
	reply(out, nil)
}

// answer takes the answer to one question, from whoever is first.
func (s *session) answer(q hostproto.AnswerRequest, reply replyFunc) {
	switch err := s.agent.AnswerTo(q.Question, q.Page, q.Text); {
	case err == nil:
		reply(struct{}{}, nil)
	case errors.Is(err, acphost.ErrNoQuestion):
		refuse(reply, hostproto.CodePromptChanged, "that question is not asked any more")
	default:
		refuse(reply, hostproto.CodeBadRequest, "%v", err)
	}
}

func (s *session) seen() {
	s.status(s.machine.Apply(status.Event{At: time.Now(), Kind: status.KindSeen}))
}

func (s *session) rename(q hostproto.RenameRequest, reply replyFunc) {
	s.mu.Lock()
	s.record.UserTitle = prompt.Clean(q.Title)
	s.records.Save(s.record, true)
	s.hub.Publish(hostproto.Event{Type: hostproto.EventTitle, Title: s.record.Title()}, true)
	s.mu.Unlock()
	go func() { reply(hostproto.RenameReply{Info: s.Info(), Unsaved: s.records.Settled()}, nil) }()
}

// readJournal answers with what stands after an entry, waiting for it if need
// be.
func (s *session) readJournal(p *host.Peer, q hostproto.JournalRequest, reply replyFunc) {
	if q.WaitMs > 0 {
		stop := make(chan struct{})
		timer := time.AfterFunc(time.Duration(q.WaitMs)*time.Millisecond, func() { close(stop) })
		s.journal.after(q.After, either(stop, p.Closed()))
		timer.Stop()
	}
	out, err := s.journal.read(q.After)
	if err != nil {
		refuse(reply, hostproto.CodeInternal, "%v", err)
		return
	}
	reply(out, nil)
}

// either is closed when one of two is.
func either(a, b <-chan struct{}) <-chan struct{} {
	out := make(chan struct{})
	go func() {
		defer close(out)
		select {
		case <-a:
		case <-b:
		}
	}()
	return out
}

// look answers when the conversation is another one than was seen, and has
// stayed so.
func (s *session) look(p *host.Peer, q hostproto.LookRequest, reply replyFunc) {
	quiet := time.Duration(q.QuietMs) * time.Millisecond
	for {
		s.mu.Lock()
		now := s.screen()
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		changed := s.changed
		s.mu.Unlock()
		if now == q.Not {
			select {
			case <-changed:
			case <-p.Closed():
				return
			case <-s.finished:
				refuse(reply, hostproto.CodeNotLive, "the session has ended")
				return
			}
			continue
		}
		timer := time.NewTimer(quiet)
		select {
		case <-timer.C:
			reply(hostproto.Look{Screen: now}, nil)
			return
		case <-changed:
		case <-p.Closed():
		}
		timer.Stop()
	}
}

// errand is something that is done without a turn.
type errand struct {
	done  chan struct{}
	loads []acphost.LoadRecord // its own goroutine's, until it is done
	reply hostproto.ErrandReply
}

func newErrand() *errand { return &errand{done: make(chan struct{})} }

// errandTime is how long its result is kept for whoever asked.
const errandTime = 5 * time.Second

func (s *session) runErrand(raw []byte) {
	var e acphost.Errand
	ctx, cancel := s.whileOpen()
	defer cancel()
	err := json.Unmarshal(raw, &e)
	var found acphost.Found
	if err == nil {
		found, err = s.agent.Run(ctx, e)
	}
	var f *acphost.Failure
	switch {
	case errors.As(err, &f):
		s.errand.reply = hostproto.ErrandReply{Word: f.Word, Message: f.Error()}
	case err != nil:
		s.errand.reply = hostproto.ErrandReply{Word: acphost.FailAgent, Message: err.Error()}
	}
	found.Loads = s.errand.loads
	if data, e := json.Marshal(found); e == nil {
		s.errand.reply.Found = data
	}
	close(s.errand.done)
	timer := time.NewTimer(errandTime)
	defer timer.Stop()
	select {
	case <-timer.C:
		s.end(hostproto.ReasonExited)
	case <-s.finished:
	}
}

func (s *session) errandDone(p *host.Peer, reply replyFunc) {
	if s.errand == nil {
		refuse(reply, hostproto.CodeBadOp, "this session has no errand")
		return
	}
	select {
	case <-s.errand.done:
		reply(s.errand.reply, nil)
	case <-p.Closed():
		s.end(hostproto.ReasonUser) // nobody waits for it
	}
}
