package tui

import "time"

// The pace of frames: a frame after a pause is painted at once, and so is what
// comes after a key, since an echo must not wait. Only a stream is held to some
// 60 frames a second, since it is several sessions' at once.
const (
	frameEvery  = time.Second / 60
	typingEvery = time.Millisecond
	typingFor   = 100 * time.Millisecond
	littleBytes = 4 << 10
	// syncHold bounds how long a program may hold its picture (mode 2026).
	syncHold = time.Second
)

// pace decides when the next frame is due.
type pace struct {
	last    time.Time // the last frame
	key     time.Time // the last input
	fresh   bool      // input since the last frame
	pending int       // bytes of output since the last frame
}

// due is when what changed is to be painted; it may be past.
func (p *pace) due() time.Time {
	switch {
	case p.fresh:
		return time.Time{}
	case p.pending <= littleBytes && p.last.Sub(p.key) < typingFor:
		return p.last.Add(typingEvery)
	}
	return p.last.Add(frameEvery)
}

func (p *pace) input(now time.Time)   { p.key, p.fresh = now, true }
func (p *pace) output(n int)          { p.pending += n }
func (p *pace) painted(now time.Time) { p.last, p.fresh, p.pending = now, false, 0 }
