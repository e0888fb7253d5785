package attach

import (
	"fmt"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/paint"
	"github.com/termio-sh/termio/internal/paint/tty"
	"github.com/termio-sh/termio/vt"
)

// noticeFor is how long a notice stands.
const noticeFor = 3 * time.Second

// viewer is an attached terminal. What happens is taken where it happens, by
// the goroutine that reads the host's connection and the one that reads the
// outer terminal, so that neither a key nor its echo waits for another; the
// loop does the rest.
type viewer struct {
	o      *Options
	outer  *outer
	link   *hostproto.Viewer
	screen *tty.Screen // the loop's

	broken  chan error    // something failed
	wake    chan struct{} // the loop's timer is too late
	written chan struct{} // a write to the outer terminal ended
	shown   chan struct{} // closed when the session is on the screen

	mu      sync.Mutex
	painter *paint.Painter
	frame   []byte // scratch
	ring    []byte // notifications that wait for the next frame
	writing bool   // to the outer terminal, by whoever set this
	painted bool   // the first picture
	away    bool   // the outer terminal is the user's

	term     *vt.Terminal // nil before the first snapshot
	snapshot []byte       // one that is arriving
	owner    bool
	pace     pace
	dirty    bool
	scroll   scroll

	notice      string
	noticeUntil time.Time
	armed       time.Time // when the loop looks again

	keys   *keyboard
	escape time.Time // when a held sequence is given up; zero if none is held
	typed  []byte    // for the host, in this turn

	end  End
	over bool
}

// welcome is what is said at first.
func (o *Options) welcome() string {
	if o.Observe {
		return "watching only — " + o.Detach + " leaves, the session goes on"
	}
	return o.Detach + " leaves, the session goes on"
}

// tick does what has become due and returns how long until the next.
func (v *viewer) tick() (d time.Duration, over bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := time.Now()
	if !v.escape.IsZero() && !now.Before(v.escape) {
		v.escape = time.Time{}
		v.keys.flush(v.token)
		if err := v.deliver(); err != nil {
			v.fail(err)
		}
	}
	if v.notice != "" && !now.Before(v.noticeUntil) {
		v.notice, v.dirty = "", true
	}
	v.armed = now.Add(time.Hour) // flush must not wake the loop for itself
	if err := v.flush(); err != nil {
		v.fail(err)
	}
	v.armed = v.next()
	return max(time.Until(v.armed), 0), v.over
}

// next is when something is due without anything happening.
func (v *viewer) next() time.Time {
	next := time.Now().Add(time.Hour)
	sooner := func(t time.Time) {
		if t.Before(next) {
			next = t
		}
	}
	if !v.escape.IsZero() {
		sooner(v.escape)
	}
	if v.notice != "" {
		sooner(v.noticeUntil)
	}
	if v.dirty && !v.writing && !v.away && v.term != nil {
		sooner(v.pace.due())
	}
	return next
}

// flush paints what is due, and has the loop look when the rest is. Whoever
// writes already paints what others changed meanwhile.
func (v *viewer) flush() error {
	for v.dirty && !v.writing && !v.away && v.term != nil {
		now := time.Now()
		if now.Before(v.pace.due()) {
			break
		}
		if err := v.put(v.paint(now)); err != nil {
			return err
		}
		if !v.painted {
			v.painted = true
			close(v.shown)
		}
	}
	if v.over || v.next().Before(v.armed) {
		select {
		case v.wake <- struct{}{}:
		default:
		}
	}
	return nil
}

func (v *viewer) paint(now time.Time) []byte {
	screen := v.scroll.screen(v.term)
	scene := paint.Scene{Screen: screen, Live: v.term, Notice: v.notice, Wheel: true}
	if screen != v.term {
		scene.HideCursor = true
		scene.Notice = fmt.Sprintf("%d lines back — any key returns", v.scroll.back)
	}
	v.frame = v.painter.Frame(v.frame[:0], scene)
	v.frame, v.ring = append(v.frame, v.ring...), v.ring[:0]
	v.pace.painted(now)
	v.dirty = false
	return v.frame
}

// say shows a line for a while.
func (v *viewer) say(text string, d time.Duration) {
	v.notice, v.noticeUntil, v.dirty = text, time.Now().Add(d), true
}

// message takes what the host sends.
func (v *viewer) message(t hostproto.FrameType, p []byte, e *hostproto.Event) {
	switch {
	case t == hostproto.FrameSnapshot:
		v.snapshot = append(v.snapshot, p...)
	case t == hostproto.FrameOutput && v.term != nil:
		v.term.Write(p)
		v.pace.output(time.Now(), len(p), v.term.Synchronized())
		v.dirty = true
	case e != nil:
		v.event(e)
	}
}

func (v *viewer) event(e *hostproto.Event) {
	switch e.Type {
	case hostproto.EventResync:
		v.snapshot = nil
	case hostproto.EventReady:
		v.begin(e)
	case hostproto.EventResized:
		if v.term != nil && e.Size != nil {
			v.term.Resize(e.Size.Cols, e.Size.Rows)
			v.dirty = true
		}
	case hostproto.EventNotice:
		v.noticed(e.Notice)
	case hostproto.EventOwner:
		v.owned(e.Owner)
	case hostproto.EventExited:
		v.end, v.over = ended(v.o, e.Closed), true
	}
}

// begin puts a snapshot that is whole on the screen.
func (v *viewer) begin(e *hostproto.Event) {
	size := hostproto.Size{Cols: 80, Rows: 24}
	if e.Size != nil {
		size = *e.Size
	}
	live := false
	term := vt.New(vt.Options{Cols: size.Cols, Rows: size.Rows, Event: func(e vt.Event) {
		if live && v.passes(e) && v.painter.Pass(e) {
			v.dirty = true
		}
	}})
	term.Write(v.snapshot)
	live = true
	v.snapshot, v.term, v.owner, v.dirty = nil, term, e.Owner, true
	v.scroll = scroll{}
	v.pace.output(time.Now(), 0, term.Synchronized())
	v.painter.Invalidate()
	v.seen()
}

// seen tells the host that a person looks at the session: when it comes up,
// and when they leave it.
func (v *viewer) seen() {
	if v.o.Observe {
		return
	}
	if err := v.link.Request(hostproto.OpSeen, 0, struct{}{}); err != nil {
		v.fail(fmt.Errorf("the connection to the session: %w", err))
	}
}

// passes reports whether an event is for the person here: what goes to the
// clipboard is for the one who types.
func (v *viewer) passes(e vt.Event) bool {
	return e.Kind != vt.EventClipboard || v.owner
}

func (v *viewer) owned(owner bool) {
	was := v.owner
	v.owner = owner
	switch {
	case owner && !was:
		v.say("you type here again", noticeFor)
	case !owner && was && !v.o.Observe:
		v.say("another viewer types now; you watch — "+v.o.Detach+" leaves", 2*noticeFor)
	}
}

// input takes what the outer terminal sent.
func (v *viewer) input(p []byte) {
	now := time.Now()
	v.pace.input(now)
	v.keys.feed(p, v.token)
	v.escape = time.Time{}
	if d := v.keys.wait(); d > 0 {
		v.escape = now.Add(d)
	}
}

func (v *viewer) token(t token) {
	switch {
	case v.over:
	case t.leave:
		v.seen()
		v.end, v.over = End{Text: "left session " + v.o.name() + "; it goes on"}, true
	case t.mouse != nil:
		v.mouse(*t.mouse)
	default:
		v.typing(t.bytes)
	}
}

// typing sends keys to the program, and ends what keys end.
func (v *viewer) typing(p []byte) {
	if v.scroll.back > 0 {
		v.scroll.back, v.dirty = 0, true
	}
	if v.notice != "" {
		v.notice, v.dirty = "", true
	}
	switch {
	case v.o.Observe:
		v.say("watching only — "+v.o.Detach+" leaves", noticeFor)
	case v.term != nil && !v.owner:
		v.say("another viewer types; attach again to take over — "+v.o.Detach+" leaves", noticeFor)
	default:
		v.typed = append(v.typed, p...)
	}
}

// deliver sends what was typed.
func (v *viewer) deliver() error {
	if len(v.typed) == 0 {
		return nil
	}
	taken, err := v.link.Input(v.typed)
	v.typed = v.typed[:0]
	if err != nil {
		return fmt.Errorf("send to the session: %w", err)
	}
	if !taken {
		v.say("the program does not read; what you type is dropped", noticeFor)
	}
	return nil
}

// mouse takes the mouse: to the program, if it wants it, else the wheel
// scrolls back, or, over a full-screen program, moves its cursor.
func (v *viewer) mouse(e vt.MouseEvent) {
	if v.term == nil {
		return
	}
	modes := v.term.InputModes()
	up := e.Button == vt.ButtonWheelUp
	wheel := up || e.Button == vt.ButtonWheelDown
	switch {
	case modes.Mouse != vt.MouseNone && v.scroll.back == 0:
		x, y := v.painter.Origin()
		cols, rows := v.term.Size()
		e.X, e.Y = e.X+x, e.Y+y
		if e.X < cols && e.Y < rows && v.owner {
			v.typed = vt.EncodeMouse(v.typed, e, modes)
		}
	case !wheel:
	case v.term.AltScreen():
		key := vt.Key{Code: vt.KeyDown}
		if up {
			key.Code = vt.KeyUp
		}
		if v.owner {
			for range wheelLines {
				v.typed = vt.EncodeKey(v.typed, key, modes)
			}
		}
	default:
		n := -wheelLines
		if up {
			n = wheelLines
		}
		v.scroll.by(v.term, n)
		v.dirty = true
	}
}
