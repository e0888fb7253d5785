package daemon

import (
	"context"

	"github.com/google/uuid"
	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/history"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/orchestrate"
	"github.com/termio-sh/termio/internal/resume"
)

// bearPast starts an agent in a past conversation: in that one, or not at all.
func (d *Daemon) bearPast(ctx context.Context, r api.HistoryResumeRequest, m *atp.Manifest, row history.Row) (api.SpawnReply, error) {
	who, err := d.caller(r.Caller)
	if err != nil {
		return api.SpawnReply{}, err
	}
	fragment, err := atp.ExpandID(m.Resume.Resume, row.Conversation)
	if err != nil {
		return api.SpawnReply{}, orchestrate.Refuse(orchestrate.StartFailed, "the conversation %s cannot be resumed: %v", row.Conversation, err)
	}
	// Two calls at once must not both find it free.
	d.history.resuming.Lock()
	defer d.history.resuming.Unlock()
	if link := d.conversationLinks()[conversationKey{row.Agent, row.Conversation}]; link != "" {
		return api.SpawnReply{}, api.Errorf(api.CodeSessionClosed, "the session %s is in that conversation now, and one conversation has one session; attach to it: `termio sessions attach %s`", link, link)
	}
	return d.bear(ctx, who, m, birth{
		id: uuid.NewString(), caller: r.Caller, dir: row.Dir, title: r.Title, text: r.Prompt, cols: r.Cols, rows: r.Rows, env: r.Env,
		past: &resume.Launch{ID: row.Conversation, Fragment: fragment, Resumes: true},
	})
}

// goOn gives a new session's agent a past conversation.
func (d *Daemon) goOn(ctx context.Context, o *orchestrate.Order, program string, env []string, l resume.Launch) {
	getenv := d.agentEnv(ctx, o.Manifest, env)
	o.Notes = hostproto.LaunchNotes{
		Override: o.Override, Program: program,
		ConfigHome: configHome(o.Manifest, getenv), UserHome: getenv("HOME"), Spoken: true,
	}
	d.give(o, l, getenv)
}
