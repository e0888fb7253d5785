//go:build unix

package term

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/status"
	"github.com/termio-sh/termio/vt"
)

// deliverer types payloads into the program one after the other. Its goroutine
// lives only while there is one.
type deliverer struct {
	ready readiness // of the running goroutine
	input atp.Input
	plain bool

	mu      sync.Mutex
	queue   []job
	running bool
	stopped bool
}

// job is one payload with who waits for it.
type job struct {
	d    *delivery
	done func(hostproto.SendReply, *hostproto.Error)
}

// pending is how many bytes of text are still on their way.
func (d *deliverer) pending() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, j := range d.queue {
		n += len(j.d.text)
	}
	return n
}

// newDelivery checks a request and makes a delivery of it.
func (s *session) newDelivery(q hostproto.SendRequest) (*delivery, *hostproto.Error) {
	if len(q.Text) > maxPayload {
		return nil, &hostproto.Error{Code: hostproto.CodeBadRequest, Message: fmt.Sprintf(
			"the text has %d bytes, at most %d can be sent: put it into a file and send the file's name", len(q.Text), maxPayload)}
	}
	in := s.deliveries.input
	d := &delivery{plain: s.deliveries.plain, asked: time.Now(), delay: submitDelay}
	if d.plain {
		d.delay = submitPlain
	}
	if in.SubmitDelayMs > 0 {
		d.delay = ms(in.SubmitDelayMs)
	}
	d.text, d.enter = q.Text, q.Enter
	var failure *hostproto.Error
	keys := func(names []string) []vt.Key {
		var out []vt.Key
		for _, name := range names {
			k, err := vt.ParseKey(name)
			if err != nil {
				failure = &hostproto.Error{Code: hostproto.CodeBadKey, Message: err.Error()}
			}
			out = append(out, k)
		}
		return out
	}
	submit := in.Submit
	if submit == "" {
		submit = "enter"
	}
	d.clear, d.submit = keys(in.Clear), keys([]string{submit})[0]
	d.keys = keys(q.Keys)
	return d, failure
}

// deliver queues a payload; done is called when it has arrived or could not.
// first marks the prompt that the session was started with.
func (s *session) deliver(q hostproto.SendRequest, first bool, done func(hostproto.SendReply, *hostproto.Error)) {
	d, failure := s.newDelivery(q)
	if failure != nil {
		done(hostproto.SendReply{}, failure)
		return
	}
	d.first = first
	v := &s.deliveries
	v.mu.Lock()
	defer v.mu.Unlock()
	defer s.engine.poke() // the one in front may let it pass
	if v.stopped {
		go done(hostproto.SendReply{}, &hostproto.Error{Code: hostproto.CodeNotLive, Message: "the program has exited"})
		return
	}
	v.queue = append(v.queue, job{d, done})
	if !v.running {
		v.running = true
		go s.deliverAll()
	}
}

// deliverAll works through the queue and ends when it is empty.
func (s *session) deliverAll() {
	v := &s.deliveries
	for {
		v.mu.Lock()
		if len(v.queue) == 0 {
			v.running, v.queue = false, nil
			v.mu.Unlock()
			return
		}
		j := v.queue[0]
		v.mu.Unlock()
		failure := s.deliverOne(j.d)
		s.input.hold(false)
		if failure == errPass {
			v.mu.Lock()
			v.queue[0], v.queue[1] = v.queue[1], v.queue[0]
			v.mu.Unlock()
			continue
		}
		reply := j.d.result
		if !j.d.pressed {
			reply.Turn = s.turn()
		}
		v.mu.Lock()
		v.queue[0] = job{}
		v.queue = v.queue[1:]
		v.mu.Unlock()
		j.done(reply, failure)
	}
}

func (s *session) turn() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.watcher.machine.Status().Turn
}

// errPass is no failure: the first prompt waits for an answer, and lets pass
// what was sent after it, which may be the answer.
var errPass = &hostproto.Error{Code: hostproto.CodeInternal, Message: "another payload goes first"}

// others tells that more than one payload is waiting.
func (d *deliverer) others() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.queue) > 1
}

// deliverOne runs one delivery: it shows it what there is to see, does what it
// says, and waits for something to happen.
func (s *session) deliverOne(d *delivery) *hostproto.Error {
	wake := make(chan struct{}, 1)
	defer s.engine.watch(wake)()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	look := sighting{s: s}
	for {
		sight, modes := look.take()
		st := d.advance(sight, &s.deliveries.ready, modes)
		s.input.hold(st.hold && !st.done)
		if st.done && st.failure != nil {
			s.input.withdraw()
		}
		if st.discard {
			s.pty.discardInput()
		}
		if len(st.write) > 0 {
			s.write(d, st.write)
		}
		if st.done {
			return st.failure
		}
		if d.phase == phaseWaiting && d.asks(sight) && s.deliveries.others() {
			return errPass
		}
		timer.Reset(max(time.Until(st.again), 0))
		select {
		case <-timer.C:
		case <-wake:
		case <-s.child.exited:
		}
	}
}

// write hands a piece to the terminal and lets the reducer know.
func (s *session) write(d *delivery, piece []byte) {
	s.asked.Store(true)
	s.pressedAt.Store(time.Now().UnixNano())
	s.input.deliver(piece)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.Closed != nil {
		return
	}
	s.note(status.Event{Kind: status.KindInput})
	if d.pressed && d.phase == phaseEntering {
		d.result.Turn = s.watcher.machine.Status().Turn
		s.undelivered = ""
		s.note(status.Event{Kind: status.KindSubmit})
	}
}

// sighting gathers what a delivery needs to see. The screen's text is taken
// only when it has changed.
type sighting struct {
	s     *session
	taken bool
	last  sight
	modes vt.InputModes
}

func (l *sighting) take() (sight, vt.InputModes) {
	s := l.s
	err := s.engine.borrow(context.Background(), func(t *vt.Terminal) {
		if gen := t.Generation(); !l.taken || gen != l.last.generation {
			l.last.screen, l.last.generation, l.taken = t.ScreenText(), gen, true
		}
		l.modes = t.InputModes()
	})
	v := l.last
	v.now, v.launched = time.Now(), s.launched
	v.lastOutput = time.Unix(0, s.lastOutput.Load())
	s.mu.Lock()
	st := s.watcher.machine.Status()
	v.state, v.turn, v.tells = st.State, st.Turn, s.watcher.machine.Tells()
	s.mu.Unlock()
	if v.question = (time.Time{}); st.State == status.NeedsYou && st.Blocking {
		v.question = st.Since
	}
	v.pressedAt = time.Unix(0, s.pressedAt.Load())
	v.typedAt = time.Unix(0, s.typedAt.Load())
	v.paste = l.modes.BracketedPaste
	v.announced = l.modes.Kitty != 0 || s.announced.Load()
	select {
	case <-s.child.exited:
		v.exited = true
	default:
		v.exited = err != nil
	}
	if !v.exited {
		v.canonical, v.echo = s.pty.lineMode()
		v.waiting, v.unread = s.input.waiting(), s.pty.unread()
	}
	return v, l.modes
}
