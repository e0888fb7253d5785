package daemon

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/orchestrate"
	"github.com/termio-sh/termio/internal/resume"
	"github.com/termio-sh/termio/internal/shellenv"
)

// agentEnv reads the environment that a session's agent will see: that of the
// caller and of the manifest, but for what the login shell's files set anew.
func (d *Daemon) agentEnv(ctx context.Context, m *atp.Manifest, env []string) func(string) string {
	login, _ := d.login.Env(ctx) // usable whatever the error
	base, callers := shellenv.Scrub(d.o.Env), shellenv.Scrub(env)
	return func(name string) string {
		given := shellenv.Get(callers, name)
		if v := m.Env[name]; v != "" {
			given = v
		}
		if v := shellenv.Get(login, name); v != shellenv.Get(base, name) {
			return v
		}
		return given
	}
}

// beginConversation decides which conversation a new session's agent is given,
// and notes what a relaunch will need.
func (d *Daemon) beginConversation(ctx context.Context, o *orchestrate.Order, program string, env []string) error {
	m := o.Manifest
	o.Notes = hostproto.LaunchNotes{Override: o.Override, Program: program}
	getenv := d.agentEnv(ctx, m, env)
	o.Notes.ConfigHome, o.Notes.UserHome = configHome(m, getenv), getenv("HOME")
	if m.Resume == nil {
		return nil
	}
	d.finder.mark(ctx, m, getenv)
	words, ok := wordsOf(m, *o)
	if !ok {
		return nil // more than words: nothing can be added to it
	}
	l, err := resume.First(m, words, uuid.NewString)
	if err != nil {
		return orchestrate.Refuse(orchestrate.StartFailed, "%s cannot be started: %v", m.Name, err)
	}
	d.give(o, l, getenv)
	return nil
}

// give puts a launch's conversation into its order.
func (d *Daemon) give(o *orchestrate.Order, l resume.Launch, getenv func(string) string) {
	o.Fragment, o.Conversation = l.Fragment, nil
	o.Notes.Resumed, o.Notes.Fresh = l.Resumes, l.Fresh
	if l.ID == "" {
		return
	}
	o.Conversation = &hostproto.Conversation{ID: l.ID, How: hostproto.HowMinted, Since: o.Now}
	if !l.Seed {
		return
	}
	seed, err := resume.NewSeed(o.Manifest, getenv, l.ID, o.Dir, o.Now)
	if err == nil {
		err = seed.Write()
	}
	if err != nil { // the agent starts without it, and says so
		d.log.Warn("an agent has no session file to start from", "agent", o.Manifest.ID, "why", err.Error())
	}
}

// configHome is the value of the variable that moves the agent's config tree,
// where it says an absolute path.
func configHome(m *atp.Manifest, getenv func(string) string) string {
	if m.ConfigHome == nil {
		return ""
	}
	if v := getenv(m.ConfigHome.Env); filepath.IsAbs(v) || strings.HasPrefix(v, "~/") {
		return v
	}
	return ""
}

// wordsOf are the words of a session's command and of the arguments that its
// user gave; false where the command is more than words.
func wordsOf(m *atp.Manifest, o orchestrate.Order) ([]string, bool) {
	command := atp.LaunchCommand(m, atp.LaunchOptions{CommandOverride: o.Override})
	words, ok := atp.Words(command)
	if !ok || strings.ContainsAny(command, ";|&<>()`$#\n") {
		return nil, false
	}
	return append(words, o.Extra...), true
}

// claims is the registry of conversations over all sessions.
func (d *Daemon) claims() resume.Claims {
	var all []resume.Claim
	for _, live := range []bool{true, false} {
		for _, s := range d.roster.all(everything, live) {
			if c := s.record.Conversation; c != nil {
				all = append(all, resume.Claim{
					Session: s.record.ID, ID: c.ID, Since: c.Since, Open: s.live, Exact: c.How != hostproto.HowDiscovered,
				})
			}
		}
	}
	return resume.NewClaims(all)
}

// converses takes what a host told of its conversation or of its end. It does
// not wait: it is called where the host's next word is read.
func (d *Daemon) converses(id string, ev *hostproto.Event) {
	switch ev.Type {
	case hostproto.EventConversation:
		d.finder.wake()
		if ev.Conversation != nil {
			d.follows.Go(d.settleClaims)
		}
	case hostproto.EventExited:
		d.finder.wake()
		if ev.Closed != nil {
			d.follows.Go(func() { d.afterExit(id, *ev.Closed) })
		}
	}
}

// settleClaims tells the hosts of live sessions that are in a conversation of
// another session's: a conversation has one session.
func (d *Daemon) settleClaims() {
	claims := d.claims()
	for _, c := range claims.Contested() {
		s, ok := d.roster.get(c.Session)
		owner, owned := claims.Owner(c.ID)
		if !ok || !owned {
			continue
		}
		why := fmt.Sprintf("the conversation %s belongs to %s", c.ID, orchestrate.Link(owner.Session))
		d.log.Warn("two sessions are in one conversation", "conversation", c.ID, "session", c.Session, "owner", owner.Session)
		if err := d.converse(s, hostproto.ConverseRequest{Was: c.ID, Why: why, Elsewhere: true}); err != nil && d.life.Err() == nil {
			d.log.Warn("a session could not be told of its conversation", "session", c.Session, "why", err.Error())
		}
	}
}

// converse tells a host which conversation its session is in.
func (d *Daemon) converse(s session, q hostproto.ConverseRequest) error {
	ctx, cancel := context.WithTimeout(d.life, askTime)
	defer cancel()
	return d.ask(ctx, s, askTime, hostproto.OpConverse, q, nil)
}

// since is a time as it is kept.
func since(t time.Time) time.Time { return t.UTC().Round(0) }
