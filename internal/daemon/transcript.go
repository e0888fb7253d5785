package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/shellenv"
	"github.com/termio-sh/termio/internal/transcript"
)

// replyText is about how many bytes of text one reply of transcript holds.
const replyText = 4 << 20

// loginEnv reads the environment that an agent gets from the login shell.
func (d *Daemon) loginEnv(ctx context.Context) transcript.Env {
	env, _ := d.login.Env(ctx) // usable whatever the error
	return func(name string) string { return shellenv.Get(env, name) }
}

// sessionEnv reads the environment that a session's agent was given, as far as
// the places of its files go.
func (d *Daemon) sessionEnv(ctx context.Context, m *atp.Manifest, r *hostproto.Record) transcript.Env {
	login := d.loginEnv(ctx)
	return func(name string) string {
		switch {
		case name == "HOME" && r.UserHome != "":
			return r.UserHome
		case m.ConfigHome != nil && name == m.ConfigHome.Env && r.UserHome != "":
			return r.ConfigHome
		}
		return login(name)
	}
}

// transcriptOf is where the conversation of a session is on disk, and its
// layout: the journal of a session over ACP, the path that the agent reported,
// if it is in the agent's own store, else what is found by the conversation's id.
func (d *Daemon) transcriptOf(ctx context.Context, s *session) (format, path string, err error) {
	r := &s.record
	if r.Kind == hostproto.KindACP {
		return transcript.Journal, d.journalOf(r), nil
	}
	m, ok := d.agents.catalog.get().ByID(r.Agent)
	if !ok || m.Transcript == nil {
		return "", "", api.Errorf(api.CodeNotFound, "%s keeps no conversation that termio can read; its screen is what there is: `termio sessions read %s`", r.AgentName, s.link())
	}
	c := r.Conversation
	if c == nil || c.ID == "" && c.Transcript == "" {
		why := ""
		if r.Unknown != "" {
			why = " (" + r.Unknown + ")"
		}
		return "", "", api.Errorf(api.CodeNotFound, "which conversation %q (%s) is in is not known%s; that is so until an agent has said something, or tells it by its hooks: `termio hooks status`", s.title, s.link(), why)
	}
	env := d.sessionEnv(ctx, m, r)
	if c.Transcript != "" && transcript.Inside(m, env, c.Transcript) {
		return m.Transcript.Format, c.Transcript, nil
	}
	if path, ok := transcript.Find(m, env, r.Dir, c.ID); ok {
		return m.Transcript.Format, path, nil
	}
	return "", "", api.Errorf(api.CodeNotFound, "the conversation %s of %q is not in %s (yet, or any more)", c.ID, s.title, transcript.Root(m, env))
}

// journalOf is the journal of a session over ACP.
func (d *Daemon) journalOf(r *hostproto.Record) string {
	return filepath.Join(d.o.Layout.SessionDir(r.ID), hostproto.JournalName)
}

func (d *Daemon) transcript(ctx context.Context, r api.TranscriptRequest) (api.TranscriptReply, error) {
	to := transcript.ToEnd
	if r.To != nil {
		to = *r.To
	}
	if r.From < 0 || r.To != nil && to < r.From {
		return api.TranscriptReply{}, api.Errorf(api.CodeBadRequest, "the lines from %d to %d are no range", r.From, to)
	}
	s, err := d.target(r.Caller, r.Target)
	if err != nil {
		return api.TranscriptReply{}, err
	}
	format, path, err := d.transcriptOf(ctx, &s)
	if err != nil {
		return api.TranscriptReply{}, err
	}
	said, next, err := transcript.ReadPart(format, path, r.From, to, replyText)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, os.ErrInvalid) {
		return api.TranscriptReply{}, api.Errorf(api.CodeNotFound, "%v", err)
	}
	if err != nil {
		return api.TranscriptReply{}, err
	}
	out := api.TranscriptReply{
		Head: api.OKHead(), Target: s.link(), Title: s.title, Transcript: path, From: r.From, CursorEnd: next,
		Messages: make([]api.Message, len(said)),
	}
	for i := range said {
		out.Messages[i] = apiMessage(&said[i])
	}
	// Whether there is more is told by the count, not by the text that was left.
	n, err := transcript.NewCounter(format).Lines(path)
	if err == nil && next < n && (to == transcript.ToEnd || next < to) {
		out.Next = &next
	}
	return out, nil
}

func apiMessage(m *transcript.Message) api.Message {
	out := api.Message{Line: m.Line, Role: string(m.Role), Text: m.Text}
	if !m.At.IsZero() {
		out.At = &m.At
	}
	if t := m.Tool; t != nil {
		out.Tool = &api.ToolUse{Name: t.Name, ID: t.ID, Input: t.Input, Failed: t.Failed}
	}
	if u := m.Usage; u != nil {
		out.Usage = &api.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Model: u.Model}
	}
	return out
}
