package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/orchestrate"
	"github.com/termio-sh/termio/internal/project"
	"github.com/termio-sh/termio/internal/version"
)

// How long a host may take for an answer.
const (
	askTime   = 5 * time.Second
	sendTime  = 10 * time.Minute // deliveries to one session wait for each other, 25 s each
	closeTime = 20 * time.Second
)

// target finds the session that an address names: among the live ones in
// scope, else among the dead.
func (d *Daemon) target(c api.Caller, address string) (session, error) {
	who, err := d.caller(c)
	if err != nil {
		return session{}, err
	}
	live, err := d.roster.find(address, who.scope, isShown, who.scope.Name)
	if !isNotFound(err) {
		return live, err
	}
	dead, e := d.roster.find(address, who.scope, isDead, who.scope.Name)
	if !isNotFound(e) {
		return dead, e
	}
	if who.session == nil && !who.scope.All {
		if other, e := d.roster.find(address, everything, isOwn, "all projects"); e == nil {
			return session{}, orchestrate.Refuse(orchestrate.NotFound, "%v; there is one in the project %s: say --project %s, or --all",
				err, project.Name(other.record.Project), other.record.Project)
		}
	}
	if id := strings.TrimPrefix(address, orchestrate.Link("")); who.session == nil && isSessionID(id) {
		if dir := d.o.Layout.SessionDir(id); isDir(dir) {
			return session{}, orchestrate.Refuse(orchestrate.NotFound, "the session %s was here, and its record cannot be read: what is left of it is in %s; its conversation may be in `termio history`", address, dir)
		}
	}
	return session{}, err
}

func isNotFound(err error) bool {
	var r *orchestrate.Refusal
	return errors.As(err, &r) && r.Kind == orchestrate.NotFound
}

// notLive says how a session ended. Nothing can be addressed there any more,
// so the code is not_found; the message names the tombstone.
func notLive(s session) error {
	c := s.record.Closed
	if c == nil {
		return api.Errorf(api.CodeNotFound, "%q (%s) has ended", s.title, s.link())
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%q (%s) has ended: %s", s.title, s.link(), c.Reason)
	if c.ExitCode != nil {
		fmt.Fprintf(&b, ", exit code %d", *c.ExitCode)
	}
	if c.Signal != "" {
		fmt.Fprintf(&b, ", signal %s", c.Signal)
	}
	fmt.Fprintf(&b, "; open it again with `%s`", reopenCommand(s))
	if c.LastLines != "" {
		fmt.Fprintf(&b, "; its last lines were:\n%s", c.LastLines)
	}
	return api.Errorf(api.CodeNotFound, "%s", b.String())
}

// ask calls a session's host.
func (d *Daemon) ask(ctx context.Context, s session, within time.Duration, op string, body, reply any) error {
	if !s.live {
		return notLive(s)
	}
	client, err := d.client(ctx, s)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	call := func(ctx context.Context) error { return client.Call(ctx, op, body, reply) }
	if op == hostproto.OpSend || op == hostproto.OpOptions { // it waits for its turn, and for the program
		err = whileAnswering(ctx, func(ctx context.Context) error { return client.Call(ctx, hostproto.OpInfo, nil, nil) }, call)
	} else {
		err = call(ctx)
	}
	var failure *hostproto.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errSilent):
		return api.Errorf(api.CodeNotLive, "the host of %q (%s, pid %d) does not answer; what was sent may still be typed if it goes on", s.title, s.link(), s.record.HostPID)
	case errors.As(err, &failure) && failure.Code != hostproto.CodeNotLive:
		return failure
	case errors.Is(err, context.DeadlineExceeded):
		return api.Errorf(api.CodeNotLive, "the host of %q (%s, pid %d) does not answer", s.title, s.link(), s.record.HostPID)
	case errors.Is(err, context.Canceled):
		return err
	}
	// It has ended, or is about to: its tombstone says how.
	if over, ok := d.afterEnd(ctx, s); ok {
		return notLive(over)
	}
	return api.Errorf(api.CodeNotLive, "the host of %q (%s) has gone away: %v", s.title, s.link(), err)
}

// reconnectTime bounds the wait for a connection that was just lost, or not
// made yet.
const reconnectTime = 2 * time.Second

// client is the connection to a session's host.
func (d *Daemon) client(ctx context.Context, s session) (*hostproto.Client, error) {
	deadline := time.NewTimer(reconnectTime)
	defer deadline.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		now, ok := d.roster.get(s.record.ID)
		switch {
		case !ok:
			return nil, api.Errorf(api.CodeNotFound, "%s has ended", s.link())
		case !now.live:
			return nil, notLive(now)
		case now.client != nil:
			return now.client, nil
		}
		select {
		case <-tick.C:
		case <-now.over:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-deadline.C:
			if len(d.lines) == cap(d.lines) {
				return nil, api.Errorf(api.CodeNotLive, "the host of %q (%s, pid %d) cannot be reached: %v", s.title, s.link(), s.record.HostPID, errNoLine)
			}
			return nil, api.Errorf(api.CodeNotLive, "the host of %q (%s, pid %d) cannot be reached", s.title, s.link(), s.record.HostPID)
		}
	}
}

// afterEnd waits a moment for the end of a session to be known.
func (d *Daemon) afterEnd(ctx context.Context, s session) (session, bool) {
	select {
	case <-s.over:
	case <-time.After(reconnectTime):
	case <-ctx.Done():
	}
	now, ok := d.roster.get(s.record.ID)
	return now, ok && !now.live
}

func (d *Daemon) list(_ context.Context, r api.ListRequest) (api.ListReply, error) {
	who, err := d.caller(r.Caller)
	if err != nil {
		return api.ListReply{}, err
	}
	sessions := d.roster.rows(who.scope, isShown)
	if r.Closed {
		sessions = append(sessions, d.roster.rows(who.scope, isDead)...)
	}
	relate(sessions)
	reply := api.ListReply{Head: api.OKHead(), Project: who.scope.Name, Sessions: sessions}
	if r.Lost {
		reply.Lost = d.askedFor(who.scope)
	}
	return reply, nil
}

// closedStatus is the status of a session that is over (additive).
const closedStatus = "closed"

// row is a session as callers see it. Nothing in it changes with s.
func row(s *session) api.Session {
	r := &s.record
	out := api.Session{
		Link: s.link(), ID: orchestrate.ShortID(r.ID), Title: s.title, Agent: r.AgentName, Status: s.status.State,
		Description: s.status.Description, AgentID: r.Agent, Cwd: r.Cwd, Project: r.Project, Worktree: s.worktree,
		Unconfirmed: s.status.Unconfirmed, Error: s.status.Error, Transcript: r.Transcript(), Parent: parentOf(s),
	}
	if r.Kind == hostproto.KindACP || s.isTerminal() {
		out.Kind, out.Cwd = r.Kind, cmp.Or(r.Cwd, r.Dir)
	}
	if !s.status.Since.IsZero() {
		since := s.status.Since
		out.Since = &since
	}
	if c := r.Closed; c != nil { // a value that is only replaced
		out.Status, out.Since, out.Description, out.Unconfirmed = closedStatus, &c.At, c.Reason, false
		out.Closed = closedOf(s)
	}
	if c := r.Conversation; c != nil {
		out.Conversation = &api.Conversation{ID: c.ID, How: c.How, Since: c.Since}
	}
	if out.Description == "" && out.Status == "needs-you" && s.status.Cause.Channel == "bell" {
		out.Description = "rang the bell"
	}
	if out.Description == "" {
		out.Description = api.Phrase(out.Status, r.Agent)
	}
	return out
}

// closedOf says how a session ended; nil when it has not, or that is not known.
func closedOf(s *session) *api.Closed {
	c := s.record.Closed
	if c == nil {
		return nil
	}
	out := &api.Closed{At: c.At, Reason: c.Reason, ExitCode: c.ExitCode, Signal: c.Signal, Reopen: reopenCommand(*s)}
	if c.Reason == hostproto.ReasonBootFailed {
		out.LastLines = c.LastLines
	}
	return out
}

func (d *Daemon) send(ctx context.Context, r api.SendRequest) (any, error) {
	if r.Text == "" && len(r.Keys) == 0 {
		return nil, api.Errorf(api.CodeNoText, "there is nothing to send; give a text, or a key with --key")
	}
	s, err := d.target(r.Caller, r.Target)
	if err != nil {
		return nil, err
	}
	q := hostproto.SendRequest{Text: r.Text, Keys: r.Keys, Enter: r.Enter, Now: r.Now}
	if r.Answers != "" {
		if q.Answers, err = questionAsked(&s, r.Answers); err != nil {
			return nil, err
		}
	}
	if r.Wait {
		return d.sendAndWait(ctx, s, q, r.TimeoutMs)
	}
	lines := d.linesBefore(&s)
	var done hostproto.SendReply
	if err := d.ask(ctx, s, sendTime, hostproto.OpSend, q, &done); err != nil {
		return nil, err
	}
	return d.sendReply(&s, done, lines), nil
}

func (d *Daemon) read(ctx context.Context, r api.ReadRequest) (api.ReadReply, error) {
	if r.Lines < 0 {
		return api.ReadReply{}, api.Errorf(api.CodeBadRequest, "the number of lines is %d; give a positive one", r.Lines)
	}
	s, err := d.target(r.Caller, r.Target)
	if err != nil {
		return api.ReadReply{}, err
	}
	var screen hostproto.Screen
	if err := d.ask(ctx, s, askTime, hostproto.OpScreen, hostproto.ScreenRequest{Lines: r.Lines}, &screen); err != nil {
		return api.ReadReply{}, err
	}
	return api.ReadReply{Head: api.OKHead(), Target: s.link(), Title: s.title, Screen: screen.Text}, nil
}

func (d *Daemon) close(ctx context.Context, r api.TargetRequest) (api.CloseReply, error) {
	s, err := d.target(r.Caller, r.Target)
	if err != nil {
		return api.CloseReply{}, err
	}
	// Once begun it goes on, whoever waits for it.
	var end hostproto.CloseReply
	if err := d.ask(context.WithoutCancel(ctx), s, closeTime, hostproto.OpClose, hostproto.CloseRequest{Reason: hostproto.ReasonUser}, &end); err != nil {
		// One that cannot be asked is ended all the same.
		if !s.live || api.From(err).Code != api.CodeNotLive || !d.endHost(context.WithoutCancel(ctx), s.record) {
			return api.CloseReply{}, err
		}
		d.endLeftovers(s.record)
	}
	if end.Reason == "" {
		end.Closed = hostproto.Closed{At: time.Now().UTC(), Reason: hostproto.ReasonUser}
	}
	d.roster.bury(s.record.ID, end.Closed)
	if end.Unsaved != "" {
		d.follows.Go(func() { d.keepClosed(s.record.ID, end.Closed) })
	}
	return api.CloseReply{Head: api.OKHead(), Closed: s.link(), Title: s.title, Unsaved: end.Unsaved}, nil
}

func (d *Daemon) focus(ctx context.Context, r api.TargetRequest) (api.FocusReply, error) {
	s, err := d.target(r.Caller, r.Target)
	if err != nil {
		return api.FocusReply{}, err
	}
	var info hostproto.Info
	if err := d.ask(ctx, s, askTime, hostproto.OpSeen, nil, &info); err != nil {
		return api.FocusReply{}, err
	}
	return api.FocusReply{Head: api.OKHead(), Focused: s.link()}, nil
}

func (d *Daemon) rename(ctx context.Context, r api.RenameRequest) (api.RenameReply, error) {
	s, err := d.target(r.Caller, r.Target)
	if err != nil {
		return api.RenameReply{}, err
	}
	var now hostproto.RenameReply
	if err := d.ask(ctx, s, askTime, hostproto.OpRename, hostproto.RenameRequest{Title: r.Title}, &now); err != nil {
		return api.RenameReply{}, err
	}
	title := shownTitle(&now.Record)
	d.roster.retitle(s.record.ID, title)
	return api.RenameReply{Head: api.OKHead(), Target: s.link(), Title: title, Unsaved: now.Unsaved}, nil
}

// shownTitle is a session's title without what could make it read as another:
// it comes from a program.
func shownTitle(r *hostproto.Record) string { return api.WithoutBidi(r.Title()) }

func (d *Daemon) resolve(_ context.Context, r api.TargetRequest) (api.ResolveReply, error) {
	s, err := d.target(r.Caller, r.Target)
	if err != nil {
		return api.ResolveReply{}, err
	}
	who, err := d.caller(r.Caller)
	if err != nil {
		return api.ResolveReply{}, err
	}
	if !s.live {
		return api.ResolveReply{}, notLive(s)
	}
	return api.ResolveReply{
		Head: api.OKHead(), Target: s.link(), Title: s.title, Agent: s.record.AgentName, Socket: s.record.Socket,
		Launched: s.record.Launched, Resumed: s.record.Resumed, Inside: who.session != nil && d.descends(*who.session, s),
	}, nil
}

// descends reports whether s is ancestor, or was started from it, or from one
// that was.
func (d *Daemon) descends(s, ancestor session) bool {
	seen := map[string]bool{} // records are files: they could name each other
	for ok := true; ok && !seen[s.record.ID]; s, ok = d.roster.get(s.record.Parent) {
		if s.record.ID == ancestor.record.ID {
			return true
		}
		seen[s.record.ID] = true
	}
	return false
}

func (d *Daemon) trace(ctx context.Context, r api.TargetRequest) (api.TraceReply, error) {
	s, err := d.target(r.Caller, r.Target)
	if err != nil {
		return api.TraceReply{}, err
	}
	var t hostproto.TraceReply
	if err := d.ask(ctx, s, askTime, hostproto.OpTrace, nil, &t); err != nil {
		return api.TraceReply{}, err
	}
	out := api.TraceReply{Head: api.OKHead(), Target: s.link(), Changes: make([]api.TraceChange, len(t.Changes))}
	for i, c := range t.Changes {
		out.Changes[i] = api.TraceChange{At: c.At, From: c.From, To: c.To, Channel: c.Cause.Channel, Rule: c.Cause.Rule, Text: c.Cause.Text}
	}
	return out, nil
}

func (d *Daemon) open(ctx context.Context, r api.OpenRequest) (api.OpenReply, error) {
	dir := r.Dir
	if dir == "" {
		dir = r.Caller.Cwd
	}
	real, err := project.Canonical(dir)
	if err != nil {
		return api.OpenReply{}, api.Errorf(api.CodeBadRequest, "%s cannot be opened: %v", dir, err)
	}
	in, err := d.inside(r.Caller)
	if err != nil {
		return api.OpenReply{}, err
	}
	if in != nil {
		who, err := d.caller(r.Caller)
		if err != nil {
			return api.OpenReply{}, err
		}
		if d.projects.Find(real) != who.scope.Dir {
			return api.OpenReply{}, orchestrate.Refuse(orchestrate.NoScope, "inside a session only its own project (%s) can be reached", who.scope.Dir)
		}
		real = who.scope.Dir
	}
	isNew, err := d.projects.Add(real, time.Now())
	if err != nil {
		return api.OpenReply{}, err
	}
	out := api.OpenReply{
		Head: api.OKHead(), Project: project.Name(real), Dir: real, New: isNew,
		Sessions: d.roster.rows(project.In(real), isOwn), Lost: d.askedFor(project.In(real)),
	}
	relate(out.Sessions)
	trees, err := project.Worktrees(ctx, real)
	if err != nil {
		d.log.Warn("the worktrees of a project cannot be listed", "project", real, "why", err.Error())
	}
	for _, w := range trees {
		out.Worktrees = append(out.Worktrees, api.Worktree{Dir: w.Dir, Branch: w.Branch})
	}
	return out, nil
}

func (d *Daemon) listAgents(ctx context.Context, r api.AgentsRequest) (api.AgentsReply, error) {
	rows, err := d.agents.list(ctx, r.ID, r.Versions, d.settings.get())
	if err != nil {
		return api.AgentsReply{}, err
	}
	return api.AgentsReply{Head: api.OKHead(), Agents: rows, Problems: d.problems.of("agents")}, nil
}

func (d *Daemon) status(context.Context, api.DaemonRequest) (api.DaemonReply, error) {
	d.settings.get() // a file that cannot be used shows at once
	d.agents.catalog.get()
	return api.DaemonReply{
		Head: api.OKHead(), Running: true, PID: os.Getpid(), Version: version.Version, Started: &d.started,
		Sessions: d.roster.live(), Home: d.o.Layout.Home, Socket: d.o.Layout.DaemonSocket(), Problems: d.problems.all(),
	}, nil
}

func (d *Daemon) stopAsked(ctx context.Context, r api.DaemonRequest) (api.DaemonReply, error) {
	out, err := d.status(ctx, r)
	out.Running = false
	d.stop(errAsked)
	select {
	case <-d.deaf: // so that the next call is not taken by this one
	case <-ctx.Done():
	}
	return out, err
}
