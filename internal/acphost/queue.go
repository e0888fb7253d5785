package acphost

import "slices"

// queued is a prompt that waits for the turns before it.
type queued struct {
	id     int
	text   string
	attach []string // files, see promptBlocks
}

// Waiting is a prompt that waits for the turns before it.
type Waiting struct {
	ID   int // as in its events
	Text string
}

// Queue are the prompts that wait, in order.
func (s *Session) Queue() []Waiting {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Waiting, 0, len(s.queue))
	for _, q := range s.queue {
		out = append(out, Waiting{q.id, q.text})
	}
	return out
}

// Withdraw takes back a prompt that waits. It reports false where none of that
// id does: it began, or went, before.
func (s *Session) Withdraw(id int) (Waiting, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.queue, func(q queued) bool { return q.id == id })
	if i < 0 {
		return Waiting{}, false
	}
	q := s.queue[i]
	s.queue = slices.Delete(s.queue, i, i+1)
	s.o.Note(Event{Type: EventWithdrawn, ID: q.id, Text: q.text})
	return Waiting{q.id, q.text}, true
}

// withdrawQueue forgets the prompts that wait; s.mu is held.
func (s *Session) withdrawQueue() {
	for _, q := range s.queue {
		s.o.Note(Event{Type: EventWithdrawn, ID: q.id, Text: q.text})
	}
	s.queue = nil
}
