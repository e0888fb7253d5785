package attach

// sink writes beside the loop, one piece at a time, so that a slow reader holds
// nothing up.
type sink struct {
	in   chan []byte
	done chan error
	busy bool
}

// newSink starts a sink; stop ends it.
func newSink(start func(func()), write func([]byte) error) *sink {
	s := &sink{in: make(chan []byte, 1), done: make(chan error, 1)}
	start(func() {
		for p := range s.in {
			s.done <- write(p)
		}
	})
	return s
}

// put starts writing p. The sink must not be busy; a value on done ends that.
func (s *sink) put(p []byte) {
	s.busy = true
	s.in <- p
}

func (s *sink) stop() { close(s.in) }
