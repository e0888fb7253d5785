package acphost

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/acp"
)

// BadSetting is a setting that cannot be: of an option that the agent does not
// have, or to a value that it does not take.
type BadSetting struct{ why string }

func (e *BadSetting) Error() string { return e.why }

// Applied is an option that was set.
type Applied struct {
	ID    string `json:"id"`
	Role  string `json:"role,omitzero"`
	Value string `json:"value"`
}

// Options are what the session can be set to, as far as it is known, and
// whether its agent runs.
func (s *Session) Options() (all Config, live bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.config, s.live != nil
}

// Open starts the agent and makes the session, if that is not done yet. No
// prompt is needed for it.
func (s *Session) Open(ctx context.Context) error {
	_, err := s.opened(ctx)
	return err
}

// opened is open for what is no turn.
func (s *Session) opened(ctx context.Context) (*live, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, ErrClosed
	}
	s.visits++
	visit := s.visits
	s.visitors[visit] = cancel
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.visitors, visit)
		if s.current == nil && len(s.queue) == 0 {
			s.rests()
		}
		s.mu.Unlock()
	}()
	l, _, err := s.open(ctx)
	return l, err
}

// rests lets the agent go when it has nothing to do for long, where its session
// can be gone on with or nothing was said in it; s.mu is held.
func (s *Session) rests() {
	if s.rest != nil {
		s.rest.Stop()
	}
	if s.live != nil && (!s.spoken || s.live.canGoOn()) && !s.closed {
		s.rest = time.AfterFunc(restTime, s.release)
	}
}

// Set sets the session, in the order of roles and then as given, starting its
// agent if need be. What was set before one that fails stays set.
func (s *Session) Set(ctx context.Context, settings []Setting) (done []Applied, err error) {
	l, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	settings = slices.Clone(settings)
	first := l.config()
	for _, q := range settings { // before anything is set
		if _, _, err := first.resolve(q, true); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(settings, func(a, b Setting) int { return first.rankOf(a) - first.rankOf(b) })
	for _, q := range settings {
		option, value, err := l.config().resolve(q, false)
		if err != nil {
			return done, err
		}
		if option.Value != value {
			if err := l.assign(ctx, option, value); err != nil {
				return done, fmt.Errorf("set %s to %q: %w", option.ID, value, l.withStderr(err))
			}
		}
		s.mu.Lock()
		s.o.Prefer.keep(option, value)
		s.mu.Unlock()
		done = append(done, Applied{option.ID, option.Role, value})
	}
	return done, nil
}

func (c Config) rankOf(q Setting) int {
	o, _, err := c.resolve(q, true)
	if err != nil {
		return len(roles)
	}
	return rank(o.Role)
}

// resolve finds the option that a setting means, by its id or its role, and the
// value as the agent writes it. Loosely, the value may become one of the
// option's only after others were set.
func (c Config) resolve(q Setting, loosely bool) (Option, string, error) {
	all := c.Of()
	i := slices.IndexFunc(all, func(o Option) bool { return o.ID == q.Name })
	for _, is := range []func(Option) bool{
		func(o Option) bool { return o.Role != "" && o.Role == strings.ToLower(q.Name) },
		func(o Option) bool { return strings.EqualFold(o.ID, q.Name) },
	} {
		if i < 0 {
			i = slices.IndexFunc(all, is)
		}
	}
	if i < 0 {
		var names []string
		for _, o := range all {
			names = append(names, o.ID)
		}
		if len(names) == 0 {
			return Option{}, "", &BadSetting{fmt.Sprintf("there is no option %q: the agent offers none", q.Name)}
		}
		return Option{}, "", &BadSetting{fmt.Sprintf("there is no option %q; the agent offers: %s", q.Name, strings.Join(names, ", "))}
	}
	o := all[i]
	if on, ok := onOff(q.Value); ok && (o.Type == "boolean" || isSwitch(o)) {
		_, value, _ := o.switched(on)
		return o, value, nil
	}
	for _, same := range []func(OptionChoice) bool{
		func(k OptionChoice) bool { return k.Value == q.Value },
		func(k OptionChoice) bool { return strings.EqualFold(k.Value, q.Value) },
		func(k OptionChoice) bool { return strings.EqualFold(k.Name, q.Value) },
	} {
		if j := slices.IndexFunc(o.Choices, same); j >= 0 {
			return o, o.Choices[j].Value, nil
		}
	}
	if (loosely || o.Role == RoleModel) && o.Type != "boolean" && q.Value != "" {
		return o, q.Value, nil // a model need not be listed (row 178)
	}
	return o, "", &BadSetting{fmt.Sprintf("%s cannot be %q; it can be: %s", o.ID, q.Value, strings.Join(o.values(), ", "))}
}

// isSwitch tells whether an option is one that is on or off.
func isSwitch(o Option) bool {
	return len(o.Choices) == 2 && listed(o.Choices, "on") && listed(o.Choices, "off")
}

func onOff(word string) (on, ok bool) {
	switch strings.ToLower(word) {
	case "true", "on", "yes":
		return true, true
	case "false", "off", "no":
		return false, true
	}
	return false, false
}

// maxNamed is how many values an error names.
const maxNamed = 30

func (o Option) values() (out []string) {
	if o.Type == "boolean" {
		return []string{"true", "false"}
	}
	for _, k := range o.Choices {
		if len(out) == maxNamed {
			return append(out, "…")
		}
		out = append(out, k.Value)
	}
	return out
}

// assign asks the agent to set an option, and notes what the session is set to
// then.
func (l *live) assign(ctx context.Context, o Option, value string) error {
	s := l.s
	s.mu.Lock()
	id := acp.SessionId(s.id)
	if m := s.config.Models; m != nil && o.Role == RoleModel && o.way == byConfig && !s.config.has(o.ID, value) &&
		slices.ContainsFunc(m.Models, func(c OptionChoice) bool { return c.Value == value }) {
		o.way = byModel // only the older list knows it
	}
	s.mu.Unlock()
	var err error
	switch o.way {
	case byMode:
		err = l.call(ctx, RequestTime, acp.MethodSetSessionMode, acp.SetSessionModeRequest{SessionID: id, ModeID: acp.SessionModeId(value)}, nil)
	case byModel:
		err = l.call(ctx, RequestTime, methodSetModel, struct {
			SessionID acp.SessionId `json:"sessionId"`
			ModelID   string        `json:"modelId"`
		}{id, value}, nil)
	default:
		q := acp.SetSessionConfigOptionRequest{SessionID: id, ConfigID: acp.SessionConfigId(o.ID), Value: quote(value)}
		if o.Type == "boolean" {
			q.Type, q.Value = "boolean", []byte(value)
		}
		var out acp.SetSessionConfigOptionResponse
		if err = l.call(ctx, RequestTime, acp.MethodSetSessionConfigOption, q, &out); err == nil {
			l.configured(Config{Options: out.ConfigOptions})
		}
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case o.way == byModel && s.config.Models != nil:
		models := *s.config.Models
		models.Current = value
		s.config.Models = &models
	case o.way == byMode && s.config.Modes != nil:
		modes := *s.config.Modes
		modes.CurrentModeID = acp.SessionModeId(value)
		s.config.Modes = &modes
	}
	s.o.Note(s.config.event(EventConfig))
	return nil
}

// has tells whether an option itself lists a value.
func (c Config) has(id, value string) bool {
	for i := range c.Options {
		if o := &c.Options[i]; string(o.ID) == id {
			return slices.ContainsFunc(o.Choices(), func(k acp.Choice) bool { return k.Value == value })
		}
	}
	return false
}

// event tells of a configuration.
func (c Config) event(kind string) Event {
	ev := Event{Type: kind}
	// What cannot be encoded was not decoded either.
	if raw, err := acp.Encode(c.Options); err == nil && len(c.Options) > 0 {
		ev.ConfigOptions = raw
	}
	if raw, err := acp.Encode(c.Modes); err == nil && c.Modes != nil {
		ev.Modes = raw
	}
	if raw, err := acp.Encode(c.Models); err == nil && c.Models != nil {
		ev.Models = raw
	}
	return ev
}

// configured takes over what a response said; what it did not say stays.
func (l *live) configured(c Config) {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	now := &l.s.config
	if c.Options != nil {
		now.Options = c.Options
	}
	if c.Modes != nil {
		now.Modes = c.Modes
	}
	if c.Models != nil {
		now.Models = c.Models
	}
}

// follow notes what the agent has set by itself, so that it is set to that
// again; before the session is set to what is preferred it says nothing new.
// s.mu is held.
func (l *live) follow() {
	if l.s.live == l {
		l.s.o.Prefer.follow(l.s.config)
	}
}

// moded takes over the mode that the agent says it is in.
func (c *Config) moded(id acp.SessionModeId) {
	if c.Modes != nil {
		modes := *c.Modes
		modes.CurrentModeID = id
		c.Modes = &modes
	}
}
