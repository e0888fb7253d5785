package daemon

import "sync/atomic"

// stalls looks for turns that seem stuck, while somebody wants to hear of them.
type stalls struct {
	wanted atomic.Int32
}

// want asks for it until the function that it returns is called.
func (s *stalls) want() func() {
	s.wanted.Add(1)
	return func() { s.wanted.Add(-1) }
}
