//go:build unix

package term

import (
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/status"
)

// Times of readiness, for an agent whose manifest says nothing of its own.
const (
	signQuiet  = 150 * time.Millisecond // silence after the sign that it reads
	signMax    = 2 * time.Second        // some are never silent
	bootMin    = 700 * time.Millisecond
	bootSample = 350 * time.Millisecond // two equal screens so far apart
	bootMax    = 10 * time.Second
	bootStill  = 2 * time.Second  // silence after which a declared sign will not come
	bootLimit  = 60 * time.Second // of an agent that still starts, on a loaded machine
	blankMax   = 2 * time.Second  // a plain program in line mode that draws nothing
	promptPoll = 20 * time.Millisecond
)

// readiness decides when a program that was just started reads its input. It
// is a value with the time passed in; once ready it stays so.
type readiness struct {
	plain    bool
	manifest *atp.Ready
	marks    bool                     // a shell that marks its prompts
	matches  func(screen string) bool // the manifest's screen conditions

	isReady  bool
	signAt   time.Time // when the sign that it reads was first seen
	lastText string    // the screen at lastAt
	lastAt   time.Time
}

// sight is what the host sees of the program at one moment.
type sight struct {
	now        time.Time
	launched   time.Time
	lastOutput time.Time
	question   time.Time // when the question that blocks the agent came; zero without one
	state      status.State
	turn       int
	tells      bool      // the session's channels would tell that a turn has begun
	screen     string    // the screen's text
	generation uint64    // of the screen
	paste      bool      // bracketed paste is on
	announced  bool      // it asked for the kitty keyboard or for program status
	prompted   bool      // a shell marked a prompt
	canonical  bool      // line mode: the kernel collects lines
	echo       bool      // the kernel echoes
	unread     int       // bytes of input not read; -1 unknown
	waiting    int       // bytes of the delivery not yet in the terminal
	pressedAt  time.Time // when the delivery before ended
	typedAt    time.Time
	exited     bool
	preparing  bool      // a setup command runs, and not the program yet
	loads      bool      // it may still load the conversation that it was launched into
	since      time.Time // of the state
	asked      int       // how many questions were asked so far
	draft      string    // what a person typed that stands unsent in the prompt
}

// ready reports whether the program reads its input, and if not, when to look
// again at the latest.
func (r *readiness) ready(s sight) (ok bool, again time.Time) {
	if r.isReady {
		return true, time.Time{}
	}
	again = r.judge(s)
	return r.isReady, again
}

func (r *readiness) judge(s sight) time.Time {
	limit := bootMax
	if r.manifest != nil && r.manifest.MaxMs > 0 {
		limit = ms(r.manifest.MaxMs)
	}
	end := s.launched.Add(limit)
	if r.manifest != nil && r.manifest.MaxMs == 0 {
		end = r.overdue(s, end)
	}
	if !s.now.Before(end) {
		r.isReady = true
		return time.Time{}
	}
	var again time.Time
	switch {
	case r.manifest != nil:
		again = r.declared(s)
	case r.marks:
		again = r.prompt(s)
	case s.paste || s.announced:
		again = r.sign(s)
	default:
		again = r.settle(s)
	}
	if again.After(end) || again.IsZero() {
		again = end
	}
	return again
}

// overdue is when an agent counts as ready that does not show what its manifest
// declares, as when a new version looks otherwise: at end, but not while it has
// drawn nothing, or still draws, and not into a question.
func (r *readiness) overdue(s sight, end time.Time) time.Time {
	limit := s.launched.Add(bootLimit)
	if s.screen == "" || !s.question.IsZero() {
		return limit
	}
	return earlier(later(end, s.lastOutput.Add(bootStill)), limit)
}

// declared waits for all that the manifest names.
func (r *readiness) declared(s sight) time.Time {
	m := r.manifest
	if at := s.launched.Add(ms(m.MinMs)); s.now.Before(at) {
		return at
	}
	if m.BracketedPaste && !s.paste || r.matches != nil && !r.matches(s.screen) {
		r.signAt = time.Time{}
		return time.Time{}
	}
	quiet := ms(m.QuietMs)
	if quiet == 0 {
		quiet = signQuiet
	}
	return r.silence(s, quiet)
}

// prompt waits for a shell's first prompt, and for its line editor to take the
// terminal over. Before both its start-up files run, however slow and silent
// they are; an editor without a mark is that of another shell, to which they
// have led.
func (r *readiness) prompt(s sight) time.Time {
	switch {
	case s.prompted && !s.canonical:
		r.isReady = true
		return time.Time{}
	case s.prompted: // it may have no editor
		return earlier(r.sign(s), s.now.Add(promptPoll))
	case !s.canonical:
		return r.settle(s)
	}
	return time.Time{}
}

// sign waits for silence after the program showed that it reads keys.
func (r *readiness) sign(s sight) time.Time { return r.silence(s, signQuiet) }

// silence waits for it after the sign was seen, but not long.
func (r *readiness) silence(s sight, quiet time.Duration) time.Time {
	if r.signAt.IsZero() {
		r.signAt = s.now
	}
	at := earlier(s.lastOutput.Add(quiet), r.signAt.Add(signMax))
	if s.now.Before(at) {
		return at
	}
	r.isReady = true
	return time.Time{}
}

// settle waits until the screen shows something and stays as it is.
func (r *readiness) settle(s sight) time.Time {
	if at := s.launched.Add(bootMin); s.now.Before(at) {
		return at
	}
	if s.screen == "" {
		at := s.launched.Add(blankMax)
		if r.plain && s.canonical && !s.now.Before(at) {
			r.isReady = true
		}
		return later(at, s.now.Add(bootSample))
	}
	if r.lastAt.IsZero() || r.lastText != s.screen {
		r.lastAt, r.lastText = s.now, s.screen
		return s.now.Add(bootSample)
	}
	if at := r.lastAt.Add(bootSample); s.now.Before(at) {
		return at
	}
	r.isReady, r.lastText = true, ""
	return time.Time{}
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
