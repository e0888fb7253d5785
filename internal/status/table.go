package status

// phase is the inner state: State, with needs-you split by whether looking at
// the session answers it.
type phase uint8

const (
	idle    phase = iota
	working       // Working
	asked         // NeedsYou: wants to be looked at (a bell); Seen ends it
	blocked       // NeedsYou, Blocking: only the agent going on ends it
	done          // Done

	phases

	// What a cell of the table may say instead of a phase.
	stay    // no change
	turnEnd // done when a turn is open, else idle
	resume  // working when a turn is open, else idle
)

// signal is what a channel's event comes down to once the channel was found
// to have a say.
type signal uint8

const (
	sigWork  signal = iota // a turn runs
	sigBlock               // a question that blocks
	sigRing                // the bell or a notification
	sigDone                // the agent's word: the turn ended
	sigRest                // seen at rest, or failed, or gone quiet: whatever was open is over
	sigIdle                // the agent's word: idle
	sigSeen                // someone looked
	sigGone                // the program ended

	signals
)

// table is the state machine. Who may send which signal is decided before:
//
//	channel          may send                 when
//	osc7501          all of them              always; it acts at once and is complete
//	hook             work block done idle     no program status record is live; beside a live
//	                                          "working" only block, and the end of its own block
//	title, progress  work block rest          no program status record is live; on a change of
//	                                          their level; rest after restDebounce; out of a hook's
//	                                          block only after something was typed
//	file             work block rest          as the title, whose place it takes while it is there
//	screen rules     work block rest          as the title, and no exact channel has spoken since
//	                                          launch; "working" only while titles have said nothing
//	screen changes   work                     an agent without any rules: see promotion
//	mark (OSC 133)   work done rest           plain terminals
//	bell             ring                     no exact channel is live; after ringHold in a turn
//	seen, exit       seen, gone               always
//	stale            rest                     work that only titles, progress or the screen declare
//
// sigRest and sigIdle differ in one cell: a calm screen says nothing about a
// finished turn, while an agent that calls itself idle has been seen.
var table = [phases][signals]phase{
	//           work     block    ring   done  rest     idle     seen    gone
	idle:    {working, blocked, asked, done, stay, stay, stay, stay},
	working: {stay, blocked, asked, done, turnEnd, turnEnd, stay, turnEnd},
	asked:   {working, blocked, stay, done, turnEnd, turnEnd, resume, turnEnd},
	blocked: {working, stay, stay, done, turnEnd, turnEnd, stay, turnEnd},
	done:    {working, blocked, stay, stay, stay, idle, idle, stay},
}

// state is the public name of a phase.
func (p phase) state() State {
	switch p {
	case working:
		return Working
	case asked, blocked:
		return NeedsYou
	case done:
		return Done
	}
	return Idle
}

// next gives the phase that s leads to from p, and whether that is a step.
func next(p phase, s signal, open bool) (phase, bool) {
	to := table[p][s]
	switch to {
	case stay:
		return p, false
	case turnEnd:
		if to = idle; open {
			to = done
		}
	case resume:
		if to = idle; open {
			to = working
		}
	}
	return to, to != p
}
