//go:build unix

package acp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/host"
	"github.com/termio-sh/termio/internal/hostproto"
)

// options tells what the session can be set to, and sets it. It may have to
// start the agent.
func (s *session) options(p *host.Peer, q hostproto.OptionsRequest, reply replyFunc) {
	ctx, cancel := s.whileOpen()
	defer cancel()
	go func() { // nobody waits for it
		select {
		case <-p.Closed():
			cancel()
		case <-ctx.Done():
		}
	}()
	var settings []acphost.Setting
	if len(q.Set) > 0 {
		if err := json.Unmarshal(q.Set, &settings); err != nil {
			refuse(reply, hostproto.CodeBadRequest, "the settings cannot be read: %v", err)
			return
		}
	}
	applied, err := s.settle(ctx, settings, q.Start)
	if err != nil {
		reply(nil, optionsError(err))
		return
	}
	out, err := s.optionsReply(applied)
	if err != nil {
		refuse(reply, hostproto.CodeInternal, "%v", err)
		return
	}
	reply(out, nil)
}

// settle sets the session, or has the agent started to say what it offers.
func (s *session) settle(ctx context.Context, settings []acphost.Setting, start bool) ([]acphost.Applied, error) {
	if len(settings) > 0 {
		applied, err := s.agent.Set(ctx, settings)
		s.remember(applied)
		return applied, err
	}
	if known, live := s.agent.Options(); start && !live && len(known.Of()) == 0 {
		return nil, s.agent.Open(ctx)
	}
	return nil, nil
}

// remember keeps in the record what the session was set to, for its next life.
func (s *session) remember(applied []acphost.Applied) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range applied {
		s.record.Choose(hostproto.Choice{ID: a.ID, Role: a.Role, Value: a.Value})
	}
	if len(applied) > 0 {
		s.records.Save(s.record, true)
	}
}

func (s *session) optionsReply(applied []acphost.Applied) (out hostproto.OptionsReply, err error) {
	config, live := s.agent.Options()
	out.Live = live
	all := config.Of()
	if all == nil {
		all = []acphost.Option{}
	}
	if out.Options, err = json.Marshal(all); err != nil {
		return out, err
	}
	if len(applied) > 0 {
		if out.Applied, err = json.Marshal(applied); err != nil {
			return out, err
		}
	}
	if len(config.Options) > 0 {
		raw, err := acp.Encode(config.Options)
		if err != nil {
			return out, err
		}
		out.Config = json.RawMessage(raw)
	}
	if config.Modes != nil {
		raw, err := acp.Encode(config.Modes)
		if err != nil {
			return out, err
		}
		out.Modes = json.RawMessage(raw)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out.Commands, out.Plan = json.RawMessage(s.facts.Commands), json.RawMessage(s.facts.Plan)
	out.Used, out.Size = s.facts.Used, s.facts.Size
	return out, nil
}

// optionsError gives a failure in the host protocol's words.
func optionsError(err error) *hostproto.Error {
	e := &hostproto.Error{Code: hostproto.CodeBadRequest, Message: err.Error()}
	var f *acphost.Failure
	switch {
	case errors.Is(err, acphost.ErrClosed), errors.Is(err, context.Canceled):
		e.Code = hostproto.CodeNotLive
	case errors.As(err, new(*acphost.BadSetting)):
	case errors.As(err, &f), errors.Is(err, acp.ErrClosed), errors.Is(err, context.DeadlineExceeded):
		e.Code = hostproto.CodeStartFailed
	}
	return e
}
