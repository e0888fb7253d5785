package tui

import "github.com/termio-sh/termio/internal/api"

// warm has the chosen agent started while the form is filled in: a session over
// ACP is about to come. What cannot be, or may not, is nobody's concern here.
func (v *newView) warm(m *Model) []Effect {
	a := v.agent()
	if a == nil || v.newTree() {
		return nil // a worktree that is not there yet has no agent
	}
	v.warmed = a.ID
	return []Effect{callEffect{
		Verb: api.VerbACPWarm, What: "start the agent",
		Request: api.ACPWarmRequest{Caller: m.caller(), Agent: a.ID, Dir: v.trees[v.tree].dir},
		Then:    func(*Model, any) []Effect { return nil },
		Failed:  func(*Model, error) []Effect { return nil },
	}}
}

// cool lets that agent go: the session does not come.
func (v *newView) cool(m *Model) []Effect {
	if v.warmed == "" {
		return nil
	}
	agent := v.warmed
	v.warmed = ""
	return []Effect{callEffect{
		Verb: api.VerbACPWarm, What: "let the agent go",
		Request: api.ACPWarmRequest{Caller: m.caller(), Agent: agent, End: true},
		Then:    func(*Model, any) []Effect { return nil },
		Failed:  func(*Model, error) []Effect { return nil },
	}}
}
