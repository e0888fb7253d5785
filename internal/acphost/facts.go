package acphost

import (
	"encoding/json/jsontext"

	"github.com/termio-sh/termio/internal/acp"
)

// Facts are what stands beside a conversation: what the session can be set to
// and is, the agent's commands, its plan and how full its context is. They are
// made of the session's events, the newest of each.
type Facts struct {
	Config   Config
	Commands jsontext.Value // as the agent gave them
	Plan     jsontext.Value
	Used     *int64 // tokens
	Size     *int64
}

// Apply takes the next event.
func (f *Facts) Apply(ev Event) {
	switch ev.Type {
	case EventReady, EventConfig:
		f.configure(ev)
	case EventMode:
		f.Config.moded(acp.SessionModeId(ev.Mode))
	case EventCommands:
		f.Commands = ev.Commands
	case EventPlan:
		f.Plan = ev.Entries
	case EventUsage:
		f.Used, f.Size = ev.Used, ev.Size
	}
}

func (f *Facts) configure(ev Event) {
	var c Config
	if acp.Decode(ev.ConfigOptions, &c.Options) == nil && c.Options != nil {
		f.Config.Options = c.Options
	}
	if acp.Decode(ev.Modes, &c.Modes) == nil && c.Modes != nil {
		f.Config.Modes = c.Modes
	}
	if acp.Decode(ev.Models, &c.Models) == nil && c.Models != nil {
		f.Config.Models = c.Models
	}
}
