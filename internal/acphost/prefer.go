package acphost

import (
	"context"
	"encoding/json/jsontext"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/termio-sh/termio/internal/acp"
)

// Preferences are what a session is set to, in the order model, collaboration
// mode, effort, fast (rows 178–184). Empty ones are left as the agent has them.
type Preferences struct {
	Model         string `json:"model,omitzero"`
	Collaboration string `json:"collaboration,omitzero"`
	Effort        string `json:"effort,omitzero"`
	// Highest asks for the highest effort that is known, where Effort is empty.
	Highest bool  `json:"highest,omitzero"`
	Fast    *bool `json:"fast,omitzero"`
}

// effortRank orders the levels of effort. One that is not known makes the
// order of all unknown.
var effortRank = []string{"none", "off", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"}

// prefer sets the session. What the agent refuses changes nothing and fails
// nothing; only the connection's end and a cancel do.
func (l *live) prefer(ctx context.Context, p Preferences) error {
	for _, choose := range []func([]acp.SessionConfigOption) (acp.SessionConfigId, jsontext.Value, bool){
		p.model, p.collaboration, p.effort, p.fast,
	} {
		l.s.mu.Lock()
		config, id := l.s.config, l.s.id
		l.s.mu.Unlock()
		option, value, ok := choose(config)
		if !ok {
			continue
		}
		q := acp.SetSessionConfigOptionRequest{SessionID: acp.SessionId(id), ConfigID: option, Value: value}
		if value[0] != '"' {
			q.Type = "boolean"
		}
		var out acp.SetSessionConfigOptionResponse
		err := l.call(ctx, RequestTime, acp.MethodSetSessionConfigOption, q, &out)
		switch {
		case err == nil:
			l.configured(out.ConfigOptions, nil)
		case errors.Is(err, acp.ErrClosed), errors.Is(err, errCancelled):
			return err
		}
	}
	return nil
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

func (p Preferences) model(config []acp.SessionConfigOption) (acp.SessionConfigId, jsontext.Value, bool) {
	o := modelOption(config)
	if o == nil || p.Model == "" || o.Current() == p.Model {
		return "", nil, false
	}
	return o.ID, quote(p.Model), true // also one that is not listed (row 178)
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

func (p Preferences) collaboration(config []acp.SessionConfigOption) (acp.SessionConfigId, jsontext.Value, bool) {
	return offered(collaborationOption(config), p.Collaboration)
}

// offered sets an option to a value that it lists and does not have.
func offered(o *acp.SessionConfigOption, value string) (acp.SessionConfigId, jsontext.Value, bool) {
	if o == nil || value == "" || o.Current() == value ||
		!slices.ContainsFunc(o.Choices(), func(c acp.Choice) bool { return c.Value == value }) {
		return "", nil, false
	}
	return o.ID, quote(value), true
}

func effortOption(config []acp.SessionConfigOption) *acp.SessionConfigOption {
	return find(config, func(o *acp.SessionConfigOption) bool {
		return (o.Category == acp.SessionConfigOptionCategoryThoughtLevel || o.ID == "reasoning_effort" || o.ID == "effort") && o.Type == "select"
	})
}

func (p Preferences) effort(config []acp.SessionConfigOption) (acp.SessionConfigId, jsontext.Value, bool) {
	o := effortOption(config)
	value := p.Effort
	if o != nil && value == "" && p.Highest {
		best := -1
		for _, c := range o.Choices() {
			rank := slices.Index(effortRank, strings.ToLower(c.Value))
			if rank < 0 {
				return "", nil, false
			}
			if rank > best {
				best, value = rank, c.Value
			}
		}
	}
	return offered(o, value)
}

func fastOption(config []acp.SessionConfigOption) *acp.SessionConfigOption {
	return find(config, func(o *acp.SessionConfigOption) bool {
		return o.Category == acp.SessionConfigOptionCategoryModelConfig &&
			(o.ID == "fast-mode" || strings.Contains(strings.ToLower(o.Name), "fast"))
	})
}

func (p Preferences) fast(config []acp.SessionConfigOption) (acp.SessionConfigId, jsontext.Value, bool) {
	o := fastOption(config)
	if o == nil || p.Fast == nil {
		return "", nil, false
	}
	if o.Type == "boolean" {
		want := fmt.Sprint(*p.Fast)
		return o.ID, jsontext.Value(want), o.Current() != want
	}
	value := "off"
	if *p.Fast {
		value = "on"
	}
	return offered(o, value)
}

// Model is one that a session can be set to.
type Model struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Group string `json:"group,omitzero"`
}

// Models are an agent's models, of its options, each once by id and by name; a
// current one that is not listed comes first (row 180).
func Models(config []acp.SessionConfigOption) (current string, models []Model) {
	o := modelOption(config)
	if o == nil {
		return "", nil
	}
	current = o.Current()
	for _, c := range o.Choices() {
		m := Model{strings.TrimSpace(c.Value), strings.TrimSpace(c.Name), c.Group}
		known := func(k Model) bool { return k.ID == m.ID || strings.EqualFold(k.Name, m.Name) }
		if m.ID != "" && m.Name != "" && !slices.ContainsFunc(models, known) {
			models = append(models, m)
		}
	}
	if current != "" && !slices.ContainsFunc(models, func(m Model) bool { return m.ID == current }) {
		models = slices.Insert(models, 0, Model{ID: current, Name: current})
	}
	return current, models
}
