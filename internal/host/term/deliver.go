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
	// changed is the readiness of a program that took the place of another.
	changed *readiness

	mu      sync.Mutex // guards input, plain and changed too, once it runs
	queue   []*job
	running bool
	stopped bool
	// numbered is the number of the newest prompt that had to wait.
	numbered int
}

// job is one payload with who waits for it.
type job struct {
	d    *delivery
	done func(hostproto.SendReply, *hostproto.Error)
	sync bool // who sent it waits until it is delivered

	// The rest is guarded by deliverer.mu.
	n       int    // in the queue of prompts; 0 for what is none
	waiting string // why it waits there; "" when it does not
	replied bool   // done was called, since it waits
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
	in, plain := s.deliveries.program()
	d := &delivery{plain: plain, asked: time.Now(), delay: submitDelay, now: q.Now, answers: q.Answers, claim: new(claim)}
	d.queues = !d.plain && q.Enter && q.Text != "" && len(q.Keys) == 0 && q.Answers == 0 && !q.Now
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
	if d.first = first; first {
		d.queues = false
	}
	working := s.works()
	v := &s.deliveries
	v.mu.Lock()
	defer v.mu.Unlock()
	defer s.engine.poke() // the one in front may let it pass
	if v.stopped {
		go done(hostproto.SendReply{}, &hostproto.Error{Code: hostproto.CodeNotLive, Message: "the program has exited"})
		return
	}
	s.enqueue(&job{d: d, done: done, sync: q.Wait}, working)
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
		if v.changed != nil {
			v.ready, v.changed = *v.changed, nil
		}
		v.mu.Unlock()
		failure := s.deliverOne(j)
		s.input.hold(false)
		if failure == errPass {
			v.mu.Lock()
			v.pass()
			v.mu.Unlock()
			continue
		}
		reply := j.d.result
		if !j.d.pressed {
			reply.Turn = s.turn()
		}
		v.mu.Lock()
		v.queue[0] = nil
		v.queue = v.queue[1:]
		done := j.done
		v.mu.Unlock()
		done(reply, failure)
	}
}

func (s *session) turn() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wireStatus().Turn
}

// errPass is no failure: the first prompt waits for an answer, and lets pass
// what was sent after it, which may be the answer.
var errPass = &hostproto.Error{Code: hostproto.CodeInternal, Message: "another payload goes first"}

// urgent tells that something waits which need not wait with the first in line.
func (d *deliverer) urgent() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, j := range d.queue[1:] {
		if !j.d.queues || d.queue[0].d.first {
			return true
		}
	}
	return false
}

// works tells whether the agent is at work.
func (s *session) works() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.watcher.machine.Status().State == status.Working
}

// deliverOne runs one delivery: it shows it what there is to see, does what it
// says, and waits for something to happen.
func (s *session) deliverOne(j *job) *hostproto.Error {
	d := j.d
	wake := make(chan struct{}, 1)
	defer s.engine.watch(wake)()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	look := sighting{s: s}
	for atOnce := 0; ; {
		sight, modes := look.take(d.phase)
		st := d.advance(sight, &s.deliveries.ready, modes)
		s.input.hold(st.hold && !st.done)
		if st.done && st.failure != nil {
			s.input.withdraw()
		}
		if st.discard {
			s.pty.discardInput()
		}
		if len(st.write) > 0 {
			if failure := s.write(d, st.write); failure != nil {
				return failure
			}
		}
		if st.waits != "" {
			s.deliveries.mu.Lock()
			s.queued(j, st.waits)
			s.deliveries.mu.Unlock()
		}
		if st.done {
			return st.failure
		}
		if d.phase == phaseWaiting && (d.asks(sight) || st.waits != "") && s.deliveries.urgent() {
			return errPass
		}
		if !st.again.After(sight.now) && atOnce < maxAtOnce {
			atOnce++
			continue // on to the next phase
		}
		atOnce = 0
		timer.Reset(max(time.Until(st.again), 0))
		select {
		case <-timer.C:
		case <-wake:
		case <-s.child.Exited:
		}
	}
}

// maxAtOnce bounds how often a delivery goes on without waiting for anything: no
// one has so many phases.
const maxAtOnce = 16

// write hands a piece to the terminal and lets the reducer know. An answer to
// a question that does not stand any more is refused: that is found out, and
// the first piece handed over, under one lock.
func (s *session) write(d *delivery, piece []byte) *hostproto.Error {
	enter := d.pressed && d.phase == phaseEntering
	first := d.result.Before == nil
	var lines *int
	if enter || first {
		lines = s.transcriptLines()
	}
	s.asked.Store(true)
	s.pressedAt.Store(time.Now().UnixNano())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.Closed != nil {
		return nil
	}
	if st := s.wireStatus(); first && d.answers != 0 && (st.State != string(status.NeedsYou) || st.Asked != d.answers) {
		return &hostproto.Error{Code: hostproto.CodePromptChanged, Message: changedQuestion(st)}
	}
	if enter || first {
		s.noteBefore(d, lines)
	}
	s.input.deliver(piece)
	s.note(status.Event{Kind: status.KindInput})
	if enter {
		d.result.Turn = s.wireStatus().Turn
		line := d.text
		if line == "" {
			line = s.draft
		}
		s.undelivered, s.draft = "", ""
		s.submitted(time.Now(), line)
		s.note(status.Event{Kind: status.KindSubmit})
	}
	return nil
}

// sighting gathers what a delivery needs to see. The engine is asked only when
// there was output, the screen's text is taken only when it has changed.
type sighting struct {
	s     *session
	taken bool
	end   uint64 // of the output, when the engine was asked
	last  sight
	left  string // of the cursor
	modes vt.InputModes
}

// take looks, for a delivery in that phase.
func (l *sighting) take(p phase) (sight, vt.InputModes) {
	s := l.s
	var err error
	if end := s.tee.End(); !l.taken || end != l.end || s.engine.gen.Load() != l.last.generation {
		l.end = end
		err = s.engine.borrow(context.Background(), func(t *vt.Terminal) {
			if gen := t.Generation(); !l.taken || gen != l.last.generation {
				l.last.screen, l.last.generation, l.taken = t.ScreenText(), gen, true
				l.left = leftOfCursor(t, l.last.screen)
			}
			l.modes = t.InputModes()
		})
	}
	v := l.last
	v.now, v.launched, v.preparing = time.Now(), s.setup.start(s.launched), s.setup.running.Load()
	v.lastOutput = time.Unix(0, s.lastOutput.Load())
	s.mu.Lock()
	st := s.watcher.machine.Status()
	v.state, v.turn, v.tells = st.State, s.turns+st.Turn, s.watcher.machine.Tells()
	v.since, v.asked, v.draft = st.Since, st.Asked, s.draft
	v.loads = s.record.Resumed && len(s.record.Submits) <= 1
	s.mu.Unlock()
	if !draftStands(v.draft, v.screen, l.left) {
		v.draft = ""
	}
	if v.question = (time.Time{}); st.State == status.NeedsYou && st.Blocking {
		v.question = st.Since
	}
	v.pressedAt = time.Unix(0, s.pressedAt.Load())
	v.typedAt = time.Unix(0, s.typedAt.Load())
	v.paste = l.modes.BracketedPaste
	v.announced = l.modes.Kitty != 0 || s.announced.Load()
	v.prompted = s.prompted.Load()
	select {
	case <-s.child.Exited:
		v.exited = true
	default:
		v.exited = err != nil
	}
	if !v.exited {
		v.canonical, v.echo = s.pty.lineMode()
		v.waiting = s.input.waiting()
		if p.asksUnread(v.canonical) {
			v.unread = s.pty.unread()
		}
	}
	return v, l.modes
}

// asksUnread tells whether the phase goes by how much the program has not read,
// which takes five system calls to know.
func (p phase) asksUnread(canonical bool) bool {
	switch p {
	case phaseClearing, phaseTyping, phaseChecking:
		return true
	case phaseEntering:
		return !canonical
	}
	return false
}
