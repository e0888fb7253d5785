// Package notify decides when a person is told that a session needs them or is
// done, and tells them: on the desktop and by a command of theirs. Which
// terminals are attached is known to the hosts, so that the coordinator tells
// those itself.
//
// The rule is a value: changes of sessions go in with the time, what is to be
// shown and taken back comes out. Senders are one for each system.
package notify

import (
	"strings"
	"time"
	"unicode"
)

// Kinds of a note.
const (
	NeedsYou = "needs-you" // an agent cannot go on without a person
	Done     = "done"      // a turn of some length has ended
	Message  = "message"   // a program in a session asked for attention
)

// Note is one notification. There is at most one for each session.
type Note struct {
	Session string // the session's id
	Link    string // its address
	Kind    string
	Title   string // in one line: which session, and what with it
	Text    string // more, "" for nothing
}

// Act is what is to be done: a note to show, in the place of the session's
// earlier one, or with Withdraw one to take back.
type Act struct {
	Note     Note
	Withdraw bool
}

// Session is what counts of a session at one moment.
type Session struct {
	ID, Link  string
	Title     string // as people see it
	Agent     string // display name
	Plain     bool   // no agent: nobody is told but what it asks for itself
	Over      bool
	State     string // working, needs-you, done, idle
	Since     time.Time
	Turn      int // turns begun
	Asked     int // questions raised
	Question  string
	Error     string
	Edge      bool // it only rang, and waits for nothing
	Watched   bool // somebody looks at it now
	Confirmed bool // its end is not concluded from silence alone
}

// Rule is what was told of each session. The zero value has told nothing.
type Rule struct {
	// After is the shortest turn whose end is told.
	After time.Duration

	byID map[string]*told
}

// told is what is known of one session's notifications.
type told struct {
	state string
	turn  int
	asked int
	since time.Time // when the present state began
	began time.Time // the present turn
	shown string    // the kind of the note that stands; "" for none
	rang  time.Time // when it last asked by itself
}

// ownRing is how long after a program's own message its session's status of
// the same is not told again.
const ownRing = 2 * time.Second

// See takes a session as it is now. The first sight of one tells nothing: what
// was so before is no news.
func (r *Rule) See(s Session, now time.Time) []Act {
	if r.byID == nil {
		r.byID = map[string]*told{}
	}
	t, known := r.byID[s.ID]
	if s.Over {
		delete(r.byID, s.ID)
		return withdraw(t, s)
	}
	if !known {
		t = &told{state: s.State, turn: s.Turn, asked: s.Asked, since: s.Since}
		if s.State == "working" {
			t.began = s.Since
		}
		r.byID[s.ID] = t
		return nil
	}
	before := *t
	if s.Turn != before.turn || s.State == "working" && t.began.IsZero() {
		t.began = s.Since
	}
	t.state, t.turn, t.asked, t.since = s.State, s.Turn, s.Asked, s.Since
	if s.Watched {
		return withdraw(t, s)
	}
	fresh := before.state != s.State || !before.since.Equal(s.Since) || before.turn != s.Turn
	switch {
	case s.State == "needs-you" && (fresh || s.Asked > before.asked):
		if s.Edge && (s.Plain || now.Sub(t.rang) < ownRing) {
			return nil
		}
		return t.show(s, NeedsYou, s.Question)
	case s.State == "done" && fresh:
		if s.Plain || t.began.IsZero() || s.Since.Sub(t.began) < r.After {
			return withdraw(t, s) // a question of the same turn is over
		}
		return t.show(s, Done, s.Error)
	case s.State == "needs-you" || s.State == "done" || t.shown == Message && before.state != "needs-you" && before.state != "done":
		return nil // nothing new, or a message that nobody has seen
	}
	return withdraw(t, s)
}

// Knows tells whether a session was seen before.
func (r *Rule) Knows(id string) bool { return r.byID[id] != nil }

// Ask is a program's own wish to be looked at; it is told whatever the session
// does, but not to one who looks at it.
func (r *Rule) Ask(s Session, title, text string, now time.Time) []Act {
	if r.byID == nil {
		r.byID = map[string]*told{}
	}
	t := r.byID[s.ID]
	if t == nil {
		t = &told{state: s.State, turn: s.Turn, asked: s.Asked, since: s.Since}
		r.byID[s.ID] = t
	}
	t.rang = now
	if s.Watched {
		return nil
	}
	n := s.note(Message, text)
	if title != "" {
		n.Title = Line(title, maxTitle)
	}
	t.shown = Message
	return []Act{{Note: n}}
}

func (t *told) show(s Session, kind, text string) []Act {
	t.shown = kind
	return []Act{{Note: s.note(kind, text)}}
}

func withdraw(t *told, s Session) []Act {
	if t == nil || t.shown == "" {
		return nil
	}
	n := s.note(t.shown, "")
	t.shown = ""
	return []Act{{Note: n, Withdraw: true}}
}

// Bounds of a note's texts, in characters.
const (
	maxTitle = 120
	maxText  = 400
)

func (s Session) note(kind, text string) Note {
	title, what := s.Title, ""
	switch {
	case kind == NeedsYou && s.Edge:
		what = "wants you to look"
	case kind == NeedsYou:
		what = "needs you"
	case kind == Done && s.Error != "":
		what = "failed"
	case kind == Done && !s.Confirmed:
		what = "seems done"
	case kind == Done:
		what = "is done"
	}
	if title == "" {
		title = s.Agent
	} else if s.Agent != "" && s.Agent != title && what != "" {
		what += " (" + s.Agent + ")"
	}
	return Note{Session: s.ID, Link: s.Link, Kind: kind, Title: Line(title+" "+what, maxTitle), Text: lines(text, maxText)}
}

// Line is text on one line of at most n characters, without what could steer a
// terminal.
func Line(text string, n int) string {
	return short(strings.Join(strings.FieldsFunc(text, func(c rune) bool { return unicode.IsControl(c) || unicode.IsSpace(c) || hidden(c) }), " "), n)
}

// lines keeps the end of text, where a question stands, with its line breaks
// but no empty lines.
func lines(text string, n int) string {
	var kept []string
	for line := range strings.Lines(text) {
		if line = Line(line, n); line != "" {
			kept = append(kept, line)
		}
	}
	for len(kept) > 1 && len([]rune(strings.Join(kept, "\n"))) > n {
		kept = kept[1:]
	}
	return strings.Join(kept, "\n")
}

// hidden are characters that turn the direction of others.
func hidden(c rune) bool {
	return c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069 || c == 0x200e || c == 0x200f || c == 0x2028 || c == 0x2029
}

func short(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return strings.TrimSpace(string(r[:n-1])) + "…"
	}
	return text
}
