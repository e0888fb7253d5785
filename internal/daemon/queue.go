package daemon

import (
	"context"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
)

// queue lists the prompts that wait for an agent to end its turn.
func (d *Daemon) queue(ctx context.Context, r api.QueueRequest) (api.QueueReply, error) {
	if r.Drop < 0 {
		return api.QueueReply{}, api.Errorf(api.CodeBadRequest, "prompts in a queue are numbered from 1; --drop is %d", r.Drop)
	}
	s, err := d.target(r.Caller, r.Target)
	if err != nil {
		return api.QueueReply{}, err
	}
	var q hostproto.Queue
	if err := d.ask(ctx, s, askTime, hostproto.OpQueue, hostproto.QueueRequest{Drop: r.Drop}, &q); err != nil {
		return api.QueueReply{}, err
	}
	if r.Drop > 0 && q.Dropped == nil {
		return api.QueueReply{}, api.Errorf(api.CodeNotFound, "no prompt with the number %d waits for %s: it was typed, or withdrawn, before; see `termio sessions queue %s`", r.Drop, quotedTitle(&s), s.link())
	}
	out := api.QueueReply{Head: api.OKHead(), Target: s.link(), Title: s.title, Prompts: make([]api.QueuedPrompt, len(q.Prompts))}
	for i, p := range q.Prompts {
		out.Prompts[i] = api.QueuedPrompt(p)
	}
	if q.Dropped != nil {
		dropped := api.QueuedPrompt(*q.Dropped)
		out.Dropped = &dropped
	}
	return out, nil
}

// sendReply says how a payload was delivered, and from where the answer can be
// read.
func (d *Daemon) sendReply(s *session, r hostproto.SendReply, lines *int) api.SendReply {
	out := api.SendReply{
		Head: api.OKHead(), Target: s.link(), Title: s.title, Delivered: r.Bytes, Verified: r.Verified, Submitted: r.Submitted,
		Queued: r.Queued > 0, N: r.Queued,
	}
	now, ok := d.roster.get(s.record.ID)
	if !ok {
		now = *s
	}
	out.Transcript = d.transcriptPath(&now)
	switch b := r.Before; {
	case out.Transcript == "":
	case b != nil && b.Lines != nil && b.Transcript == out.Transcript:
		out.Cursor = b.Lines
	case d.transcriptPath(s) == out.Transcript:
		out.Cursor = lines
	default:
		out.Cursor = new(int) // another one since
	}
	return out
}

// questionAsked is the number of the question that a prompt id names. Whether
// that one still stands its host finds out when it types the answer.
func questionAsked(s *session, id string) (int, error) {
	asked, ok := questionOf(&s.record, id)
	if !ok {
		return 0, api.Errorf(api.CodePromptChanged, "%q names no question of %s as it runs now; nothing was typed: its present one is in `termio sessions watch`", id, quotedTitle(s))
	}
	return asked, nil
}
