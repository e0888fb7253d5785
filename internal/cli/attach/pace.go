package attach

import "time"

// The pace of frames. A frame after a pause is painted at once, and so is what
// comes after a key: an echo must not wait. Only a stream of output is held to
// some 120 frames a second.
const (
	frameEvery = time.Second / 120
	// typingEvery is the least time between two frames while someone types
	// and little comes.
	typingEvery = time.Millisecond
	typingFor   = 100 * time.Millisecond
	littleBytes = 2 << 10
	// syncHold bounds how long a program may hold the picture (mode 2026).
	syncHold = time.Second
)

// pace decides when the next frame is due.
type pace struct {
	last    time.Time // the last frame
	key     time.Time // the last input
	fresh   bool      // input since the last frame
	pending int       // bytes of output since the last frame
	sync    time.Time // since when the program holds the picture
}

// due is when what changed is to be painted; it may be past.
func (p *pace) due() time.Time {
	if !p.sync.IsZero() {
		return p.sync.Add(syncHold)
	}
	switch {
	case p.fresh:
		return time.Time{}
	case p.pending <= littleBytes && p.last.Sub(p.key) < typingFor:
		return p.last.Add(typingEvery)
	}
	return p.last.Add(frameEvery)
}

func (p *pace) input(now time.Time) { p.key, p.fresh = now, true }

// output notes n bytes after which the program holds the picture or not.
func (p *pace) output(now time.Time, n int, held bool) {
	p.pending += n
	switch {
	case !held:
		p.sync = time.Time{}
	case p.sync.IsZero():
		p.sync = now
	}
}

func (p *pace) painted(now time.Time) { p.last, p.fresh, p.pending = now, false, 0 }
