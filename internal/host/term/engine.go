//go:build unix

package term

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/termio-sh/termio/internal/host"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/vt"
)

// Times of the engine.
const (
	// sampleEvery is how often the screen is looked at while output flows.
	// One more look follows once it has been quiet for sampleRest, which is
	// when most that matters is drawn, and then at least sampleLeast after
	// the look before: a spinner is not looked at for each of its frames.
	// Together they are the part of a status's 300 ms that a look may take.
	sampleEvery = 150 * time.Millisecond
	sampleLeast = 100 * time.Millisecond
	sampleRest  = 50 * time.Millisecond
	// shrinkAfter is how long output must be quiet before memory that a
	// flood needed is given back.
	shrinkAfter = 2 * time.Second
	// syncLimit bounds how long a program can hold back the screen with
	// synchronised output (mode 2026).
	syncLimit = time.Second
	// floodSize is how many bytes of output make giving back worth its cost.
	floodSize = 1 << 20
)

var errEnded = errors.New("the session has ended")

// engine owns the terminal: it alone writes into it, on its own goroutine, and
// lends it to others between two writes.
type engine struct {
	term *vt.Terminal
	size hostproto.Size
	tee  *host.Tee
	cur  *host.Cursor

	// renew makes a terminal, failed reports a defect of one.
	renew  func(cols, rows int) *vt.Terminal
	failed func(failure any)
	// sample looks at the screen; see sampleEvery.
	sample func(t *vt.Terminal, now time.Time)

	gen  atomic.Uint64 // of the screen, for those who only want to know of a change
	idle chan struct{} // closed when the tee has ended and all is written

	mu       sync.Mutex
	requests []request
	watchers map[chan struct{}]bool
	ended    bool
}

// request is a loan of the terminal as soon as it has seen all output up to at.
type request struct {
	at  uint64
	use func(*vt.Terminal)
	no  func() // when the engine has ended
}

func newEngine(renew func(cols, rows int) *vt.Terminal, size hostproto.Size, tee *host.Tee, cur *host.Cursor) *engine {
	return &engine{term: renew(size.Cols, size.Rows), size: size, renew: renew, tee: tee, cur: cur, idle: make(chan struct{}), watchers: map[chan struct{}]bool{}}
}

// lend calls use with the terminal, on the engine's goroutine, after all
// output that has been read until now; or no, when the engine has ended.
func (e *engine) lend(use func(*vt.Terminal), no func()) {
	e.lendAt(e.tee.End(), use, no)
}

func (e *engine) lendAt(at uint64, use func(*vt.Terminal), no func()) {
	e.mu.Lock()
	if e.ended {
		e.mu.Unlock()
		no()
		return
	}
	e.requests = append(e.requests, request{at: at, use: use, no: no})
	e.mu.Unlock()
	e.cur.Signal()
}

// borrow is lend for a caller that waits.
func (e *engine) borrow(ctx context.Context, use func(*vt.Terminal)) error {
	done := make(chan error, 1)
	e.lend(func(t *vt.Terminal) { use(t); done <- nil }, func() { done <- errEnded })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// watch sends to ch, which has room for one, whenever the engine has taken
// output or somebody pokes it.
func (e *engine) watch(ch chan struct{}) (stop func()) {
	e.mu.Lock()
	e.watchers[ch] = true
	e.mu.Unlock()
	return func() {
		e.mu.Lock()
		delete(e.watchers, ch)
		e.mu.Unlock()
	}
}

// run drains the tee into the terminal until it ends, and serves requests
// until quit is closed.
func (e *engine) run(quit <-chan struct{}) {
	w := work{timer: time.NewTimer(time.Hour)}
	defer w.timer.Stop()
	for {
		e.serve()
		data, size, end := e.cur.Next()
		switch {
		case size != nil:
			e.size = *size
			e.term.Resize(size.Cols, size.Rows)
			e.took(&w, 0)
			continue
		case len(data) > 0:
			e.write(data)
			e.cur.Advance(len(data))
			e.took(&w, len(data))
			e.sampleDue(&w, time.Now())
			continue
		}
		if end && !w.ended {
			w.ended = true
			e.look(&w, time.Now())
			close(e.idle)
		}
		e.arm(&w)
		select {
		case <-e.cur.Wake():
		case <-w.timer.C:
			e.tick(&w, time.Now())
		case <-quit:
			e.stop()
			return
		}
	}
}

// write gives output to the terminal. A defect of the engine costs the screen,
// never the session: the terminal begins anew.
func (e *engine) write(data []byte) {
	defer func() {
		if failure := recover(); failure != nil {
			e.failed(failure)
			e.term = e.renew(e.size.Cols, e.size.Rows)
		}
	}()
	e.term.Write(data)
}

// work is what the engine's loop remembers between two rounds.
type work struct {
	timer    *time.Timer
	looked   time.Time // when the screen was last looked at
	wrote    time.Time // when output was last taken
	held     time.Time // since when output is synchronised; zero when not
	unlooked bool      // output was taken since
	burst    int       // bytes since memory was last given back
	ended    bool
}

// lookAt is when the screen is looked at if no more output comes.
func (w *work) lookAt() time.Time {
	at := w.wrote.Add(sampleRest)
	for _, t := range []time.Time{w.looked.Add(sampleLeast), w.heldUntil()} {
		if t.After(at) {
			at = t
		}
	}
	return at
}

// heldUntil is when a synchronised screen is shown at the latest.
func (w *work) heldUntil() time.Time {
	if w.held.IsZero() {
		return time.Time{}
	}
	return w.held.Add(syncLimit)
}

func (e *engine) took(w *work, n int) {
	w.wrote, w.unlooked = time.Now(), true
	w.burst += n
	e.gen.Store(e.term.Generation())
	switch {
	case !e.term.Synchronized():
		w.held = time.Time{}
	case w.held.IsZero():
		w.held = w.wrote
	}
	e.poke()
}

// poke wakes the watchers.
func (e *engine) poke() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for ch := range e.watchers {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

// sampleDue looks at the screen during output, at most every sampleEvery, and
// not while the program says that the screen is half drawn.
func (e *engine) sampleDue(w *work, now time.Time) {
	if now.Sub(w.looked) < sampleEvery || now.Before(w.heldUntil()) {
		return
	}
	e.look(w, now)
}

func (e *engine) look(w *work, now time.Time) {
	w.looked, w.unlooked = now, false
	if e.sample != nil {
		e.sample(e.term, now)
	}
}

// arm sets the timer to what is due next; a quiet host has none.
func (e *engine) arm(w *work) {
	w.timer.Stop()
	switch {
	case w.unlooked:
		w.timer.Reset(max(time.Until(w.lookAt()), time.Millisecond))
	case !w.held.IsZero():
		w.timer.Reset(max(syncLimit-time.Since(w.held), time.Millisecond))
	case w.burst > 0:
		w.timer.Reset(max(shrinkAfter-time.Since(w.wrote), time.Millisecond))
	}
}

func (e *engine) tick(w *work, now time.Time) {
	if !w.held.IsZero() && now.Sub(w.held) >= syncLimit {
		e.term.EndSynchronized()
		w.held = time.Time{}
		e.gen.Store(e.term.Generation())
	}
	if w.unlooked && !now.Before(w.lookAt()) {
		e.look(w, now)
	}
	if w.burst > 0 && now.Sub(w.wrote) >= shrinkAfter {
		e.tee.Shrink()
		if w.burst >= floodSize {
			debug.FreeOSMemory()
		}
		w.burst = 0
	}
}

// serve fulfils the requests whose place in the output is reached.
func (e *engine) serve() {
	e.mu.Lock()
	if len(e.requests) == 0 {
		e.mu.Unlock()
		return
	}
	pos := e.cur.Pos()
	var due []request
	rest := e.requests[:0]
	for _, r := range e.requests {
		if r.at <= pos {
			due = append(due, r)
		} else {
			rest = append(rest, r)
		}
	}
	clear(e.requests[len(rest):])
	e.requests = rest
	e.mu.Unlock()
	for _, r := range due {
		r.use(e.term)
	}
}

func (e *engine) stop() {
	e.mu.Lock()
	e.ended = true
	requests := e.requests
	e.requests = nil
	e.mu.Unlock()
	for _, r := range requests {
		r.no()
	}
}

// snapshot is what a viewer starts from: the screen right now, wherever the
// engine is, and the place of the output after it.
func (e *engine) snapshot(scrollback int) (host.Snapshot, bool) {
	type result struct {
		s  host.Snapshot
		ok bool
	}
	done := make(chan result, 1)
	e.lendAt(0, func(t *vt.Terminal) {
		cols, rows := t.Size()
		done <- result{host.Snapshot{
			Data:   t.Snapshot(nil, vt.SnapshotOptions{Scrollback: scrollback, Images: true}),
			Size:   hostproto.Size{Cols: cols, Rows: rows},
			Cursor: e.tee.Join(),
		}, true}
	}, func() { done <- result{} })
	r := <-done
	return r.s, r.ok
}
