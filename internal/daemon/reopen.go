package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/orchestrate"
	"github.com/termio-sh/termio/internal/project"
	"github.com/termio-sh/termio/internal/resume"
	"github.com/termio-sh/termio/internal/shellenv"
)

// Times of a relaunch.
const (
	oldHostTime = 15 * time.Second // for the old host to leave its socket
	rejectTime  = 12 * time.Second
	settledFor  = 800 * time.Millisecond // silence after the first output: it was accepted
	rejectPoll  = 100 * time.Millisecond
	lateReject  = time.Minute // an agent that fails so soon after a relaunch has refused it
	reopenSlots = 4           // at once, with --all
)

// launches are the relaunches at work: one for each session, and one for each
// conversation.
type launches struct {
	mu   sync.Mutex
	busy map[string]string // session or conversation -> session
}

// enter takes the keys for a session, all or none; free gives them back. When
// one is taken, by is the session that has it.
func (l *launches) enter(session string, keys ...string) (free func(), by string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy == nil {
		l.busy = map[string]string{}
	}
	for _, k := range keys {
		if by, ok := l.busy[k]; ok {
			return nil, by
		}
	}
	for _, k := range keys {
		l.busy[k] = session
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, k := range keys {
			delete(l.busy, k)
		}
	}, ""
}

// reopen starts closed sessions again.
func (d *Daemon) reopen(ctx context.Context, r api.ReopenRequest) (api.ReopenReply, error) {
	if r.Lost {
		return d.reopenLost(ctx, r)
	}
	s, err := d.target(r.Caller, r.Target)
	if err != nil {
		return api.ReopenReply{}, err
	}
	one, err := d.reopenOne(ctx, s, r, "")
	if err != nil {
		return api.ReopenReply{}, err
	}
	return api.ReopenReply{Head: api.OKHead(), Reopened: &one}, nil
}

// reopenLost reopens what was lost, several at once.
func (d *Daemon) reopenLost(ctx context.Context, r api.ReopenRequest) (api.ReopenReply, error) {
	who, err := d.caller(r.Caller)
	if err != nil {
		return api.ReopenReply{}, err
	}
	return api.ReopenReply{Head: api.OKHead(), Sessions: d.reopenAll(ctx, lost(d.allEnded(ctx, who.scope)), r)}, nil
}

// allEnded are the closed sessions in scope. It waits for those whose host is
// dead and whose end is still being worked at, so that none is missed.
func (d *Daemon) allEnded(ctx context.Context, scope project.Scope) []session {
	ctx, cancel := context.WithTimeout(ctx, oldHostTime)
	defer cancel()
	for _, s := range d.roster.all(scope, true) {
		d.afterHost(ctx, s)
	}
	return d.roster.all(scope, false)
}

func (d *Daemon) reopenAll(ctx context.Context, sessions []session, r api.ReopenRequest) []api.Reopened {
	out := make([]api.Reopened, len(sessions))
	slots := make(chan struct{}, reopenSlots)
	var work sync.WaitGroup
	for i, s := range sessions {
		work.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			one, err := d.reopenOne(ctx, s, r, "")
			if err != nil {
				one = api.Reopened{Target: s.link(), Title: s.title, Error: api.From(err)}
			}
			out[i] = one
		})
	}
	work.Wait()
	return out
}

// reopenOne starts a closed session again, in its conversation where that can
// be done exactly. rejected is what the agent said when it refused that.
func (d *Daemon) reopenOne(ctx context.Context, s session, r api.ReopenRequest, rejected string) (api.Reopened, error) {
	id := s.record.ID
	if s = d.afterHost(ctx, s); s.live {
		return api.Reopened{}, liveAlready(s, s)
	}
	if dir := d.o.Layout.SessionDir(id); leadsElsewhere(dir) {
		return api.Reopened{}, orchestrate.Refuse(orchestrate.StartFailed, "the session's place %s is no directory of its own, but leads elsewhere; nothing is started there", dir)
	}
	rec := d.lastRecord(s)
	keys := []string{"session " + id}
	if rec.Conversation != nil {
		keys = append(keys, "conversation "+rec.Conversation.ID)
	}
	free, by := d.launches.enter(id, keys...)
	if free == nil {
		other, ok := d.roster.get(by)
		if !ok {
			other = s
		}
		return api.Reopened{}, liveAlready(s, other)
	}
	defer free()
	// What was decided before the keys were taken may have changed.
	if s, ok := d.roster.get(id); !ok || s.live {
		return api.Reopened{}, liveAlready(s, s)
	}
	if c := rec.Conversation; c != nil {
		if owner, taken := d.claims().TakenFrom(id, c.ID); taken {
			if other, ok := d.roster.get(owner.Session); ok {
				return api.Reopened{}, liveAlready(s, other)
			}
		}
	}
	out, err := d.relaunch(ctx, s, rec, r, rejected)
	overACP := rec.Kind == hostproto.KindACP // its agent is started with the next prompt
	if err != nil || !out.Resumed || rec.Plain || overACP {
		return out, err
	}
	if said, no := d.refused(ctx, id); no {
		now, ok := d.roster.get(id)
		if !ok {
			return out, err
		}
		return d.relaunch(ctx, now, d.lastRecord(now), r, said)
	}
	return out, nil
}

// leadsElsewhere reports whether a session's directory was replaced, as by a
// symbolic link.
func leadsElsewhere(dir string) bool {
	st, err := os.Lstat(dir)
	return err == nil && !st.IsDir()
}

// afterHost waits for the end of a session whose host is dead already: what it
// had started is being ended.
func (d *Daemon) afterHost(ctx context.Context, s session) session {
	end := time.Now().Add(oldHostTime)
	for s.live && hostproto.Gone(s.record.HostPID, s.record.HostBoot) && time.Now().Before(end) && ctx.Err() == nil {
		select {
		case <-s.over:
		case <-time.After(20 * time.Millisecond):
		}
		now, ok := d.roster.get(s.record.ID)
		if !ok {
			break
		}
		s = now
	}
	return s
}

// liveAlready refuses a second launch of one conversation.
func liveAlready(s, by session) error {
	switch {
	case by.record.ID == s.record.ID:
		return api.Errorf(api.CodeAlreadyOpen, "%q (%s) is open; attach to it with `termio sessions attach %s`", s.title, s.link(), s.link())
	case by.live:
		return api.Errorf(api.CodeAlreadyOpen, "the conversation of %q (%s) is open in %q: %s", s.title, s.link(), by.title, by.link())
	}
	return api.Errorf(api.CodeAlreadyOpen, "the conversation of %q (%s) was continued in %q; reopen that: termio sessions reopen %s", s.title, s.link(), by.title, by.link())
}

// lastRecord is all that is known of a closed session: its host's record, and
// what only the coordinator heard.
func (d *Daemon) lastRecord(s session) hostproto.Record {
	rec := s.record
	if disk, err := readRecord(d.o.Layout.Record(rec.ID)); err == nil {
		disk.Closed = rec.Closed
		if newer(rec, disk) {
			disk.Conversation, disk.Left, disk.Unknown = rec.Conversation, rec.Left, rec.Unknown
		}
		rec = disk
	}
	return rec
}

// newer reports whether the coordinator heard of a conversation that its host
// could not write any more.
func newer(heard, disk hostproto.Record) bool {
	switch {
	case heard.Conversation == nil:
		return heard.Unknown != "" && disk.Conversation != nil && disk.Conversation.How == hostproto.HowDiscovered
	case disk.Conversation == nil:
		return true
	}
	return heard.Conversation.ID != disk.Conversation.ID && heard.Conversation.Since.After(disk.Conversation.Since)
}

// relaunch starts the host again.
func (d *Daemon) relaunch(ctx context.Context, s session, rec hostproto.Record, r api.ReopenRequest, rejected string) (api.Reopened, error) {
	if rec.Kind == hostproto.KindACP {
		return d.relaunchACP(ctx, rec, r)
	}
	m, err := d.manifestOf(rec)
	if err != nil {
		return api.Reopened{}, err
	}
	dir, err := placeAgain(m, rec)
	if err != nil {
		return api.Reopened{}, err
	}
	env := r.Env
	if env == nil {
		env = d.o.Env
	}
	env = asBefore(m, rec, env)
	st := d.settings.get()
	program, err := d.agents.find(ctx, m, atp.LaunchCommand(m, atp.LaunchOptions{CommandOverride: rec.Override}), dir, env)
	if err != nil {
		return api.Reopened{}, err
	}
	if err := d.awaitOldHost(ctx, rec); err != nil {
		return api.Reopened{}, err
	}
	order := orchestrate.Order{
		ID: rec.ID, Now: since(time.Now()), Manifest: m, Project: rec.Project, Dir: dir,
		Shell: d.login.Shell(), Socket: d.o.Layout.HostSocket(rec.ID), Bypass: rec.Bypass, Override: rec.Override,
		Extra: rec.Extra, From: orchestrate.Origin{Parent: rec.Parent, Root: rec.Root, Depth: rec.Depth},
		Cols: or(r.Cols, rec.Size.Cols), Rows: or(r.Rows, rec.Size.Rows),
		Notes: hostproto.LaunchNotes{Override: rec.Override, Program: program},
	}
	if err := d.continueConversation(ctx, &order, s, &rec, env, rejected); err != nil {
		return api.Reopened{}, err
	}
	typed, why := d.byHand(ctx, rec, env)
	order.Text = typed
	in := d.inject(ctx, order, program, env, st)
	order.Args, order.Env = in.Args, in.Env
	plan := orchestrate.Launch(order)
	plan.Again = true
	carryOn(&plan.Record, rec)
	for _, name := range []string{tombstoneName} {
		if err := os.Remove(filepath.Join(d.o.Layout.SessionDir(rec.ID), name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return api.Reopened{}, orchestrate.Refuse(orchestrate.StartFailed, "the session's tombstone cannot be removed: %v", err)
		}
	}
	now, err := d.startSession(plan, in, env, m, scrollback(st.ScrollbackLines()))
	if err != nil {
		return api.Reopened{}, err
	}
	out := api.Reopened{Target: orchestrate.Link(now.ID), Title: shownTitle(&now), Resumed: now.Resumed, Fresh: now.Fresh}
	switch {
	case typed != "":
		out.Resumed, out.Conversation = true, rec.Conversation.ID
	case why != "" && rec.Spoken:
		out.Fresh = why
	case now.Conversation != nil:
		out.Conversation = now.Conversation.ID
	}
	return out, nil
}

// manifestOf is the manifest of a session's agent. One in which an agent was
// started by hand is a plain terminal again.
func (d *Daemon) manifestOf(rec hostproto.Record) (*atp.Manifest, error) {
	id := rec.Agent
	if rec.Plain {
		id = atp.TerminalID
	}
	if m, ok := d.agents.catalog.get().ByID(id); ok {
		return m, nil
	}
	return nil, orchestrate.Refuse(orchestrate.BadAgent, "the manifest of %s (%s) is gone; put it back, or start another agent", rec.AgentName, id)
}

// placeAgain is where a session is started again: an agent where it was, since
// its conversation belongs there; a terminal where its shell was last.
func placeAgain(m *atp.Manifest, rec hostproto.Record) (string, error) {
	if m.IsTerminal() {
		for _, dir := range []string{rec.Cwd, rec.Dir, rec.Project} {
			if real, err := project.Canonical(dir); err == nil && dir != "" {
				return real, nil
			}
		}
	}
	dir, err := project.Canonical(rec.Dir)
	if err != nil {
		return "", orchestrate.Refuse(orchestrate.StartFailed, "the session's directory is not there: %v; put it back and reopen the session", err)
	}
	return dir, nil
}

// asBefore is the environment with what places the agent's files as it was at
// the launch before, where those places are still there.
func asBefore(m *atp.Manifest, rec hostproto.Record, env []string) []string {
	env = slices.Clone(env)
	if isDir(rec.UserHome) {
		env = append(env, "HOME="+rec.UserHome)
	}
	if m.ConfigHome != nil && isDir(expand(rec.ConfigHome, shellenv.Get(env, "HOME"))) {
		env = append(env, m.ConfigHome.Env+"="+rec.ConfigHome)
	}
	return env
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return path != "" && err == nil && st.IsDir()
}

func expand(path, home string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return path
}

func or(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

// carryOn keeps what a session is and was in the record of its next launch.
func carryOn(next *hostproto.Record, rec hostproto.Record) {
	next.Created, next.UserTitle, next.Cwd, next.Left = rec.Created, rec.UserTitle, rec.Cwd, rec.Left
	next.Prompted = ""
	if next.Resumed {
		next.Prompted, next.LiveTitle, next.Spoken = rec.Prompted, rec.LiveTitle, rec.Spoken
		if was := rec.Conversation; was != nil && was.ID == next.Conversation.ID {
			next.Conversation = was
		}
		return
	}
	if was := rec.Conversation; was != nil && (next.Conversation == nil || next.Conversation.ID != was.ID) {
		// It is left, and kept in mind.
		now := next.Conversation
		next.Conversation = was
		next.Leave("")
		next.Conversation = now
	}
}

// awaitOldHost waits until the host before has let go of the session.
func (d *Daemon) awaitOldHost(ctx context.Context, rec hostproto.Record) error {
	ctx, cancel := context.WithTimeout(ctx, oldHostTime)
	defer cancel()
	for !hostproto.Gone(rec.HostPID, rec.HostBoot) {
		select {
		case <-ctx.Done():
			return orchestrate.Refuse(orchestrate.StartFailed, "the session's last host (pid %d) has not ended yet; try again in a moment", rec.HostPID)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// continueConversation decides with which conversation a session is launched
// again.
func (d *Daemon) continueConversation(ctx context.Context, o *orchestrate.Order, s session, rec *hostproto.Record, env []string, rejected string) error {
	m := o.Manifest
	getenv := d.agentEnv(ctx, m, env)
	o.Notes.ConfigHome, o.Notes.UserHome = configHome(m, getenv), getenv("HOME")
	if m.IsTerminal() {
		return nil
	}
	p := resume.Past{Unknown: rec.Unknown, Spoken: rec.Spoken, Rejected: rejected}
	if rec.Conversation != nil {
		p.ID = rec.Conversation.ID
	} else if id, why := d.finder.late(ctx, s); id != "" || why != "" {
		p.ID, p.Unknown = id, why
		if _, taken := d.claims().TakenFrom(rec.ID, id); taken {
			p.ID, p.Unknown = "", "the conversation "+id+" belongs to another session"
		}
		if p.ID != "" {
			p.Spoken = true
			rec.Conversation = &hostproto.Conversation{ID: p.ID, How: hostproto.HowDiscovered, Since: o.Now}
		}
	}
	if p.ID != "" {
		d.lookUp(ctx, m, getenv, &p)
	}
	d.finder.mark(ctx, m, getenv)
	words, ok := wordsOf(m, *o)
	if ok && resume.Chosen(m.Resume, o.Extra) {
		o.Extra = resume.Unchosen(m.Resume, o.Extra) // the launch before did that
		words, ok = wordsOf(m, *o)
	}
	if m.Resume != nil && (!ok || resume.Chosen(m.Resume, words)) {
		o.Notes.Fresh = ""
		if p.Spoken {
			o.Notes.Fresh = "its command picks the conversation itself, or is more than words, so that nothing can be added"
		}
		return nil
	}
	l, err := resume.Again(m, p, uuid.NewString)
	if err != nil {
		return orchestrate.Refuse(orchestrate.StartFailed, "%s cannot be started: %v", m.Name, err)
	}
	d.give(o, l, getenv)
	return nil
}

// lookUp looks for a conversation in its agent's store.
func (d *Daemon) lookUp(ctx context.Context, m *atp.Manifest, getenv func(string) string, p *resume.Past) {
	switch _, pattern := m.Resume.Store(); {
	case pattern != "":
		p.Found, p.There, p.Err = resume.Look(m, getenv, p.ID)
	case m.Resume.Discovered():
		ctx, cancel := context.WithTimeout(ctx, lookTime)
		defer cancel()
		if store := d.finder.store(m, getenv); store != nil {
			p.Found, p.There, p.Err = store.Find(ctx, p.ID)
		}
	default:
		p.There, p.Unsure, p.Found.Begun = true, true, true
	}
}

// refused waits until the agent has taken the conversation, or has ended since
// it did not; it gives the agent's last words then.
func (d *Daemon) refused(ctx context.Context, id string) (said string, no bool) {
	end := time.NewTimer(rejectTime)
	defer end.Stop()
	for {
		s, ok := d.roster.get(id)
		if !ok {
			return "", false
		}
		if !s.live {
			return refusalIn(s)
		}
		if d.settled(ctx, s) {
			return "", false
		}
		select {
		case <-s.over:
		case <-time.After(rejectPoll):
		case <-end.C:
			return "", false
		case <-ctx.Done():
			return "", false
		}
	}
}

// settled reports whether a program that was just launched is at work.
func (d *Daemon) settled(ctx context.Context, s session) bool {
	var info hostproto.Info
	if err := d.ask(ctx, s, askTime, hostproto.OpInfo, nil, &info); err != nil {
		return false
	}
	switch info.Status.Cause.Channel {
	case "launch", "", "screen", "exit":
		return !info.LastOutput.IsZero() && time.Since(info.LastOutput) > settledFor && time.Since(info.Record.Launched) > 2*settledFor
	}
	return true
}

// refusalIn reports whether a session ended because its agent refused to
// continue the conversation, and what it said.
func refusalIn(s session) (said string, no bool) {
	c, r := s.record.Closed, s.record
	if c == nil || !r.Resumed || len(r.Submits) > 0 || c.At.Sub(r.Launched) > lateReject {
		return "", false
	}
	failed := c.Reason == hostproto.ReasonBootFailed || c.Reason == hostproto.ReasonExited && c.ExitCode != nil && *c.ExitCode != 0
	return lastLine(c.LastLines, r.Size.Cols), failed
}

// lastLine is the last line of a screen's text, with the rows before it that it
// was wrapped from: those that are as wide as the screen.
func lastLine(text string, cols int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for last, l := range slices.Backward(lines) {
		if strings.TrimSpace(l) == "" {
			continue
		}
		for i := last - 1; i >= 0 && cols > 0 && utf8.RuneCountInString(lines[i]) >= cols-1; i-- {
			l = lines[i] + l
		}
		return strings.TrimSpace(l)
	}
	return "it ended at once"
}

// afterExit launches a session again whose agent has ended without having been
// asked to: since it has replaced itself, or since it refused to continue its
// conversation.
func (d *Daemon) afterExit(id string, c hostproto.Closed) {
	s, ok := d.roster.get(id)
	if !ok || s.live || d.life.Err() != nil {
		return
	}
	if rec, err := readRecord(d.o.Layout.Record(id)); err == nil {
		rec.Closed = s.record.Closed
		s.record = rec
	}
	said, rejected := refusalIn(s)
	if !rejected && !c.Replaced {
		return
	}
	ctx, cancel := context.WithTimeout(d.life, startTimeout+rejectTime)
	defer cancel()
	if !rejected {
		said = ""
	}
	one, err := d.reopenOne(ctx, s, api.ReopenRequest{}, said)
	switch {
	case err != nil:
		d.log.Warn("a session was not started again", "session", id, "why", err.Error())
	default:
		d.log.Info("a session was started again", "session", id, "replaced", c.Replaced, "resumed", one.Resumed, "fresh", one.Fresh)
	}
}

// reopenCommand is what opens a closed session again.
func reopenCommand(s session) string { return "termio sessions reopen " + s.link() }
