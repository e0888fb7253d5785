package daemon

import (
	"context"
	"fmt"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/resume"
)

// byHand is what a reopened terminal is typed, in which an agent ran that its
// user had started: the command that continues the agent's conversation, where
// that is known exactly; else "" and why. The shell that the user had is there
// again then, and the agent in it.
func (d *Daemon) byHand(ctx context.Context, rec hostproto.Record, env []string) (command, why string) {
	m, ok := d.agents.catalog.get().ByID(rec.Agent)
	switch {
	case !rec.Plain:
		return "", ""
	case !ok || m.Resume == nil || m.Resume.Resume == "":
		return "", fmt.Sprintf("%s was started by hand, and cannot be told which conversation to continue", rec.AgentName)
	case rec.Conversation == nil:
		return "", fmt.Sprintf("%s was started by hand, and never told which conversation it was in", rec.AgentName)
	}
	p := resume.Past{ID: rec.Conversation.ID, Spoken: rec.Spoken}
	d.lookUp(ctx, m, d.agentEnv(ctx, m, env), &p)
	l, err := resume.Again(m, p, func() string { return p.ID })
	switch {
	case err != nil:
		return "", err.Error()
	case p.Unsure:
		return "", fmt.Sprintf("%s keeps its conversations where nobody can look", m.Name)
	case !l.Resumes:
		return "", l.Fresh
	}
	return atp.LaunchCommand(m, atp.LaunchOptions{}) + " " + l.Fragment, ""
}
