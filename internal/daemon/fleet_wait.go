package daemon

import (
	"context"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/orchestrate"
)

// waitFor waits until a session has nothing more to do. It sends nothing, so
// that it can be asked again at any time.
func (d *Daemon) waitFor(ctx context.Context, r api.WaitRequest) (api.WaitReply, error) {
	s, err := d.target(r.Caller, r.Target)
	if err != nil {
		return api.WaitReply{}, err
	}
	if !s.live {
		return api.WaitReply{}, notLive(s)
	}
	f, known, end := d.roster.subscribe(interest{id: s.record.ID})
	defer end()
	for i := range known {
		s = known[i]
	}
	w := &wait{d: d, t: ticket{ID: s.record.ID, Agent: s.record.Agent}, last: s}
	outcome, err := w.rest(ctx, f, time.Now().Add(orchestrate.ClampWait(r.TimeoutMs)))
	if err != nil {
		return api.WaitReply{}, err
	}
	if o := outcome.Failure; o != nil {
		return api.WaitReply{}, orchestrate.Refuse(o.Kind, "%s", o.Message)
	}
	if now, ok := d.roster.get(s.record.ID); ok {
		s = now
	}
	out := api.WaitReply{
		Head: api.OKHead(), Target: s.link(), Title: s.title, Status: outcome.Status, TimedOut: outcome.TimedOut, Queued: outcome.Queued,
	}
	switch outcome.Status {
	case orchestrate.NeedsYou:
		out.Prompt, out.Options = api.WithoutBidi(outcome.Question.Text), outcome.Question.Options
		out.PromptID = promptID(&s.record, outcome.Question.Asked)
	case orchestrate.Done:
		out.Error = s.status.Error
		out.Transcript, out.CursorEnd = d.answered(&s)
	}
	return out, nil
}

// rest waits for the outcome of what a session is doing.
func (w *wait) rest(ctx context.Context, f *feed, deadline time.Time) (orchestrate.Outcome, error) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var batch []*change
	var question orchestrate.Question
	for {
		// The host knows what the roster does not: what is still to be typed.
		var info hostproto.Info
		if w.last.live {
			if err := w.d.ask(ctx, w.last, askTime, hostproto.OpInfo, nil, &info); err != nil && ctx.Err() != nil {
				return orchestrate.Outcome{}, ctx.Err()
			} else if now, ok := w.d.roster.get(w.t.ID); err != nil && ok && now.live {
				return orchestrate.Outcome{}, err
			} else if ok {
				w.last = now
			}
		}
		if o, over := w.ended(); over {
			return o, nil
		}
		now := time.Now()
		rests, again := orchestrate.Rest(info, &question, now)
		switch {
		case rests:
			return orchestrate.Outcome{Status: info.Status.State, Question: question}, nil
		case !now.Before(deadline):
			return orchestrate.Outcome{Status: info.Status.State, Question: question, TimedOut: true, Queued: info.Pending > 0}, nil
		case again.IsZero() || again.After(deadline):
			again = deadline
		}
		timer.Reset(time.Until(again))
		select {
		case <-f.wake:
			batch, _ = f.take(batch)
		case <-timer.C:
		case <-w.d.ctx.Done():
			return orchestrate.Outcome{}, api.Errorf(api.CodeUnavailable, "the coordinator ends; wait again")
		case <-ctx.Done():
			return orchestrate.Outcome{}, ctx.Err()
		}
	}
}

// ended is the outcome of a session that is over, or whose agent is.
func (w *wait) ended() (orchestrate.Outcome, bool) {
	rule := orchestrate.Wait{Agent: w.t.Agent, Plain: isPlain(&w.last)}
	if w.last.live {
		rule.AgentIs(w.last.record.Agent, quotedTitle(&w.last))
	} else if c := w.last.record.Closed; c != nil {
		rule.Closed(*c, quotedTitle(&w.last))
	}
	return rule.Outcome()
}
