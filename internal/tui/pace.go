package tui

import "time"

// The pace of frames. What a key changed is painted at once, its echo too, and
// so is what comes after a pause. A stream in the session that has the keys is
// held to some 60 frames a second, one beside it to 30.
const (
	frameEvery  = time.Second / 60
	besideEvery = time.Second / 30
	// echoFor is how long after a key what the session says may be its echo,
	// and echoBytes how much that is at most.
	echoFor   = 100 * time.Millisecond
	echoBytes = 4 << 10
	// syncHold bounds how long a program may hold its picture (mode 2026).
	syncHold = time.Second
)

// pace decides when the next frame is due.
type pace struct {
	last   time.Time // the last frame
	key    time.Time // the last input
	atOnce bool
	beside bool // only sessions without the keys said something since
}

// due is when what changed is to be painted; it may be past.
func (p *pace) due() time.Time {
	switch {
	case p.atOnce:
		return time.Time{}
	case p.beside:
		return p.last.Add(besideEvery)
	}
	return p.last.Add(frameEvery)
}

// input notes a key, and whether it changed something here.
func (p *pace) input(now time.Time, changed bool) {
	p.key = now
	p.atOnce = p.atOnce || changed
}

// output notes n bytes of a session: of the one that has the keys, or of one
// beside it. waiting tells that something else is to be painted already.
func (p *pace) output(now time.Time, n int, active, waiting bool) {
	switch {
	case active && n <= echoBytes && now.Sub(p.key) < echoFor:
		p.atOnce = true
	case active:
		p.beside = false
	case !waiting:
		p.beside = true
	}
}

func (p *pace) painted(now time.Time) { p.last, p.atOnce, p.beside = now, false, false }
