package acphost

import (
	"cmp"
	"encoding/json/jsontext"
	"slices"
	"strings"

	"github.com/termio-sh/termio/internal/acp"
)

// Option is one thing that a session can be set to. Where it comes from differs
// between agents: configuration options, the protocol's modes, and lists of
// models that are older than both.
type Option struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
	Category    string `json:"category,omitzero"`
	// Role is what it is for, whatever the agent calls it; empty for others.
	Role string `json:"role,omitzero"`
	// Type is select or boolean.
	Type    string         `json:"type"`
	Value   string         `json:"value"` // of the choices, or true or false
	Choices []OptionChoice `json:"choices,omitzero"`

	way way
}

// OptionChoice is one value of an option.
type OptionChoice struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
	Group       string `json:"group,omitzero"`
}

// The roles of options, in the order in which a session is set to them. A mode
// is the agent's own (what it may do without asking); the collaboration mode
// is how it works with people.
const (
	RoleModel         = "model"
	RoleCollaboration = "collaboration"
	RoleMode          = "mode"
	RoleEffort        = "effort"
	RoleFast          = "fast"
)

var roles = []string{RoleModel, RoleCollaboration, RoleMode, RoleEffort, RoleFast}

// way is how an option is set.
type way int

const (
	byConfig way = iota // session/set_config_option
	byMode              // session/set_mode
	byModel             // session/set_model, which the schema does not have
)

// methodSetModel sets a model of the older lists.
const methodSetModel = "session/set_model"

// Config is what an agent has said that a session can be set to.
type Config struct {
	Options []acp.SessionConfigOption
	Modes   *acp.SessionModeState
	// Models is the list of models of agents that have no option for it, or one
	// that is not whole.
	Models *ModelList
}

// ModelList is a list of models in the shape that was there before options.
type ModelList struct {
	Current string         `json:"current"`
	Models  []OptionChoice `json:"models"`
}

// modelList finds such a list in what a response has beside the schema's
// members.
func modelList(unknown, meta []byte) *ModelList {
	own := member(meta, "opencode")
	for _, raw := range []jsontext.Value{member(unknown, "models"), member(meta, "models"), member(own, "models")} {
		if len(raw) == 0 || raw[0] != '{' {
			continue
		}
		l := &ModelList{Current: firstText(raw, "currentModelId", "current_model_id", "currentModel", "current")}
		for _, m := range elements(raw, "availableModels", "available_models") {
			c := OptionChoice{
				Value:       firstText(m, "modelId", "model_id", "id", "value"),
				Description: firstText(m, "description"),
				Group:       firstText(m, "provider", "providerId", "provider_id"),
			}
			c.Name = cmp.Or(firstText(m, "name", "label", "displayName", "title"), c.Value)
			if i := strings.IndexAny(c.Value, ":/"); c.Group == "" && i > 0 {
				c.Group = c.Value[:i]
			}
			if c.Value != "" {
				l.Models = append(l.Models, c)
			}
		}
		if len(l.Models) > 0 {
			l.Current = cmp.Or(l.Current, l.Models[0].Value)
			return l
		}
	}
	return nil
}

// firstText is the first of some members that is text.
func firstText(object []byte, names ...string) string {
	for _, n := range names {
		if t := strings.TrimSpace(acp.Text(member(object, n))); t != "" {
			return t
		}
	}
	return ""
}

// elements are those of the first of some members that is a list.
func elements(object []byte, names ...string) (out []jsontext.Value) {
	for _, n := range names {
		if acp.Decode(member(object, n), &out) == nil && len(out) > 0 {
			return out
		}
	}
	return nil
}

// choicesOf are an option's choices, each once by its value and by its name
// (row 179).
func choicesOf(all []OptionChoice) (out []OptionChoice) {
	for _, c := range all {
		c.Value, c.Name = strings.TrimSpace(c.Value), strings.TrimSpace(c.Name)
		known := func(k OptionChoice) bool { return k.Value == c.Value || strings.EqualFold(k.Name, c.Name) }
		if c.Value != "" && c.Name != "" && !slices.ContainsFunc(out, known) {
			out = append(out, c)
		}
	}
	return out
}

func listed(choices []OptionChoice, value string) bool {
	return slices.ContainsFunc(choices, func(c OptionChoice) bool { return c.Value == value })
}

// Of are the options of a configuration, the ones with roles first.
func (c Config) Of() []Option {
	var out []Option
	model, collaboration, effort, fast := modelOption(c.Options), collaborationOption(c.Options), effortOption(c.Options), fastOption(c.Options)
	for i := range c.Options {
		o := &c.Options[i]
		one := Option{
			ID: string(o.ID), Name: o.Name, Description: o.Description, Category: string(o.Category),
			Type: o.Type, Value: o.Current(),
		}
		for _, k := range o.Choices() {
			one.Choices = append(one.Choices, OptionChoice(k))
		}
		switch o {
		case model:
			one.Role = RoleModel
			one.Choices = choicesOf(one.Choices)
		case collaboration:
			one.Role = RoleCollaboration
		case effort:
			one.Role = RoleEffort
		case fast:
			one.Role = RoleFast
		default:
			if o.Category == acp.SessionConfigOptionCategoryMode {
				one.Role = RoleMode
			}
		}
		out = append(out, one)
	}
	out = c.addModels(out)
	out = c.addModes(out)
	for i := range out {
		if o := &out[i]; o.Role == RoleModel && o.Value != "" && !listed(o.Choices, o.Value) {
			o.Choices = slices.Insert(o.Choices, 0, OptionChoice{Value: o.Value, Name: o.Value}) // row 180
		}
	}
	slices.SortStableFunc(out, func(a, b Option) int { return rank(a.Role) - rank(b.Role) })
	return out
}

func rank(role string) int {
	if i := slices.Index(roles, role); i >= 0 {
		return i
	}
	return len(roles)
}

// addModels takes the older list of models where it has more than the option,
// or there is none. What is a listed model with an effort behind it in brackets
// is no other model.
func (c Config) addModels(all []Option) []Option {
	if c.Models == nil {
		return all
	}
	i := slices.IndexFunc(all, func(o Option) bool { return o.Role == RoleModel })
	var have []OptionChoice
	if i >= 0 {
		have = all[i].Choices
	}
	models := choicesOf(slices.DeleteFunc(slices.Clone(c.Models.Models), func(m OptionChoice) bool {
		base, _, bracket := strings.Cut(m.Value, "[")
		return bracket && listed(have, base)
	}))
	switch {
	case len(models) <= len(have):
	case i >= 0:
		all[i].Choices = models
	default:
		all = append(all, Option{
			ID: "model", Name: "Model", Category: string(acp.SessionConfigOptionCategoryModel), Role: RoleModel,
			Type: "select", Value: c.Models.Current, Choices: models, way: byModel,
		})
	}
	return all
}

// addModes takes the protocol's modes where no option stands for them.
func (c Config) addModes(all []Option) []Option {
	if c.Modes == nil || len(c.Modes.AvailableModes) == 0 {
		return all
	}
	one := Option{
		ID: "mode", Name: "Mode", Category: string(acp.SessionConfigOptionCategoryMode), Role: RoleMode,
		Type: "select", Value: string(c.Modes.CurrentModeID), way: byMode,
	}
	for _, m := range c.Modes.AvailableModes {
		one.Choices = append(one.Choices, OptionChoice{Value: string(m.ID), Name: m.Name, Description: m.Description})
	}
	for _, o := range all {
		if o.Role == RoleMode || o.ID == one.ID || slices.EqualFunc(o.Choices, one.Choices, func(a, b OptionChoice) bool { return a.Value == b.Value }) {
			return all
		}
	}
	return append(all, one)
}

// Model is one that a session can be set to.
type Model struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Group string `json:"group,omitzero"`
}

// AllModels are an agent's models, each once by id and by name; a current one
// that is not listed comes first (row 180).
func (c Config) AllModels() (current string, models []Model) {
	for _, o := range c.Of() {
		if o.Role != RoleModel {
			continue
		}
		for _, k := range o.Choices {
			models = append(models, Model{k.Value, k.Name, k.Group})
		}
		return o.Value, models
	}
	return "", nil
}
