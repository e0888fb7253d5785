package attach

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/paint"
	"github.com/termio-sh/termio/internal/paint/tty"
	"github.com/termio-sh/termio/vt"
)

// unguarded is how long the outer terminal may be ours without its guard.
const unguarded = 100 * time.Millisecond

// giveUp is how long the outer terminal may take to take the end.
const giveUp = 500 * time.Millisecond

// show attaches the terminal of o.In and o.Out.
func show(ctx context.Context, o Options, leave vt.Key) (end End, err error) {
	if term := o.Getenv("TERM"); term == "" || term == "dumb" {
		return End{}, fmt.Errorf("this terminal (TERM=%s) cannot show a session; set TERM, or use `termio sessions read`", term)
	}
	cols, rows, err := tty.Size(o.Out)
	if err != nil {
		return End{}, err
	}
	if cols <= 0 || rows <= 0 {
		cols, rows = 80, 24
	}
	l, err := connect(ctx, &o, hostproto.Size{Cols: cols, Rows: rows}, scrollback)
	if err != nil {
		return End{}, err
	}
	defer l.Close()
	outer := openOuter(o.In, o.Out)
	defer outer.close()
	v := &viewer{
		o: &o, outer: outer, link: l, broken: make(chan error, 1), wake: make(chan struct{}, 1), written: make(chan struct{}, 1), shown: make(chan struct{}),
		painter: paint.New(paint.Options{Cols: cols, Rows: rows, Depth: paint.DepthOf(o.Getenv), Pictures: paint.PicturesOf(o.Getenv)}),
		keys:    newKeyboard(leave),
	}
	v.painter.SetCellSize(tty.CellSize(o.Out))
	signals := watchSignals()
	defer signals.stop()
	if v.screen, err = tty.Take(o.In, o.Out); err != nil {
		return End{}, err
	}
	// Also while a panic unwinds: its message must not end on a screen that
	// goes away.
	defer func() {
		if e := v.giveBack(); err == nil {
			err = e
		}
	}()
	if err := v.enter(); err != nil {
		return End{}, err
	}
	v.start(v.listen)
	v.start(v.read)
	v.awaitPicture(ctx)
	if err = v.screen.Watch(paint.Emergency(), o.Guard); err == nil {
		err = v.loop(ctx, signals)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.end, err
}

// awaitPicture waits for the first picture, but not for long: without a guard
// the terminal is not safe.
func (v *viewer) awaitPicture(ctx context.Context) {
	limit := time.NewTimer(unguarded)
	defer limit.Stop()
	select {
	case <-v.shown:
	case <-limit.C:
	case <-ctx.Done():
	}
}

// start runs f beside the loop. A panic there ends the loop first, which gives
// the terminal back.
func (v *viewer) start(f func() error) {
	go func() {
		defer func() {
			if r := recover(); r != nil {
				v.fail(fmt.Errorf("panic: %v\n%s", r, debug.Stack()))
			}
		}()
		if err := f(); err != nil {
			v.fail(err)
		}
	}()
}

// fail ends the loop; the first failure counts.
func (v *viewer) fail(err error) {
	select {
	case v.broken <- err:
	default:
	}
}

// loop lives until the session is left or ends. It does what is due without
// anything happening.
func (v *viewer) loop(ctx context.Context, signals *signals) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-v.wake:
		case sig := <-signals.c:
			if err := v.signal(signals, sig); err != nil {
				return err
			}
		case err := <-v.broken:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
		d, over := v.tick()
		if over {
			return nil
		}
		timer.Reset(d)
	}
}

// listen takes what the host sends.
func (v *viewer) listen() error {
	for {
		t, p, e, err := v.link.Next()
		v.mu.Lock()
		if v.over {
			v.mu.Unlock()
			return nil
		}
		if err != nil {
			v.mu.Unlock()
			if errors.Is(err, hostproto.ErrClosed) {
				return errHostGone
			}
			return fmt.Errorf("the connection to the session: %w", err)
		}
		v.message(t, p, e)
		err = v.flush()
		v.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// read takes what the outer terminal sends.
func (v *viewer) read() error {
	buf := make([]byte, 64<<10)
	for {
		n, err := v.outer.in.Read(buf)
		if n > 0 {
			v.mu.Lock()
			v.input(buf[:n])
			err := errors.Join(v.deliver(), v.flush())
			v.mu.Unlock()
			if err != nil {
				return err
			}
		}
		if err != nil {
			return fmt.Errorf("read from the terminal: %w", err)
		}
	}
}

// enter takes the outer terminal over.
func (v *viewer) enter() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.away, v.dirty = false, true
	if v.notice == "" {
		v.say(v.o.welcome(), noticeFor)
	}
	return v.put(v.painter.Enter(nil))
}

// leave gives the user's screen back, if the outer terminal takes that.
func (v *viewer) leave() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.away = true // no frame starts any more
	limit := time.NewTimer(giveUp)
	defer limit.Stop()
	for v.writing {
		v.mu.Unlock()
		select {
		case <-v.written:
			v.mu.Lock()
		case <-limit.C:
			v.mu.Lock()
			return false
		}
	}
	done := make(chan error, 1)
	bytes := v.painter.Restore(nil)
	go func() { done <- v.outer.write(bytes) }()
	select {
	case err := <-done:
		return err == nil
	case <-limit.C:
		return false
	}
}

// errStuck is a terminal that does not take what gives it back.
var errStuck = errors.New("the terminal takes nothing; its guard goes on trying")

// giveBack restores the outer terminal for good.
func (v *viewer) giveBack() error {
	if !v.leave() {
		return errStuck
	}
	return v.screen.Release()
}

// suspend leaves the terminal to the shell while stop lasts.
func (v *viewer) suspend(stop func()) error {
	if !v.leave() {
		return errStuck
	}
	if err := v.screen.Yield(); err != nil {
		return err
	}
	stop()
	return v.resume()
}

// resume takes the terminal again.
func (v *viewer) resume() error {
	if err := v.screen.Hold(); err != nil {
		return err
	}
	if err := v.enter(); err != nil {
		return err
	}
	return v.resized()
}

// resized takes the outer terminal's new size.
func (v *viewer) resized() error {
	cols, rows, err := tty.Size(v.o.Out)
	if err != nil || cols <= 0 || rows <= 0 {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.painter.SetCellSize(tty.CellSize(v.o.Out))
	v.painter.Resize(cols, rows)
	v.dirty = true
	if v.o.Observe {
		return nil
	}
	return v.link.Request(hostproto.OpResize, 0, hostproto.Size{Cols: cols, Rows: rows})
}

// put writes to the outer terminal, without holding the lock. The caller holds
// it, and nothing else is being written.
func (v *viewer) put(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	v.writing = true
	v.mu.Unlock()
	err := v.outer.write(p)
	v.mu.Lock()
	v.writing = false
	select {
	case v.written <- struct{}{}:
	default:
	}
	return err
}
