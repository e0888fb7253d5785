// Package orchestrate holds the rules by which sessions are addressed, scoped
// and started. It is pure: functions of values, with the time as an argument.
package orchestrate

import "fmt"

// Kind says why something was refused. The contract's error codes are made
// from it.
type Kind int

// The kinds of refusal.
const (
	NoScope     Kind = iota + 1 // the caller belongs to no project
	NoTarget                    // no session was named
	NotFound                    // no session in scope has this address
	Ambiguous                   // more than one has it
	BadAgent                    // the agent is not known
	NoAgent                     // no agent was named, and none can be chosen
	StartFailed                 // the program cannot be started

	// Of a wait that can have no outcome.
	PromptStalled // nothing came of what was sent
	SessionClosed // the session ended
	AgentGone     // its agent did
	BootFailed    // it did at once
)

// Refusal is an error with a message that tells a person the next step.
type Refusal struct {
	Kind    Kind
	Message string
}

func (r *Refusal) Error() string { return r.Message }

// Refuse makes a Refusal.
func Refuse(kind Kind, format string, args ...any) *Refusal {
	return &Refusal{Kind: kind, Message: fmt.Sprintf(format, args...)}
}
