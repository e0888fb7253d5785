package resume

import (
	"fmt"
	"slices"
	"strings"
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

// Seeker is a session of an agent that mints its own ids: one that looks for
// its conversation, or one that may have made a record that another looks for.
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
	// Bound is the conversation that was discovered before, or that is known
	// otherwise (Exact).
	Bound string
	// Named are the conversations that its own agent has named since then in
	// reports that bind nothing by themselves.
	Named []string
	// Exact marks one whose conversation is known without its store, and Rival
	// one that does not look for any: they only may have made others' records.
	Exact, Rival bool
	// Unsure marks one that could not be asked: what was submitted to it is not
	// known.
	Unsure bool
}

// seeks tells that something is to be decided for it.
func (s Seeker) seeks() bool { return !s.Exact && !s.Rival && !s.Unsure }

// anytime tells that it may have made a record at any moment since its launch.
func (s Seeker) anytime() bool { return s.Rival || s.Unsure }

// The windows in which a record's birth must lie.
const (
	slack        = 50 * time.Millisecond // before: a file system's clock stands still between two ticks
	roughSlack   = 2 * time.Second       // for a stamp in whole seconds
	birthWindow  = 30 * time.Second      // after the launch or a prompt: agents start slowly
	rotateWindow = 10 * time.Second      // after a prompt: one that has a record already makes another
	startsFor    = 10 * time.Second      // after a launch: an agent may still be busy with it
	// A record that another session may have made is nobody's, so that doubt
	// reaches further: a busy machine starts agents very slowly.
	rivalStart  = 2 * time.Minute // after a launch
	rivalPrompt = 5 * time.Minute // after a prompt
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
//
// The seekers must be known later than the records: one of which a prompt is not
// known yet may have made a record that is there already.
func Match(records []Record, seekers []Seeker, taken func(id string) bool) []Verdict {
	m := matcher{taken: taken, seekers: slices.Clone(seekers), habit: habitOf(records, seekers)}
	for _, r := range records {
		if !r.Child && !taken(r.ID) && !continued(seekers, r) {
			m.records = append(m.records, r)
		}
	}
	given := map[string]string{} // record's id -> session
	for i, s := range m.seekers {
		if own := m.shown(s); len(own) == 1 {
			given[own[0].ID] = s.Session
			m.seekers[i].Bound = own[0].ID
		}
	}
	for _, s := range m.seekers {
		if s.Bound != "" || len(s.Named) > 0 || !s.seeks() || len(m.shown(s)) > 0 {
			continue
		}
		if own := m.expected(s); len(own) == 1 && m.only(s, own[0]) {
			given[own[0].ID] = s.Session
		}
	}
	var out []Verdict
	for _, s := range m.seekers {
		if !s.seeks() {
			continue
		}
		if v, ok := m.verdict(s, given); ok {
			out = append(out, v)
		}
	}
	return out
}

// continued reports whether a session was launched into the record, so that it is
// certainly its own.
func continued(seekers []Seeker, r Record) bool {
	return slices.ContainsFunc(seekers, func(s Seeker) bool {
		return s.Bound == r.ID && !s.Turned && r.Birth.Before(s.Launched.Add(-r.slack()))
	})
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
// made at a launch settles it; one that was made after a prompt tells nothing
// where the agent may not have been ready for it.
func habitOf(records []Record, seekers []Seeker) habit {
	found := unknownHabit
	for _, s := range seekers {
		if s.anytime() {
			continue
		}
		for _, r := range records {
			if s.Bound == "" || r.ID != s.Bound || s.Turned || r.Birth.Before(s.Launched.Add(-r.slack())) {
				continue
			}
			if len(s.Prompts) == 0 || r.Birth.Before(s.Prompts[0].Add(-slack)) {
				return atLaunch
			}
			if s.Prompts[0].Sub(s.Launched) >= startsFor && !earlier(records, s) {
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
	there := r.Dir == s.Dir || s.Rival && below(r.Dir, s.Dir)
	return there && !old && (r.Holder == "" || r.Holder == s.Session) && !r.Birth.Before(s.Launched.Add(-r.slack()))
}

// below reports whether a directory is one below another.
func below(dir, above string) bool {
	return strings.HasPrefix(dir, strings.TrimSuffix(above, "/")+"/")
}

// shown are the records of which something else than their time shows that they
// are the session's: its own processes have them open, or its agent named them
// and no other has.
func (m *matcher) shown(s Seeker) []Record {
	if !s.seeks() {
		return nil
	}
	if held := m.held(s); len(held) > 0 {
		return held
	}
	var out []Record
	for _, r := range m.records {
		if r.Holder == "" && possible(s, r) && slices.Contains(s.Named, r.ID) && !m.namedBeside(s, r) {
			out = append(out, r)
		}
	}
	return out
}

// namedBeside reports whether the agent of another session has named a record.
func (m *matcher) namedBeside(s Seeker, r Record) bool {
	return slices.ContainsFunc(m.seekers, func(o Seeker) bool {
		return o.Session != s.Session && slices.Contains(o.Named, r.ID)
	})
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
		if possible(s, r) && !m.namedBeside(s, r) && m.expects(s, r, birthWindow, birthWindow) {
			out = append(out, r)
		}
	}
	return out
}

// expects reports whether a session without a record may have made r, within
// these times of its launch and of a prompt.
func (m *matcher) expects(s Seeker, r Record, start, prompt time.Duration) bool {
	if m.habit != atPrompt && within(r, s.Launched, start) {
		return true
	}
	for _, p := range s.Prompts {
		if within(r, p, prompt) {
			return true
		}
	}
	return false
}

// rivals reports whether another session without a record may have made r. One
// whose agent names its conversations makes none that it does not name.
func (m *matcher) rivals(o Seeker, r Record) bool {
	if o.anytime() {
		return possible(o, r)
	}
	if o.Bound != "" || !possible(o, r) || len(o.Named) > 0 && !slices.Contains(o.Named, r.ID) && !m.unseen(o) {
		return false
	}
	return m.expects(o, r, rivalStart, rivalPrompt)
}

// unseen reports whether an agent has named none of the records that are there.
func (m *matcher) unseen(s Seeker) bool {
	return !slices.ContainsFunc(m.records, func(r Record) bool { return slices.Contains(s.Named, r.ID) })
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
		if m.rivals(o, r) {
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
	shown := m.shown(s)
	if len(shown) == 1 {
		return Verdict{Session: s.Session, ID: shown[0].ID, Path: shown[0].Path}, true
	}
	if len(shown) > 1 {
		if len(m.held(s)) == 0 && slices.Contains(s.Named, s.Bound) {
			return out, false // a hook that binds will tell whether it went on
		}
		out.Why = fmt.Sprintf("its agent has %d conversations open", len(shown))
		return out, true
	}
	if s.Bound != "" && len(s.Named) > 0 && !slices.Contains(s.Named, s.Bound) {
		out.Why = "its agent is in another conversation, which is not in its store"
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
	if len(s.Named) > 0 {
		return out, false // it will appear
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
