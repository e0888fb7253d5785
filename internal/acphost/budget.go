package acphost

import "time"

// How long an agent may take for each step. The prompt has no limit (row 9).
const (
	InitializeTime = 30 * time.Second // row 4
	ProbeTime      = 30 * time.Second // start and initialize together, row 5
	WarmNewTime    = 30 * time.Second // session/new of a warm connection, row 6
	LoadTime       = 60 * time.Second // session/load alone, row 7
	RequestTime    = 15 * time.Second // every other request, row 8
	WarmTime       = 60 * time.Second // a warm set-up in all, row 120
	DeleteTime     = time.Second      // of an empty session at the end, row 122
)

// How a turn is cancelled.
const (
	// cancelTime is how long an agent may take to answer a cancelled prompt.
	cancelTime = 5 * time.Second
	// deadTime is how long the end of the output may take to tell of the
	// program's, so that its failure can be said.
	deadTime = time.Second
)

// restTime is how long an agent's process is kept after the last turn: it may
// hold half a gigabyte, and the next prompt brings it back.
const restTime = 10 * time.Minute

// The caps of a listing (row 142).
const (
	listTime  = 5 * time.Second
	listPages = 200
	listRows  = 500
)

// A replay is over when nothing came for settleQuiet, or after settleMax
// (row 138).
const (
	settleQuiet = 200 * time.Millisecond
	settleMax   = 800 * time.Millisecond
)
