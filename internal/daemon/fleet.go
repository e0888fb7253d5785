package daemon

import (
	"context"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/orchestrate"
	"github.com/termio-sh/termio/internal/status"
)

func parentOf(s *session) string {
	if s.record.Parent == "" {
		return ""
	}
	return orchestrate.Link(s.record.Parent)
}

// relate tells each row which of the others it started.
func relate(rows []api.Session) {
	nodes := make([]orchestrate.Node, len(rows))
	for i := range rows {
		nodes[i] = orchestrate.Node{ID: rows[i].Link, Parent: rows[i].Parent}
	}
	children := orchestrate.Children(nodes)
	for i := range rows {
		rows[i].Children = children[rows[i].Link]
	}
}

// closeDone closes the sessions whose turn is over. From inside a session only
// those that come from it: what others have started is theirs.
func (d *Daemon) closeDone(ctx context.Context, r api.CloseDoneRequest) (api.CloseDoneReply, error) {
	who, err := d.caller(r.Caller)
	if err != nil {
		return api.CloseDoneReply{}, err
	}
	out := api.CloseDoneReply{Head: api.OKHead(), Closed: []api.ClosedOne{}}
	for _, s := range d.roster.all(who.scope, true) {
		if who.session != nil && (s.record.ID == who.session.record.ID || !d.descends(s, *who.session)) {
			continue
		}
		one := api.ClosedOne{Link: s.link(), Title: s.title}
		switch over, err := d.isOver(ctx, s); {
		case err != nil:
			one.Error = api.From(err)
		case !over:
			continue
		default:
			_, err := d.close(ctx, api.TargetRequest{Caller: r.Caller, Target: s.link()})
			one.Error = api.From(err)
		}
		if one.Error != nil {
			out.Failed = append(out.Failed, one)
		} else {
			out.Closed = append(out.Closed, one)
		}
	}
	return out, nil
}

// isOver tells whether a session's turn has ended and nothing waits to begin
// another. The host is asked, since the roster follows it.
func (d *Daemon) isOver(ctx context.Context, s session) (bool, error) {
	if s.status.State != orchestrate.Done || s.status.Cause.Channel == string(status.ChannelMark) {
		return false, nil // a shell at its prompt is somebody's
	}
	var info hostproto.Info
	if err := d.ask(ctx, s, askTime, hostproto.OpInfo, nil, &info); err != nil {
		return false, err
	}
	rests, _ := orchestrate.Rest(info, new(orchestrate.Question), time.Now())
	return rests && info.Status.State == orchestrate.Done, nil
}
