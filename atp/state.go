package atp

// State is what an agent is doing, in the words of a manifest.
type State string

// The states. StateAttention is what the session contract calls "needs-you".
const (
	StateNone      State = ""
	StateWorking   State = "working"
	StateAttention State = "attention"
	StateDone      State = "done"
	StateIdle      State = "idle"
)

// Valid reports whether s is one of the four states.
func (s State) Valid() bool {
	switch s {
	case StateWorking, StateAttention, StateDone, StateIdle:
		return true
	}
	return false
}
