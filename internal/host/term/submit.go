//go:build unix

package term

import (
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/status"
	"github.com/termio-sh/termio/vt"
)

// Times of the check that Enter had an effect.
const (
	effectTime = 2 * time.Second        // for the first Enter to have one
	secondTime = 3 * time.Second        // for the second
	leftQuiet  = 100 * time.Millisecond // a program that draws anew shows no text for a moment
	loadTime   = 10 * time.Second       // an agent that loads its conversation may hide its prompt
)

// effect is what a delivery knows of what its Enter did. An agent under load
// may take an Enter for a part of the text before it. What it did shows in
// the status, or in that the text left the prompt.
//
// Enter is pressed once more, never twice more, when for effectTime after the
// program had read it
//
//   - the turn counter and the state stayed, idle or done as they were, and
//     the session has a channel that would have told of a turn;
//   - the end of the text still stands where it stood, with at most more blank
//     rows right below it: line breaks that Enter was taken for;
//   - no question stands, and nobody typed.
//
// While an agent loads the conversation that it was launched into, its prompt may
// be hidden, with the text in it: that the text left its place tells nothing of
// the first prompt then, and the wait begins anew when it is back.
//
// A text that stands there after that was not submitted, and neither was one
// that was never seen and of which nothing has come by then. In every other
// case that is not known.
type effect struct {
	mark    string // what is looked for: the end of the text, or a placeholder
	stood   place  // where it stood right before Enter
	placed  bool
	state   status.State // right before Enter
	rung    bool         // it only asked to be looked at then, which Enter does
	read    bool         // the program has read Enter
	again   bool         // it was pressed once more
	typedAt time.Time    // when somebody had last typed before it
	leftAt  time.Time
	leaving bool // the text is not where it stood, since leftAt
	hidden  bool // that tells nothing, since the agent loads its conversation
}

// place is where a text begins on a screen, counted from the bottom, since
// prompts are there and what is above them moves.
type place struct {
	up    int    // rows from there to the bottom
	solid int    // how many of them are not blank
	gap   int    // how many are blank right below the text
	head  string // what stands left of the text in its row: the prompt's sign, in a prompt
	anew  bool   // a row below it begins with that, too: an empty prompt, as a rule
}

// expect looks where the text stands before Enter is pressed. Only a mark that
// typing brought there is one.
func (e *effect) expect(d *delivery, s sight) {
	e.typedAt, e.state = s.typedAt, s.state
	e.rung = s.state == status.NeedsYou && s.question.IsZero()
	for _, mark := range []string{strings.ToLower(d.tail), "[pasted", "[paste#"} {
		at, ok := find(s.screen, mark)
		if !ok {
			continue
		}
		if was, ok := find(d.blank, mark); ok && was.up <= at.up+1 {
			continue
		}
		e.mark, e.stood, e.placed = mark, at, true
		return
	}
}

// find gives the place of mark that is nearest to the bottom. Rows are joined
// as squeeze leaves them, so that a wrapped mark is found.
func find(screen, mark string) (place, bool) {
	var p place
	if mark == "" {
		return p, false
	}
	rows, below := strings.Split(strings.ToLower(screen), "\n"), ""
	for p.up < len(rows) {
		at := len(rows) - 1 - p.up
		rows[at] = squeeze(rows[at])
		p.up++
		if rows[at] != "" {
			p.solid++
		}
		joined := rows[at] + below
		if begin := strings.Index(joined, mark); begin >= 0 {
			p.around(rows[at:], begin, begin+len(mark))
			return p, true
		}
		below = joined[:min(len(joined), len(mark))]
	}
	return p, false
}

// around notes what is beside and below a text that begins at a byte of the
// first of these rows and ends at one of all of them together.
func (p *place) around(rows []string, begin, end int) {
	p.head = rows[0][:min(begin, len(rows[0]))]
	last := 0
	for end -= len(rows[0]); end > 0 && last+1 < len(rows); end -= len(rows[last]) {
		last++
	}
	blank := true
	for _, row := range rows[last+1:] {
		if blank = blank && row == ""; blank {
			p.gap++
		}
		p.anew = p.anew || p.head != "" && strings.HasPrefix(row, p.head)
	}
}

// stands tells whether the text is still in the prompt, left that it is not;
// neither when the screen leaves a doubt. A text that only moved up, with more
// blank rows right below it, may be one that Enter broke: told says that the
// status would have told of a turn, so that the screen need not decide it.
func (e *effect) stands(screen string, told bool) (stands, left bool) {
	if !e.placed {
		return false, false
	}
	now, ok := find(screen, e.mark)
	if !ok || now.anew && !e.stood.anew && now.head == e.stood.head {
		return false, true
	}
	moved, broken := now.up-e.stood.up, now.gap-e.stood.gap
	if moved > 1 && (!told || broken <= 0) {
		return false, true
	}
	return moved >= 0 && now.solid == e.stood.solid && (moved <= 1 || moved == broken), false
}

// check waits for the effect of Enter.
func (d *delivery) check(s sight, m vt.InputModes) step {
	e := &d.effect
	if e.rung {
		e.rung, e.state = false, s.state
	}
	resting := s.tells && atRest(s.state) && atRest(e.state)
	stands, left := e.stands(s.screen, resting)
	if !left && e.hidden {
		d.since = s.now
	}
	e.hidden = left && s.loads && s.tells && !strings.HasPrefix(d.text, "/")
	switch {
	case d.worked(s):
		return d.conclude(true)
	case !left:
		e.leaving = false
	case e.hidden:
	case !e.leaving:
		e.leaving, e.leftAt = true, s.now
	case !s.now.Before(e.leftAt.Add(leftQuiet)):
		return d.conclude(true)
	}
	if !s.typedAt.Equal(e.typedAt) || !e.placed && !resting {
		return d.unknown() // nothing can tell
	}
	if end := d.effectEnd(s); s.now.Before(end) {
		st := step{again: end}
		if e.hidden {
			st.again = earlier(end, s.now.Add(pollSlow))
		} else if e.leaving {
			st.again = earlier(end, e.leftAt.Add(leftQuiet))
		} else if !e.read {
			st.again = earlier(end, s.now.Add(pollSlow))
		}
		return st
	}
	switch {
	case !resting || !e.read || !stands && d.result.Verified:
		return d.unknown()
	case !stands:
		return d.unsent(s, "the text was not seen in the prompt, and nothing came of Enter; look at the screen before you send it again")
	case e.again:
		return d.unsent(s, "the text stands in the prompt unsent: Enter was pressed twice, and nothing came of it; look at the screen, then send the key enter")
	}
	e.again, e.read = true, false
	return d.pressSubmit(s, m)
}

func atRest(s status.State) bool { return s == status.Idle || s == status.Done }

// worked tells whether the status shows that Enter had an effect.
func (d *delivery) worked(s sight) bool {
	if s.turn > d.result.Turn {
		return true
	}
	was := d.effect.state
	return s.state != was && (s.state == status.Working || s.state == status.NeedsYou || was == status.NeedsYou)
}

// effectEnd is when the wait for an effect ends; it begins when the program
// has read Enter.
func (d *delivery) effectEnd(s sight) time.Time {
	e := &d.effect
	if !e.read && s.waiting == 0 && s.unread <= 0 {
		e.read, d.since = true, later(d.since, s.now)
	}
	wait := effectTime
	switch {
	case e.again:
		wait = secondTime
	case !e.placed && !d.result.Verified:
		wait += secondTime
	}
	if e.hidden {
		wait = loadTime
	}
	return earlier(d.since.Add(wait), d.asked.Add(deliveryTime))
}

func (d *delivery) conclude(submitted bool) step {
	d.result.Submitted = &submitted
	return d.unknown()
}

func (d *delivery) unsent(s sight, message string) step {
	d.result.Submitted = new(bool)
	return d.fail(s, hostproto.CodeNotDelivered, message)
}

// unknown ends the delivery without more to say.
func (d *delivery) unknown() step {
	d.phase = phaseFinished
	return step{done: true}
}
