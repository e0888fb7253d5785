package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
)

// optionsTime bounds a call that may start an agent and set it.
const optionsTime = 2 * time.Minute

// options shows and sets what a session over ACP can be set to. What a person
// sets is remembered for the agent's next sessions.
func (d *Daemon) options(ctx context.Context, r api.OptionsRequest) (api.OptionsReply, error) {
	who, err := d.caller(r.Caller)
	if err != nil {
		return api.OptionsReply{}, err
	}
	s, err := d.target(r.Caller, r.Target)
	if err != nil {
		return api.OptionsReply{}, err
	}
	if s.record.Kind != hostproto.KindACP {
		return api.OptionsReply{}, api.Errorf(api.CodeWrongAgent, "%q (%s) is a session in a terminal: its agent is set by what is typed there; options are for sessions over ACP", s.title, s.link())
	}
	var set []acphost.Setting
	var forget []string
	for _, q := range r.Set {
		if q.Value == "" {
			forget = append(forget, q.Name)
			continue
		}
		set = append(set, acphost.Setting(q))
	}
	ask := hostproto.OptionsRequest{Start: r.Start}
	if len(set) > 0 {
		if ask.Set, err = json.Marshal(set); err != nil {
			return api.OptionsReply{}, fmt.Errorf("encode the settings: %w", err)
		}
	}
	var reply hostproto.OptionsReply
	if err := d.ask(ctx, s, optionsTime, hostproto.OpOptions, ask, &reply); err != nil {
		return api.OptionsReply{}, err
	}
	out, applied, err := optionsReply(reply)
	if err != nil {
		return out, err
	}
	if who.session == nil { // what agents set among themselves is no wish of a person's
		if err := d.remembered.note(s.record.Agent, applied, rolesOf(out.Options, forget)); err != nil {
			return out, err
		}
	}
	out.Head, out.Target, out.Title, out.Agent = api.OKHead(), s.link(), s.title, s.record.Agent
	for _, q := range d.remembered.settings(s.record.Agent) {
		out.Remembered = append(out.Remembered, api.OptionSetting(q))
	}
	return out, nil
}

// rolesOf are the roles of options that are named by id or role.
func rolesOf(all []api.Option, names []string) (out []string) {
	for _, n := range names {
		role := strings.ToLower(n)
		for _, o := range all {
			if o.ID == n {
				role = o.Role
			}
		}
		out = append(out, role)
	}
	return out
}

// optionsReply makes a host's reply the contract's.
func optionsReply(r hostproto.OptionsReply) (out api.OptionsReply, applied []acphost.Applied, err error) {
	out.Live, out.Options = r.Live, []api.Option{}
	var options []acphost.Option
	if err := json.Unmarshal(r.Options, &options); err != nil {
		return out, nil, fmt.Errorf("read the session's options: %w", err)
	}
	if len(r.Applied) > 0 {
		if err := json.Unmarshal(r.Applied, &applied); err != nil {
			return out, nil, fmt.Errorf("read what was set: %w", err)
		}
	}
	for _, o := range options {
		one := api.Option{
			ID: o.ID, Name: o.Name, Description: o.Description, Role: o.Role, Category: o.Category,
			Type: o.Type, Value: o.Value, Free: o.Role == acphost.RoleModel,
		}
		for _, c := range o.Choices {
			one.Choices = append(one.Choices, api.OptionChoice(c))
		}
		out.Options = append(out.Options, one)
	}
	// What the agent says in another shape than the protocol's is left out.
	var commands []acp.AvailableCommand
	_ = acp.Decode(r.Commands, &commands)
	for _, c := range commands {
		name := strings.TrimLeft(strings.TrimSpace(c.Name), "/$")
		if name == "" {
			continue
		}
		one := api.SlashCommand{Name: name, Description: c.Description}
		if c.Input != nil {
			one.Hint = c.Input.Hint
		}
		out.Commands = append(out.Commands, one)
	}
	var plan []acp.PlanEntry
	_ = acp.Decode(r.Plan, &plan)
	for _, p := range plan {
		out.Plan = append(out.Plan, api.PlanEntry{Content: p.Content, Status: string(p.Status), Priority: string(p.Priority)})
	}
	if r.Used != nil && r.Size != nil && *r.Size > 0 {
		out.Usage = &api.ContextUsage{Used: int(*r.Used), Size: int(*r.Size)}
	}
	return out, applied, nil
}
