package vt

import (
	"bytes"
	"encoding/base64"
	"unicode/utf8"
)

// ProgramStatus is one sequence of the Program Status Protocol (OSC 7501): the
// terminal's support is asked for, or the program reports what it is doing.
// A report replaces the record with its ID whole.
type ProgramStatus struct {
	// Query says that the program asks whether the protocol is understood.
	// Everything else is empty then.
	Query bool
	// ID is the record's path, segments joined by "/"; "" is the program
	// itself, the root record.
	ID string
	// App names the program; "" takes the nearest ancestor's.
	App   string
	State ProgramState
	// Kind says what a blocked program waits for; "" otherwise, or unknown.
	Kind BlockKind
	// Progress is 0–100, -1 without one; only a working or blocked program
	// has it.
	Progress int
	// Title and Msg are text without control characters: what the record is
	// about, and what it says (the question of a blocked program).
	Title, Msg string
}

// ProgramState is the state that a program reports.
type ProgramState string

// The states of the Program Status Protocol.
const (
	ProgramIdle    ProgramState = "idle"
	ProgramWorking ProgramState = "working"
	ProgramDone    ProgramState = "done" // finished, and not looked at since
	ProgramBlocked ProgramState = "blocked"
	ProgramError   ProgramState = "error"
	// ProgramClear removes the record and its descendants; without an ID,
	// all records.
	ProgramClear ProgramState = "clear"
)

// BlockKind is what a blocked program waits for.
type BlockKind string

// The kinds of waiting.
const (
	BlockPermission BlockKind = "permission"
	BlockQuestion   BlockKind = "question"
	BlockAuth       BlockKind = "auth"
)

// The limits of the Program Status Protocol, in bytes where nothing is said.
const (
	maxStatusSequence = 4096 // from ESC to the terminator
	maxStatusKey      = 16
	maxStatusID       = 128
	maxStatusSegments = 8 // segments of an ID
	maxStatusSegment  = 32
	maxStatusApp      = 32
	maxStatusTitle    = 192 // decoded
	maxStatusMsg      = 2048
)

// ParseProgramStatus reads the payload of an OSC 7501 after "7501;". It fails
// when the sequence is to be ignored as a whole: a missing or unknown state, a
// malformed ID, title or message, or a limit passed. A bad app, kind or
// progress only counts as absent, and unknown keys are skipped. If a key
// stands twice, the last one counts.
func ParseProgramStatus(payload []byte) (ProgramStatus, bool) {
	if string(payload) == "?" {
		return ProgramStatus{Query: true, Progress: -1}, true
	}
	if len("\x1b]7501;")+len(payload)+len("\a") > maxStatusSequence {
		return ProgramStatus{}, false
	}
	s := ProgramStatus{Progress: -1}
	for len(payload) > 0 {
		var pair []byte
		pair, payload, _ = bytes.Cut(payload, []byte{':'})
		key, value, ok := bytes.Cut(pair, []byte{'='})
		if !ok || len(key) > maxStatusKey {
			continue
		}
		if !s.set(string(key), value) {
			return ProgramStatus{}, false
		}
	}
	switch s.State {
	case "":
		return ProgramStatus{}, false
	case ProgramClear:
		return ProgramStatus{ID: s.ID, State: ProgramClear, Progress: -1}, true
	}
	if s.State != ProgramBlocked {
		s.Kind = ""
	}
	if s.State != ProgramBlocked && s.State != ProgramWorking {
		s.Progress = -1
	}
	return s, true
}

// set takes one key and reports whether the report may still stand.
func (s *ProgramStatus) set(key string, value []byte) (ok bool) {
	switch key {
	case "state":
		switch st := ProgramState(value); st {
		case ProgramIdle, ProgramWorking, ProgramDone, ProgramBlocked, ProgramError, ProgramClear:
			s.State = st
		default:
			return false
		}
	case "id":
		s.ID = string(value)
		return validStatusID(value)
	case "app":
		s.App = ""
		if len(value) <= maxStatusApp && isStatusName(value) {
			s.App = string(value)
		}
	case "kind":
		s.Kind = ""
		switch k := BlockKind(value); k {
		case BlockPermission, BlockQuestion, BlockAuth:
			s.Kind = k
		}
	case "progress":
		s.Progress = -1
		if n, ok := percent(value); ok {
			s.Progress = n
		}
	case "title":
		s.Title, ok = statusText(value, maxStatusTitle)
		return ok
	case "msg":
		s.Msg, ok = statusText(value, maxStatusMsg)
		return ok
	}
	return true
}

func validStatusID(id []byte) bool {
	if len(id) > maxStatusID {
		return false
	}
	n := 0
	for seg := range bytes.SplitSeq(id, []byte{'/'}) {
		n++
		if n > maxStatusSegments || len(seg) > maxStatusSegment || !isStatusName(seg) {
			return false
		}
	}
	return true
}

// isStatusName reports whether b is not empty and made only of the characters
// that IDs and app names may have.
func isStatusName(b []byte) bool {
	for _, c := range b {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case c == '.', c == '_', c == '+', c == '-':
		default:
			return false
		}
	}
	return len(b) > 0
}

// statusText decodes a base64 text of at most limit bytes that holds valid
// UTF-8 and no control character.
func statusText(b []byte, limit int) (string, bool) {
	if len(b) > base64.StdEncoding.EncodedLen(limit) || bytes.ContainsAny(b, "\r\n") { // the decoder would skip line breaks
		return "", false
	}
	text, err := base64.StdEncoding.Strict().AppendDecode(nil, b)
	if err != nil || len(text) > limit || !utf8.Valid(text) {
		return "", false
	}
	for _, r := range string(text) {
		if r < 0x20 || r >= 0x7f && r < 0xa0 {
			return "", false
		}
	}
	return string(text), true
}
