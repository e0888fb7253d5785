package attach

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/paint"
	"github.com/termio-sh/termio/internal/paint/tty"
	"github.com/termio-sh/termio/vt"
)

const (
	// escapeWait is how long an Escape may be the beginning of a sequence.
	escapeWait = 10 * time.Millisecond
	noticeFor  = 3 * time.Second
	// maxTyped bounds input on its way to the host, in bytes; further input
	// waits in the outer terminal.
	maxTyped = 1 << 20
	// giveUp is how long the outer terminal may take to take the end.
	giveUp = 500 * time.Millisecond
)

// viewer is an attached terminal. All of it belongs to the loop's goroutine.
type viewer struct {
	o       *Options
	client  *hostproto.Client
	screen  *tty.Screen
	painter *paint.Painter
	fatal   chan error // a goroutine broke

	term     *vt.Terminal // nil before the first snapshot
	snapshot []byte       // one that is arriving
	owner    bool
	pace     pace
	dirty    bool
	scroll   scroll

	notice      string
	noticeUntil time.Time

	keys   *keyboard
	escape time.Time // when a held sequence was typed; zero if none is held
	typed  []byte    // input on its way to the host
	host   *sink
	outer  *sink
	frame  []byte // what outer writes, used again

	end  string
	over bool
}

// show attaches the terminal of o.In and o.Out.
func show(ctx context.Context, o Options, leave vt.Key) (end string, err error) {
	depth := paint.DepthOf(o.Getenv)
	if term := o.Getenv("TERM"); term == "" || term == "dumb" {
		return "", fmt.Errorf("this terminal (TERM=%s) cannot show a session; set TERM, or use `termio sessions read`", term)
	}
	cols, rows, err := tty.Size(o.Out)
	if err != nil {
		return "", err
	}
	if cols <= 0 || rows <= 0 {
		cols, rows = 80, 24
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	client, err := dial(ctx, &o, &hostproto.Size{Cols: cols, Rows: rows}, scrollback)
	if err != nil {
		return "", err
	}
	defer client.Close()
	v := &viewer{
		o: &o, client: client, fatal: make(chan error, 1),
		painter: paint.New(paint.Options{Cols: cols, Rows: rows, Depth: depth}),
		keys:    newKeyboard(leave),
	}
	signals := watchSignals()
	defer signals.stop()
	if v.screen, err = tty.Take(o.In, o.Out, paint.Emergency(), o.Guard); err != nil {
		return "", err
	}
	v.outer = newSink(v.start, func(p []byte) error { _, err := o.Out.Write(p); return err })
	v.host = newSink(v.start, func(p []byte) error { return client.Input(ctx, p) })
	// Also while a panic unwinds: its message must not end on a screen that
	// goes away.
	defer func() {
		v.host.stop()
		if e := v.giveBack(); err == nil {
			err = e
		}
	}()
	v.outer.put(v.painter.Enter(nil))
	v.say(o.welcome(), noticeFor)
	err = v.loop(ctx, signals)
	return v.end, err
}

// welcome is what is said at first.
func (o *Options) welcome() string {
	if o.Observe {
		return "watching only — " + o.Detach + " leaves, the session goes on"
	}
	return o.Detach + " leaves, the session goes on"
}

// start runs f beside the loop. A panic there ends the loop first, which gives
// the terminal back.
func (v *viewer) start(f func()) {
	go func() {
		defer func() {
			if r := recover(); r != nil {
				v.broke(fmt.Errorf("panic: %v\n%s", r, debug.Stack()))
			}
		}()
		f()
	}()
}

func (v *viewer) broke(err error) {
	select {
	case v.fatal <- err:
	default:
	}
}

// loop lives until the session is left or ends.
func (v *viewer) loop(ctx context.Context, signals *signals) error {
	messages := make(chan hostproto.Message)
	ended := make(chan error, 1)
	v.start(func() {
		for {
			m, err := v.client.Next(ctx)
			if err != nil {
				ended <- err
				return
			}
			select {
			case messages <- m:
			case <-ctx.Done():
				return
			}
		}
	})
	input := make(chan []byte)
	v.start(func() { v.read(ctx, input) })
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for !v.over {
		v.flow()
		timer.Reset(v.wait(time.Now()))
		accept := input
		if len(v.typed) >= maxTyped {
			accept = nil
		}
		select {
		case m := <-messages:
			v.message(m)
		case p := <-accept:
			v.input(p)
		case err := <-v.outer.done:
			v.outer.busy = false
			if err != nil {
				return fmt.Errorf("write to the terminal: %w", err)
			}
		case err := <-v.host.done:
			v.host.busy = false
			if err != nil {
				return lost(ctx, err)
			}
		case sig := <-signals.c:
			if err := v.signal(ctx, signals, sig); err != nil {
				return err
			}
		case err := <-ended:
			return lost(ctx, err)
		case err := <-v.fatal:
			return err
		case <-timer.C:
		}
	}
	return nil
}

// read brings what the outer terminal sends.
func (v *viewer) read(ctx context.Context, input chan<- []byte) {
	buf := make([]byte, 64<<10)
	for {
		n, err := v.o.In.Read(buf)
		if n > 0 {
			select {
			case input <- bytes.Clone(buf[:n]):
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			v.broke(fmt.Errorf("read from the terminal: %w", err))
			return
		}
	}
}

// flow starts what can be started now: a frame, input for the host, a key that
// waited long enough.
func (v *viewer) flow() {
	now := time.Now()
	if !v.escape.IsZero() && now.Sub(v.escape) >= escapeWait {
		v.escape = time.Time{}
		v.keys.flush(v.token)
	}
	if len(v.typed) > 0 && !v.host.busy {
		v.host.put(v.typed)
		v.typed = nil
	}
	if v.notice != "" && !now.Before(v.noticeUntil) {
		v.notice, v.dirty = "", true
	}
	if v.dirty && !v.outer.busy && v.term != nil && !now.Before(v.pace.due()) {
		v.paint(now)
	}
}

// wait is how long nothing need be done, unless something happens.
func (v *viewer) wait(now time.Time) time.Duration {
	d := time.Hour
	until := func(t time.Time) { d = min(d, max(t.Sub(now), 0)) }
	if !v.escape.IsZero() {
		until(v.escape.Add(escapeWait))
	}
	if v.notice != "" {
		until(v.noticeUntil)
	}
	if v.dirty && !v.outer.busy && v.term != nil {
		until(v.pace.due())
	}
	return d
}

func (v *viewer) paint(now time.Time) {
	screen := v.scroll.screen(v.term)
	scene := paint.Scene{Screen: screen, Live: v.term, Notice: v.notice, Wheel: true}
	if screen != v.term {
		scene.HideCursor = true
		scene.Notice = fmt.Sprintf("%d lines back — any key returns", v.scroll.back)
	}
	v.frame = v.painter.Frame(v.frame[:0], scene)
	v.pace.painted(now)
	v.dirty = false
	if len(v.frame) > 0 {
		v.outer.put(v.frame)
	}
}

// say shows a line for a while.
func (v *viewer) say(text string, d time.Duration) {
	v.notice, v.noticeUntil, v.dirty = text, time.Now().Add(d), true
}

// message takes what the host sends.
func (v *viewer) message(m hostproto.Message) {
	switch {
	case m.Type == hostproto.FrameSnapshot:
		v.snapshot = append(v.snapshot, m.Data...)
	case m.Type == hostproto.FrameOutput && v.term != nil:
		v.term.Write(m.Data)
		v.pace.output(time.Now(), len(m.Data), v.term.Synchronized())
		v.dirty = true
	case m.Event != nil:
		v.event(m.Event)
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
	case hostproto.EventOwner:
		v.owned(e.Owner)
	case hostproto.EventExited:
		v.end, v.over = ended(v.o.name(), e.Closed), true
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
	v.pace.output(time.Now(), 0, term.Synchronized())
	v.painter.Invalidate()
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
	if v.keys.waiting() {
		v.escape = now
	}
}

func (v *viewer) token(t token) {
	switch {
	case v.over:
	case t.leave:
		v.end, v.over = "left session "+v.o.name()+"; it goes on", true
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
	v.send(p)
}

func (v *viewer) send(p []byte) {
	switch {
	case v.o.Observe:
		v.say("watching only — "+v.o.Detach+" leaves", noticeFor)
	case v.term != nil && !v.owner:
		v.say("another viewer types; attach again to take over — "+v.o.Detach+" leaves", noticeFor)
	default:
		v.typed = append(v.typed, p...)
	}
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

// resized takes the outer terminal's new size.
func (v *viewer) resized(ctx context.Context) error {
	cols, rows, err := tty.Size(v.o.Out)
	if err != nil {
		return err
	}
	if cols <= 0 || rows <= 0 {
		return nil
	}
	v.painter.Resize(cols, rows)
	v.dirty = true
	if v.o.Observe {
		return nil
	}
	if err := v.client.Resize(ctx, hostproto.Size{Cols: cols, Rows: rows}); err != nil {
		return lost(ctx, err)
	}
	return nil
}

// idle waits for the outer terminal to take what was given to it.
func (v *viewer) idle() bool {
	if !v.outer.busy {
		return true
	}
	select {
	case err := <-v.outer.done:
		v.outer.busy = false
		return err == nil
	case <-time.After(giveUp):
		return false
	}
}

// leaveScreen writes what gives the user's screen back.
func (v *viewer) leaveScreen() bool {
	if !v.idle() {
		return false
	}
	v.outer.put(v.painter.Restore(nil))
	return v.idle()
}

// giveBack restores the outer terminal for good. If it does not take the bytes
// its guard goes on trying when this program ends.
func (v *viewer) giveBack() error {
	if !v.leaveScreen() {
		return fmt.Errorf("the terminal takes nothing; its guard gives it back")
	}
	v.outer.stop()
	return v.screen.Release()
}

// suspend leaves the terminal to the shell until the program goes on.
func (v *viewer) suspend(ctx context.Context, stop func()) error {
	if !v.leaveScreen() {
		return nil
	}
	if err := v.screen.Yield(); err != nil {
		return err
	}
	stop()
	return v.resume(ctx)
}

// resume takes the terminal again.
func (v *viewer) resume(ctx context.Context) error {
	if err := v.screen.Hold(); err != nil {
		return err
	}
	if !v.idle() {
		return os.ErrDeadlineExceeded
	}
	v.outer.put(v.painter.Enter(nil))
	return v.resized(ctx)
}
