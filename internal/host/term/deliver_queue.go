//go:build unix

package term

import (
	"sync/atomic"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/status"
)

// Prompts that are sent while the agent works wait in the host until its turn
// has ended: there they can be listed and withdrawn, and each begins a turn of
// its own. Whatever is no prompt (keys, answers, a plain terminal's text, what
// is sent with Now) passes those that wait.

// Why a prompt waits.
const (
	waitsForTurn  = "working"
	waitsForDraft = "draft"
	waitsInLine   = "behind another"
)

// turnCalm is how long after a turn's end the next prompt is typed: agents draw
// their prompt anew then, and write the last of their answer.
const turnCalm = 300 * time.Millisecond

// claim says what has become of a delivery that waits: whoever changes it first
// decides.
type claim struct{ state atomic.Int32 }

const (
	claimWaiting = iota
	claimTyping
	claimDropped
)

func (c *claim) take(to int32) bool {
	return c == nil || c.state.CompareAndSwap(claimWaiting, to)
}

func (c *claim) dropped() bool { return c != nil && c.state.Load() == claimDropped }

// errDropped is the end of a prompt that was withdrawn.
var errDropped = &hostproto.Error{Code: hostproto.CodeNotDelivered, Message: "it was withdrawn from the queue; nothing was typed"}

// parks tells whether a delivery waits for the end of the agent's turn.
func (d *delivery) parks(s sight) bool { return d.queues && s.state == status.Working }

// queued tells a job's sender that it waits, unless they wait with it. What
// becomes of it is an event then. v.mu must be held.
func (s *session) queued(j *job, reason string) {
	if j.n == 0 {
		s.deliveries.numbered++
		j.n = s.deliveries.numbered
	}
	if j.waiting = reason; j.replied || j.sync {
		return
	}
	j.replied = true
	go j.done(hostproto.SendReply{Queued: j.n}, nil)
	j.done = s.later
}

// later tells how a payload went that nobody waits for.
func (s *session) later(r hostproto.SendReply, failure *hostproto.Error) {
	if failure != nil && failure != errDropped {
		s.undeliverable(failure, true)
	}
	s.hub.Publish(hostproto.Event{Type: hostproto.EventDelivery, Delivery: &hostproto.Delivery{SendReply: r, Error: failure}}, false)
}

// enqueue puts a job in line. v.mu must be held.
func (s *session) enqueue(j *job, working bool) {
	v := &s.deliveries
	switch {
	case !j.d.queues:
	case working:
		s.queued(j, waitsForTurn)
	case v.parked():
		s.queued(j, waitsInLine)
	}
	v.queue = append(v.queue, j)
}

// parked tells that a prompt waits for the agent's turn to end.
func (d *deliverer) parked() bool {
	for _, j := range d.queue {
		if j.d.queues && j.waiting != "" {
			return true
		}
	}
	return false
}

// pass moves the first job that need not wait to the front. v.mu must be held.
func (d *deliverer) pass() bool {
	for i, j := range d.queue {
		if i > 0 && (!j.d.queues || d.queue[0].d.first) {
			copy(d.queue[1:i+1], d.queue[:i])
			d.queue[0] = j
			return true
		}
	}
	return false
}

// queue lists the prompts that wait, after withdrawing one.
func (s *session) queue(q hostproto.QueueRequest, reply replyFunc) {
	out := hostproto.Queue{Prompts: []hostproto.Queued{}}
	v := &s.deliveries
	v.mu.Lock()
	rest := v.queue[:0:0]
	for _, j := range v.queue {
		if j.waiting == "" || j.d.claim.state.Load() != claimWaiting {
			rest = append(rest, j)
			continue
		}
		item := hostproto.Queued{N: j.n, Text: j.d.text, Reason: j.waiting}
		if q.Drop == j.n && j.d.claim.take(claimDropped) {
			out.Dropped = &item
			if j != v.queue[0] { // the one at work ends by itself
				go j.done(hostproto.SendReply{}, errDropped)
				continue
			}
		} else {
			out.Prompts = append(out.Prompts, item)
		}
		rest = append(rest, j)
	}
	v.queue = rest
	v.mu.Unlock()
	s.engine.poke()
	reply(out, nil)
}
