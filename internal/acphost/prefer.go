package acphost

import (
	"context"
	"encoding/json/jsontext"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/termio-sh/termio/internal/acp"
)

// Preferences are what a session is set to, in the order model, collaboration
// mode, effort, fast (rows 178–184), and then the others. Empty ones are left
// as the agent has them.
type Preferences struct {
	Model         string `json:"model,omitzero"`
	Collaboration string `json:"collaboration,omitzero"`
	Effort        string `json:"effort,omitzero"`
	// Highest asks for the highest effort that is known, where Effort is empty.
	Highest bool  `json:"highest,omitzero"`
	Fast    *bool `json:"fast,omitzero"`
	// Others are further options.
	Others []Setting `json:"others,omitzero"`
}

// Setting is a value for an option.
type Setting struct {
	// Name is the option's id or its role.
	Name  string `json:"name"`
	Value string `json:"value"`
}

// effortRank orders the levels of effort. One that is not known makes the
// order of all unknown.
var effortRank = []string{"none", "off", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"}

// prefer sets the session. What the agent refuses changes nothing and fails
// nothing, and is told; only the connection's end and a cancel fail.
func (l *live) prefer(ctx context.Context) error {
	l.s.mu.Lock()
	p := l.s.o.Prefer
	l.s.mu.Unlock()
	set := func(option Option, value string) error {
		err := l.assign(ctx, option, value)
		if err == nil || errors.Is(err, acp.ErrClosed) || errors.Is(err, errCancelled) {
			return err
		}
		l.notice("%s is not set to %s: %v", option.ID, value, err)
		return nil
	}
	for _, choose := range []func(Config) (Option, string, bool){p.model, p.collaboration, p.effort, p.fast} {
		if option, value, ok := choose(l.config()); ok {
			if err := set(option, value); err != nil {
				return err
			}
		}
	}
	for _, o := range p.Others {
		option, value, err := l.config().resolve(o, false)
		switch {
		case err != nil:
			l.notice("%s is not set: %v", o.Name, err)
		case option.Value != value:
			if err := set(option, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// config is what the session can be set to now.
func (l *live) config() Config {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	return l.s.config
}

func quote(s string) jsontext.Value {
	v, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		return jsontext.Value(`""`)
	}
	return v
}

// modelOption is the option that chooses the model: by its category, else by
// its name (row 179).
func modelOption(config []acp.SessionConfigOption) *acp.SessionConfigOption {
	named := func(o acp.SessionConfigOption) bool {
		n := strings.ToLower(strings.TrimSpace(o.Name))
		return n == "model" || n == "models" || strings.HasSuffix(n, " model") || strings.HasPrefix(n, "model ")
	}
	for _, is := range []func(acp.SessionConfigOption) bool{
		func(o acp.SessionConfigOption) bool { return o.Category == acp.SessionConfigOptionCategoryModel },
		named,
	} {
		for i := range config {
			if is(config[i]) && len(config[i].Choices()) > 0 {
				return &config[i]
			}
		}
	}
	return nil
}

// find gives the first option for which is holds.
func find(config []acp.SessionConfigOption, is func(*acp.SessionConfigOption) bool) *acp.SessionConfigOption {
	for i := range config {
		if is(&config[i]) {
			return &config[i]
		}
	}
	return nil
}

func collaborationOption(config []acp.SessionConfigOption) *acp.SessionConfigOption {
	return find(config, func(o *acp.SessionConfigOption) bool {
		for _, w := range []string{string(o.ID), string(o.Category), o.Name} {
			switch strings.ToLower(strings.NewReplacer("-", " ", "_", " ").Replace(w)) {
			case "collaboration mode", "collaboration":
				return true
			}
		}
		return false
	})
}

func effortOption(config []acp.SessionConfigOption) *acp.SessionConfigOption {
	return find(config, func(o *acp.SessionConfigOption) bool {
		return (o.Category == acp.SessionConfigOptionCategoryThoughtLevel || o.ID == "reasoning_effort" || o.ID == "effort") && o.Type == "select"
	})
}

func fastOption(config []acp.SessionConfigOption) *acp.SessionConfigOption {
	return find(config, func(o *acp.SessionConfigOption) bool {
		return o.Category == acp.SessionConfigOptionCategoryModelConfig &&
			(o.ID == "fast-mode" || strings.Contains(strings.ToLower(o.Name), "fast"))
	})
}

// ofRole is the option with a role.
func (c Config) ofRole(role string) (Option, bool) {
	all := c.Of()
	if i := slices.IndexFunc(all, func(o Option) bool { return o.Role == role }); i >= 0 {
		return all[i], true
	}
	return Option{}, false
}

func (p Preferences) model(c Config) (Option, string, bool) {
	o, ok := c.ofRole(RoleModel)
	return o, p.Model, ok && p.Model != "" && o.Value != p.Model // also one that is not listed (row 178)
}

func (p Preferences) collaboration(c Config) (Option, string, bool) {
	o, _ := c.ofRole(RoleCollaboration)
	return o, p.Collaboration, o.takes(p.Collaboration)
}

// takes tells whether an option lists a value that it does not have.
func (o Option) takes(value string) bool {
	return value != "" && o.Value != value && listed(o.Choices, value)
}

func (p Preferences) effort(c Config) (Option, string, bool) {
	o, ok := c.ofRole(RoleEffort)
	value := p.Effort
	if ok && value == "" && p.Highest {
		best := -1
		for _, k := range o.Choices {
			rank := slices.Index(effortRank, strings.ToLower(k.Value))
			if rank < 0 {
				return o, "", false
			}
			if rank > best {
				best, value = rank, k.Value
			}
		}
	}
	return o, value, o.takes(value)
}

func (p Preferences) fast(c Config) (Option, string, bool) {
	o, ok := c.ofRole(RoleFast)
	if !ok || p.Fast == nil {
		return o, "", false
	}
	return o.switched(*p.Fast)
}

// switched is an option that is on or off set to on.
func (o Option) switched(on bool) (Option, string, bool) {
	if o.Type == "boolean" {
		want := strconv.FormatBool(on)
		return o, want, o.Value != want
	}
	value := "off"
	if on {
		value = "on"
	}
	return o, value, o.takes(value)
}

// keep notes that an option was set, so that the session is set to it again
// when its agent is started anew.
func (p *Preferences) keep(o Option, value string) {
	switch o.Role {
	case RoleModel:
		p.Model = value
	case RoleCollaboration:
		p.Collaboration = value
	case RoleEffort:
		p.Effort, p.Highest = value, false
	case RoleFast:
		on := value == "on" || value == "true"
		p.Fast = &on
	default:
		others := slices.Clone(p.Others)
		if i := slices.IndexFunc(others, func(s Setting) bool { return s.Name == o.ID }); i >= 0 {
			others[i].Value = value
		} else {
			others = append(others, Setting{o.ID, value})
		}
		p.Others = others
	}
}

// Note notes that an option was set.
func (p *Preferences) Note(a Applied) { p.keep(Option{ID: a.ID, Role: a.Role}, a.Value) }

// With is p with a setting that is known by its id or its role only.
func (p Preferences) With(q Setting) Preferences {
	role := strings.ToLower(q.Name)
	if !slices.Contains(roles, role) || role == RoleMode {
		role = ""
	}
	p.keep(Option{ID: q.Name, Role: role}, q.Value)
	return p
}

// follow takes over what the agent itself has set differently.
func (p *Preferences) follow(c Config) {
	for _, o := range c.Of() {
		set := false
		switch o.Role {
		case RoleModel:
			set = p.Model != ""
		case RoleCollaboration:
			set = p.Collaboration != ""
		case RoleEffort:
			set = p.Effort != ""
		case RoleFast:
			set = p.Fast != nil
		default:
			set = slices.ContainsFunc(p.Others, func(s Setting) bool { return s.Name == o.ID })
		}
		if set && o.Value != "" {
			p.keep(o, o.Value)
		}
	}
}
