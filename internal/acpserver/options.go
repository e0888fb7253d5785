package acpserver

import (
	"context"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
)

// options are what the session can be set to, as the agent says it. With start
// an agent that has not said it yet is started; one that cannot be says so at
// the first prompt.
func (a *attachment) options(ctx context.Context, start bool) (config []acp.SessionConfigOption, modes *acp.SessionModeState) {
	var reply hostproto.OptionsReply
	if err := a.host.Call(ctx, hostproto.OpOptions, hostproto.OptionsRequest{Start: start}, &reply); err != nil {
		return nil, nil
	}
	// What cannot be read is not told.
	_ = acp.Decode(reply.Config, &config)
	_ = acp.Decode(reply.Modes, &modes)
	return config, modes
}

// set has the coordinator set the session, which remembers it for the agent's
// next ones.
func (s *Server) set(ctx context.Context, session acp.SessionId, name, value string) (*attachment, error) {
	a := s.attached(string(session))
	if a == nil {
		return nil, api.Errorf(api.CodeNotFound, "Resource not found: the session %s is not open here; load it first", session)
	}
	who := s.o.Caller
	who.All = true
	return a, s.o.Coordinator.Call(ctx, api.VerbOptions, api.OptionsRequest{
		Caller: who, Target: a.id, Set: []api.OptionSetting{{Name: name, Value: value}},
	}, new(api.OptionsReply))
}

func (s *Server) setOption(ctx context.Context, q acp.SetSessionConfigOptionRequest, r *acp.Responder) error {
	value := acp.Text(q.Value)
	if value == "" {
		value = string(q.Value) // true or false
	}
	a, err := s.set(ctx, q.SessionID, string(q.ConfigID), value)
	if err != nil {
		return err
	}
	config, _ := a.options(ctx, false)
	if config == nil {
		config = []acp.SessionConfigOption{}
	}
	r.Result(acp.SetSessionConfigOptionResponse{ConfigOptions: config})
	return nil
}

func (s *Server) setMode(ctx context.Context, q acp.SetSessionModeRequest, r *acp.Responder) error {
	if _, err := s.set(ctx, q.SessionID, acphost.RoleMode, string(q.ModeID)); err != nil {
		return err
	}
	r.Result(acp.SetSessionModeResponse{})
	return nil
}

// configured are the updates that tell of a session that was set.
func configured(ev acphost.Event) (out []act) {
	add := func(update any) {
		if raw, err := acp.Encode(update); err == nil {
			out = append(out, act{update: raw})
		}
	}
	if len(ev.ConfigOptions) > 0 {
		add(struct {
			Kind    string `json:"sessionUpdate"`
			Options any    `json:"configOptions"`
		}{acp.UpdateConfig, ev.ConfigOptions})
	}
	var modes acp.SessionModeState
	if acp.Decode(ev.Modes, &modes) == nil && modes.CurrentModeID != "" {
		add(struct {
			Kind string            `json:"sessionUpdate"`
			Mode acp.SessionModeId `json:"currentModeId"`
		}{acp.UpdateMode, modes.CurrentModeID})
	}
	return out
}
