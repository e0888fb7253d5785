package api

import "context"

// VerbOptions shows and sets what a session over ACP can be set to.
const VerbOptions = "options"

// OptionsRequest asks what a session can be set to, and sets it.
type OptionsRequest struct {
	Caller Caller `json:"caller"`
	Target string `json:"target"`
	// Set are new values, which start the session's agent if need be.
	Set []OptionSetting `json:"set,omitempty"`
	// Start starts the agent where nothing is known of its options yet.
	Start bool `json:"start,omitempty"`
}

// OptionSetting is a value for an option.
type OptionSetting struct {
	Name  string `json:"name" doc:"the option's id or its role"`
	Value string `json:"value" doc:"empty: what is remembered for the agent's next sessions is forgotten"`
}

// OptionsReply is what a session can be set to, the options with a role first,
// and what stands beside its conversation (additive verb).
type OptionsReply struct {
	Head
	Target  string   `json:"target"`
	Title   string   `json:"title"`
	Agent   string   `json:"agent" doc:"the manifest's id"`
	Live    bool     `json:"live" doc:"the agent's program runs; otherwise this is what it last said"`
	Options []Option `json:"options"`
	// Remembered are the values that the agent's next sessions begin with.
	Remembered []OptionSetting `json:"remembered,omitempty" doc:"by role: what the agent's next sessions are set to"`
	Commands   []SlashCommand  `json:"commands,omitempty" doc:"the agent's own, given as a prompt"`
	Plan       []PlanEntry     `json:"plan,omitempty"`
	Usage      *ContextUsage   `json:"usage,omitempty"`
}

// Option is one thing that a session can be set to.
type Option struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Role        string         `json:"role,omitempty" enum:"model,collaboration,mode,effort,fast" doc:"what it is for, whatever the agent calls it"`
	Category    string         `json:"category,omitempty" doc:"the agent's word"`
	Type        string         `json:"type" doc:"select or boolean"`
	Value       string         `json:"value" doc:"one of the choices, or true or false"`
	Choices     []OptionChoice `json:"choices,omitempty"`
	Free        bool           `json:"free,omitempty" doc:"a value that is not listed is tried, too"`
}

// OptionChoice is one value of an option.
type OptionChoice struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Group       string `json:"group,omitempty"`
}

// SlashCommand is a command of an agent's, without its slash.
type SlashCommand struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Hint        string `json:"hint,omitempty" doc:"what it wants behind it"`
}

// PlanEntry is one step of an agent's plan.
type PlanEntry struct {
	Content  string `json:"content"`
	Status   string `json:"status" doc:"pending, in_progress or completed"`
	Priority string `json:"priority,omitempty"`
}

// ContextUsage tells how full an agent's context is, in tokens.
type ContextUsage struct {
	Used int `json:"used"`
	Size int `json:"size"`
}

// Options shows and sets what a session over ACP can be set to.
func (c *Client) Options(ctx context.Context, r OptionsRequest) (OptionsReply, error) {
	return ask[OptionsReply](ctx, c, VerbOptions, r)
}
