package api

// VerbAgentsTest is `termio agents test`.
const VerbAgentsTest = "agents-test"

// Offline are the commands whose replies have schemas too, although no
// coordinator answers them: they have no path and no request.
func Offline() []Verb {
	return []Verb{{Name: VerbAgentsTest, Reply: RulesReply{}}}
}

// RulesReply is what the rules of an agent's manifest make of a title, of a
// screen, or of both.
type RulesReply struct {
	Head
	Agent  string       `json:"agent" doc:"the manifest's id"`
	Title  *RuleVerdict `json:"title,omitempty"`
	Screen *RuleVerdict `json:"screen,omitempty"`
	Ready  *bool        `json:"ready,omitempty" doc:"whether the screen is that of an agent which takes a prompt"`
}

// RuleVerdict is what the rules of one kind say.
type RuleVerdict struct {
	Status  string `json:"status" enum:"working,needs-you,idle,none" doc:"none: the manifest has no such rules"`
	Rule    string `json:"rule,omitempty" doc:"absent when no rule matched"`
	Matched string `json:"matched,omitempty" doc:"the text that the rule matched"`
}
