package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/orchestrate"
)

// errMoved ends a wait because the coordinator ends: its client takes it up
// with the next one.
var errMoved = errors.New("the coordinator ends")

// ticket is a wait that can be taken up again by another coordinator: what was
// so before the payload was submitted, and until when it waits.
type ticket struct {
	ID       string               `json:"id"`
	Agent    string               `json:"agent"`
	Plain    bool                 `json:"plain,omitempty"`
	Created  bool                 `json:"created,omitempty"`
	Deadline time.Time            `json:"deadline"`
	Size     int                  `json:"size,omitempty"` // bytes of the text
	Known    hostproto.Status     `json:"known"`
	Sent     *hostproto.SendReply `json:"sent,omitempty"` // nil: on its way; only of a payload given at spawn
	Pressed  bool                 `json:"pressed,omitempty"`
}

// ticketKey is where a call's context has the function that hands its client
// the ticket.
type ticketKey struct{}

func withTicket(ctx context.Context, give func(string)) context.Context {
	return context.WithValue(ctx, ticketKey{}, give)
}

func giveTicket(ctx context.Context, t ticket) {
	give, ok := ctx.Value(ticketKey{}).(func(string))
	if !ok {
		return
	}
	if text, err := json.Marshal(t); err == nil { // it always can be
		give(string(text))
	}
}

// sent is how a payload was delivered.
type sent struct {
	reply hostproto.SendReply
	err   error
}

// seen is what was seen of the screen: that it changed, or that it stayed as it
// was.
type seen struct{ still, raw bool }

// wait is one wait at work.
type wait struct {
	d    *Daemon
	t    ticket
	rule *orchestrate.Wait
	feed *feed
	last session // as far as it is known

	delivered chan sent
	screen    chan seen
	looking   context.CancelFunc
	err       error // there is no outcome, and this is why
	// lines is how many the transcript had before the payload was typed, for a
	// host that cannot count them.
	lines atomic.Pointer[int]
}

// newWait begins to listen to a session, which may not exist yet. end lets go.
func (d *Daemon) newWait(t ticket) (w *wait, end func()) {
	f, known, stop := d.roster.subscribe(interest{id: t.ID})
	w = &wait{d: d, t: t, feed: f, delivered: make(chan sent, 1), screen: make(chan seen), looking: func() {}}
	w.rule = &orchestrate.Wait{
		Plain: t.Plain, Agent: t.Agent, Deadline: t.Deadline, Long: time.Until(t.Deadline) > orchestrate.StallTime,
	}
	for i := range known {
		w.last = known[i]
		if t.Known.State == "" && !t.Created {
			w.t.Known = known[i].status
		}
	}
	if w.t.Known.State != "" {
		w.rule.Known(w.t.Known)
	}
	return w, func() { w.looking(); stop() }
}

// run waits for the outcome.
func (w *wait) run(ctx context.Context) (orchestrate.Outcome, error) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	if w.last.record.ID != "" {
		w.see(ctx, w.last)
	}
	if w.t.Sent != nil {
		w.sent(ctx, *w.t.Sent)
	} else if w.t.Created {
		giveTicket(ctx, w.t)
	}
	var batch []*change
	for {
		if o, ok := w.rule.Outcome(); ok || w.err != nil {
			return o, w.err
		}
		timer.Reset(max(time.Until(w.rule.Next()), 0))
		moved := w.d.ctx.Done()
		if w.t.Sent == nil && !w.t.Created {
			moved = w.d.life.Done() // as long as it can: the delivery would have to be guessed at
		}
		select {
		case <-w.feed.wake:
			batch, _ = w.feed.take(batch)
			for _, c := range batch {
				w.hear(ctx, c)
			}
		case s := <-w.delivered:
			if s.err != nil {
				w.failed(ctx, s.err)
			} else {
				w.sent(ctx, s.reply)
			}
		case now := <-w.screen:
			if now.still {
				w.rule.Still(now.raw, time.Now())
			} else {
				w.rule.Changed(time.Now())
			}
		case <-timer.C:
			w.rule.Tick(time.Now())
		case <-moved:
			return orchestrate.Outcome{}, errMoved
		case <-ctx.Done():
			return orchestrate.Outcome{}, ctx.Err()
		}
	}
}

// hear takes a change of the session.
func (w *wait) hear(ctx context.Context, c *change) {
	w.see(ctx, c.session) // a step may be all that is told of a turn that was over at once
	if c.step != nil {
		return
	}
	switch ev := c.event; {
	case ev != nil && ev.Type == hostproto.EventCommand:
		w.rule.Command(ev.Count, ev.Exit, time.Now())
	case ev != nil && ev.Type == hostproto.EventDelivery && ev.Delivery.First:
		w.first(ctx, ev.Delivery)
	}
}

func (w *wait) see(ctx context.Context, s session) {
	if !s.live && s.record.Closed != nil {
		w.last = s
		w.rule.Closed(*s.record.Closed, quotedTitle(&s))
		return
	}
	if w.t.Sent == nil && !w.t.Created && w.last.status.State == orchestrate.Working && s.status.State == orchestrate.Done {
		_, lines := w.d.cursor(&s) // the turn before is over; the payload's begins now
		w.lines.Store(lines)
	}
	w.last = s
	w.rule.Status(s.status, time.Now())
	w.rule.AgentIs(s.record.Agent, quotedTitle(&s))
	w.first(ctx, s.first)
}

func quotedTitle(s *session) string { return `"` + s.title + `" (` + s.link() + ")" }

// first takes how the payload given at spawn was delivered.
func (w *wait) first(ctx context.Context, d *hostproto.Delivery) {
	if d == nil || !w.t.Created || w.t.Sent != nil {
		return
	}
	switch {
	case d.Error != nil && d.Submitted != nil && !*d.Submitted:
		w.rule.Failed(orchestrate.Failure{Kind: orchestrate.PromptStalled, Message: d.Error.Message})
		return
	case d.Error != nil:
		w.failed(ctx, d.Error)
		return
	}
	w.sent(ctx, d.SendReply)
}

// failed takes that the payload was not delivered. What the program took, and
// nothing came of, is a stalled prompt; the end of the session tells itself.
func (w *wait) failed(ctx context.Context, err error) {
	e := api.From(err)
	switch {
	case e.Code == api.CodeNotDelivered && e.Delivered != nil && *e.Delivered > 0 && *e.Delivered == w.t.Size:
		w.rule.Failed(orchestrate.Failure{Kind: orchestrate.PromptStalled, Message: e.Message})
	case e.Code == api.CodeNotFound || e.Code == api.CodeNotLive:
		// The program's end is known a moment before how the session ended is.
		if s, ok := w.d.roster.get(w.t.ID); ok {
			if s, ok = w.d.afterEnd(ctx, s); ok && s.record.Closed != nil {
				w.rule.Closed(*s.record.Closed, quotedTitle(&s))
				return
			}
		}
		w.err = err
	default:
		w.err = err
	}
}

// sent takes that the payload was delivered.
func (w *wait) sent(ctx context.Context, r hostproto.SendReply) {
	w.t.Sent = &r
	b := r.Before
	if b == nil { // a host of an earlier version
		b = &hostproto.Before{Turn: r.Turn, Asked: w.t.Known.Asked, State: w.t.Known.State, Tells: true}
	}
	w.rule.Delivered(*b, w.t.Pressed, time.Now())
	giveTicket(ctx, w.t)
	ctx, w.looking = context.WithCancel(ctx)
	if b.Screen != 0 {
		go w.watchScreen(ctx, b.Screen, w.rule.Patience())
	}
}

// watchScreen reports when the screen is not what it was, and then when it has
// stayed as it is.
func (w *wait) watchScreen(ctx context.Context, was uint64, patience time.Duration) {
	say := func(now seen) bool {
		select {
		case w.screen <- now:
			return true
		case <-ctx.Done():
			return false
		}
	}
	ask := func(q hostproto.LookRequest) (l hostproto.Look, ok bool) {
		for {
			s, known := w.d.roster.get(w.t.ID)
			if !known || !s.live {
				return l, false
			}
			client, err := w.d.client(ctx, s)
			if err == nil {
				if err = client.Call(ctx, hostproto.OpLook, q, &l); err == nil {
					return l, true
				}
			}
			var refused *hostproto.Error
			if errors.As(err, &refused) || ctx.Err() != nil {
				return l, false // it ends, or is of an earlier version
			}
		}
	}
	if _, ok := ask(hostproto.LookRequest{Not: was}); !ok || !say(seen{}) {
		return
	}
	for {
		l, ok := ask(hostproto.LookRequest{QuietMs: int(patience.Milliseconds())})
		if !ok || !l.Unread && !say(seen{true, l.Raw}) {
			return
		}
		if _, ok = ask(hostproto.LookRequest{Not: l.Screen}); !ok {
			return
		}
	}
}

// reply makes the reply of an outcome.
func (w *wait) reply(o orchestrate.Outcome) (api.WaitReply, error) {
	s, ok := w.d.roster.get(w.t.ID)
	if !ok {
		s = w.last
	}
	if f := o.Failure; f != nil {
		message := f.Message
		if path := s.record.Transcript(); path != "" && f.Kind == orchestrate.AgentGone {
			message += "; its transcript is " + path
		}
		return api.WaitReply{}, orchestrate.Refuse(f.Kind, "%s", message)
	}
	out := api.WaitReply{
		Head: api.OKHead(), Target: s.link(), Title: s.title, Status: o.Status, TimedOut: o.TimedOut,
		Created: w.t.Created, ExitCode: o.ExitCode, Queued: o.Queued,
	}
	if o.Status == orchestrate.NeedsYou {
		out.Prompt, out.Options = w.d.prompt(w.d.life, &s, o.Question.Text), o.Question.Options
		out.PromptID = promptID(&s.record, o.Question.Asked)
	}
	if o.Status == orchestrate.Done && o.ExitCode == nil { // which says it
		out.Error = s.status.Error
	}
	if sent := w.t.Sent; sent != nil {
		out.Delivered, out.Verified, out.Submitted = sent.Bytes, sent.Verified, sent.Submitted
		w.d.cursors(&out, &s, sent.Before, o)
	}
	return out, nil
}

// finish waits and replies.
func (w *wait) finish(ctx context.Context) (api.WaitReply, error) {
	o, err := w.run(ctx)
	if err != nil {
		return api.WaitReply{}, err
	}
	return w.reply(o)
}

// sendAndWait sends a payload and waits for the outcome of its turn.
func (d *Daemon) sendAndWait(ctx context.Context, s session, q hostproto.SendRequest, timeoutMs int) (api.WaitReply, error) {
	if !s.live {
		return api.WaitReply{}, notLive(s)
	}
	w, end := d.newWait(ticket{
		ID: s.record.ID, Agent: s.record.Agent, Plain: isPlain(&s), Size: len(q.Text),
		Pressed: q.Enter || len(q.Keys) > 0, Deadline: time.Now().Add(orchestrate.ClampWait(timeoutMs)),
	})
	defer end()
	q.Wait = true
	path, lines := d.cursor(&s)
	w.lines.Store(lines)
	go func() {
		var r hostproto.SendReply
		// The delivery goes on when the wait is over.
		err := d.ask(context.WithoutCancel(ctx), s, sendTime, hostproto.OpSend, q, &r)
		if r.Before != nil && r.Before.Lines == nil && path != "" && r.Before.Transcript == path {
			r.Before.Lines = w.lines.Load()
		}
		w.delivered <- sent{r, err}
	}()
	return w.finish(ctx)
}

// bearAndWait starts a session and, when that is asked for, waits for the
// outcome of what it was started with.
func (d *Daemon) bearAndWait(ctx context.Context, who caller, m *atp.Manifest, b birth) (any, error) {
	b.id = uuid.NewString()
	d.takeWarm(ctx, who, m, &b)
	if !b.waiting.Wait {
		return d.bear(ctx, who, m, b)
	}
	if b.text == "" {
		return nil, api.Errorf(api.CodeNoText, "there is nothing to wait for: give the agent a prompt, or leave --wait out")
	}
	w, end := d.newWait(ticket{
		ID: b.id, Agent: m.ID, Plain: m.IsTerminal(), Created: true, Pressed: true,
		Deadline: time.Now().Add(orchestrate.ClampWait(b.waiting.TimeoutMs)),
	})
	defer end()
	if _, err := d.bear(ctx, who, m, b); err != nil {
		return nil, err
	}
	return w.finish(ctx)
}

// await takes up a wait that another coordinator began.
func (d *Daemon) await(ctx context.Context, r api.AwaitRequest) (api.WaitReply, error) {
	var t ticket
	if err := json.Unmarshal([]byte(r.Wait), &t); err != nil {
		return api.WaitReply{}, api.Errorf(api.CodeBadRequest, "this is no wait that can be taken up: %v", err)
	}
	if _, err := d.target(r.Caller, orchestrate.Link(t.ID)); err != nil {
		return api.WaitReply{}, err
	}
	giveTicket(ctx, t)
	w, end := d.newWait(t)
	defer end()
	return w.finish(ctx)
}

// isPlain tells that a session has no agent.
func isPlain(s *session) bool { return s.record.Agent == atp.TerminalID }
