package resume

import (
	"fmt"
	"slices"
	"time"
)

// Record is a conversation's record in the store of an agent that mints its
// own ids.
type Record struct {
	ID   string
	Path string // the file, or the database
	Dir  string // its working directory, symbolic links resolved
	// Birth is when the record was made: the file system's word, else the
	// record's own, else when it was first seen.
	Birth time.Time
	// Rough marks a birth that is known to the second only.
	Rough bool
	// Seen is when it was first seen, if that was noted.
	Seen time.Time
	// Child marks a sub-agent's.
	Child bool
	// Holder is the session whose processes have the file open, Stranger for
	// any other process, "" when nobody has or that cannot be known.
	Holder string
}

// Stranger is the Holder of a file that a process outside of every session has
// open.
const Stranger = "stranger"

// Seeker is a session of an agent that mints its own ids, of which no hook has
// told the conversation.
type Seeker struct {
	Session string
	Dir     string // symbolic links resolved
	// Launched is when its program was started, Prompts when something was
	// submitted to it.
	Launched time.Time
	Prompts  []time.Time
	// Turned tells that it left a conversation since it was launched; Launched
	// is when it did then.
	Turned bool
	// Ended is when a closed session certainly still ran; zero for a live one.
	Ended time.Time
	// Bound is the conversation that was discovered before.
	Bound string
}

// The windows in which a record's birth must lie.
const (
	slack        = 50 * time.Millisecond // before: a file system's clock stands still between two ticks
	roughSlack   = 2 * time.Second       // for a stamp in whole seconds
	birthWindow  = 30 * time.Second      // after the launch or a prompt: agents start slowly
	rotateWindow = 5 * time.Second       // after a prompt: one that has a record already makes another
)

// Verdict is what is known of a seeker's conversation.
type Verdict struct {
	Session string
	ID      string // "" for none
	Path    string
	Why     string // there are candidates, and none can be chosen
}

// When an agent makes its record.
type habit int

const (
	unknownHabit habit = iota
	atLaunch           // before anything was said
	atPrompt           // when something was
)

// Match binds records to seekers of one agent: a record to a session only
// where no other record could be that session's and no other session could be
// that record's. taken reports the ids that belong to other sessions, open or
// closed. There is a verdict for each seeker of which something can be said.
// It is a function of all that is known: called again with more, it may take a
// binding back.
func Match(records []Record, seekers []Seeker, taken func(id string) bool) []Verdict {
	m := matcher{taken: taken, seekers: seekers, habit: habitOf(records, seekers)}
	for _, r := range records {
		if !r.Child && !taken(r.ID) {
			m.records = append(m.records, r)
		}
	}
	given := map[string]string{} // record's id -> session
	for _, s := range seekers {
		if held := m.held(s); len(held) == 1 {
			given[held[0].ID] = s.Session
		}
	}
	for _, s := range seekers {
		if s.Bound != "" || len(m.held(s)) > 0 {
			continue
		}
		if own := m.expected(s); len(own) == 1 && m.only(s, own[0]) {
			given[own[0].ID] = s.Session
		}
	}
	var out []Verdict
	for _, s := range seekers {
		if v, ok := m.verdict(s, given); ok {
			out = append(out, v)
		}
	}
	return out
}

type matcher struct {
	records []Record
	seekers []Seeker
	taken   func(string) bool
	habit   habit
}

// habitOf learns from the sessions whose record is known when the agent makes
// one. Only a session's first record since its launch tells that: not one that
// it was continued with, and not one that it went to later. A record that was
// made at a launch settles it.
func habitOf(records []Record, seekers []Seeker) habit {
	found := unknownHabit
	for _, s := range seekers {
		for _, r := range records {
			if s.Bound == "" || r.ID != s.Bound || s.Turned || r.Birth.Before(s.Launched.Add(-r.slack())) {
				continue
			}
			if len(s.Prompts) == 0 || r.Birth.Before(s.Prompts[0].Add(-slack)) {
				return atLaunch
			}
			if !earlier(records, s) {
				found = atPrompt
			}
		}
	}
	return found
}

// earlier reports whether a record began in a session's directory between its
// launch and its first prompt: it may be the session's first.
func earlier(records []Record, s Seeker) bool {
	return slices.ContainsFunc(records, func(r Record) bool {
		return !r.Child && r.Dir == s.Dir && r.ID != s.Bound &&
			!r.Birth.Before(s.Launched.Add(-r.slack())) && r.Birth.Before(s.Prompts[0].Add(-slack))
	})
}

// possible is what a record must be whatever else is known.
func possible(s Seeker, r Record) bool {
	old := !r.Seen.IsZero() && r.Seen.Before(s.Launched) // a file that was rewritten is born again
	old = old || !s.Ended.IsZero() && r.Birth.After(s.Ended)
	return r.Dir == s.Dir && !old && (r.Holder == "" || r.Holder == s.Session) && !r.Birth.Before(s.Launched.Add(-r.slack()))
}

// held are the records that the session's own processes have open.
func (m *matcher) held(s Seeker) (out []Record) {
	for _, r := range m.records {
		if r.Holder == s.Session && possible(s, r) {
			out = append(out, r)
		}
	}
	return out
}

// expected are the records that may be the first of a session.
func (m *matcher) expected(s Seeker) (out []Record) {
	for _, r := range m.records {
		if possible(s, r) && m.expects(s, r) {
			out = append(out, r)
		}
	}
	return out
}

func (m *matcher) expects(s Seeker, r Record) bool {
	if m.habit != atPrompt && within(r, s.Launched, birthWindow) {
		return true
	}
	for _, p := range s.Prompts {
		if within(r, p, birthWindow) {
			return true
		}
	}
	return false
}

// How a session that has a record may have made another one too.
type suspicion int

const (
	none    suspicion = iota
	late              // its record and this one began at the same moment
	rotated           // something was submitted to it just before
)

// suspects tells whether a session that has a record may have made r too.
func (m *matcher) suspects(s Seeker, r Record) suspicion {
	if s.Bound == "" || r.ID == s.Bound || !possible(s, r) {
		return none
	}
	// One that was continued began long ago, and is not among the records.
	first, _ := m.byID(s.Bound)
	if first.Holder == s.Session {
		return none
	}
	found := none
	if m.habit != atPrompt && within(first, s.Launched, birthWindow) && within(r, s.Launched, birthWindow) {
		found = late
	}
	for _, p := range s.Prompts {
		switch own := within(first, p, birthWindow); {
		case own && within(r, p, birthWindow):
			found = max(found, late)
		case !own && r.Birth.After(first.Birth) && within(r, p, rotateWindow):
			found = rotated
		}
	}
	return found
}

func (m *matcher) byID(id string) (Record, bool) {
	for _, r := range m.records {
		if r.ID == id {
			return r, true
		}
	}
	return Record{}, false
}

// only reports whether no other session could be r's.
func (m *matcher) only(s Seeker, r Record) bool {
	if r.Holder == s.Session {
		return true
	}
	for _, o := range m.seekers {
		if o.Session == s.Session {
			continue
		}
		if o.Bound == r.ID {
			return false
		}
		if o.Bound == "" && possible(o, r) && m.expects(o, r) {
			return false
		}
		// An agent that makes its record at launch has made s's at launch.
		sure := m.habit == atLaunch && within(r, s.Launched, birthWindow)
		if m.suspects(o, r) == rotated && !sure {
			return false
		}
	}
	return true
}

func (m *matcher) verdict(s Seeker, given map[string]string) (Verdict, bool) {
	out := Verdict{Session: s.Session}
	held := m.held(s)
	if len(held) == 1 {
		return Verdict{Session: s.Session, ID: held[0].ID, Path: held[0].Path}, true
	}
	if len(held) > 1 {
		out.Why = fmt.Sprintf("its agent has %d conversations open", len(held))
		return out, true
	}
	if s.Bound != "" {
		for _, r := range m.records {
			if to, ok := given[r.ID]; m.suspects(s, r) != none && (!ok || to == s.Session) {
				out.Why = "a second conversation began in its directory, and nothing tells which is its own"
				return out, true
			}
		}
		r, ok := m.byID(s.Bound)
		return Verdict{Session: s.Session, ID: s.Bound, Path: r.Path}, ok
	}
	own := m.expected(s)
	for _, r := range own {
		if given[r.ID] == s.Session {
			return Verdict{Session: s.Session, ID: r.ID, Path: r.Path}, true
		}
	}
	var open []Record // that are nobody's for certain
	for _, r := range own {
		if _, ok := given[r.ID]; !ok {
			open = append(open, r)
		}
	}
	switch len(open) {
	case 0:
		return out, false
	case 1:
		out.Why = "a conversation that began in its directory may be another session's"
	default:
		out.Why = fmt.Sprintf("%d conversations began in its directory at the same time, and nothing tells which is its own", len(open))
	}
	return out, true
}

func (r Record) slack() time.Duration {
	if r.Rough {
		return roughSlack
	}
	return slack
}

// within reports whether r began at most d after from, or a little before it.
func within(r Record, from time.Time, d time.Duration) bool {
	return !from.IsZero() && !r.Birth.Before(from.Add(-r.slack())) && !r.Birth.After(from.Add(d))
}
