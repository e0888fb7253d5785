package orchestrate

import (
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

// exitChannel is the cause of a state that the program's exit has left.
const exitChannel = "exit"

// Rest tells whether a session has nothing more to do: no turn runs, nothing
// waits to be typed, and what was just submitted has had its time to begin a
// turn. A question is rest, too: only its answer goes on. Where it cannot tell
// yet, again is when it can if nothing else happens before; zero is not before
// something does.
func Rest(i hostproto.Info, q *Question, now time.Time) (rests bool, again time.Time) {
	q.See(i.Status, now)
	switch {
	case i.Status.State == Working:
		return false, time.Time{}
	case i.Status.State == NeedsYou:
		at := q.Due()
		return !now.Before(at), at
	case i.Pending > 0:
		return false, time.Time{}
	}
	if at := i.Status.Since.Add(followTime); i.Status.Cause.Channel == exitChannel && now.Before(at) {
		return false, at // the end of the session follows
	}
	if n := len(i.Record.Submits); n > 0 {
		last := i.Record.Submits[n-1]
		if at := last.Add(followTime); i.Status.Since.Before(last) && now.Before(at) {
			return false, at
		}
	}
	return true, time.Time{}
}
