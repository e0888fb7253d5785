package resume

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }

func record(id string, birth float64) Record { return Record{ID: id, Dir: "/p", Birth: at(birth)} }

func seeker(name string, launched float64, prompts ...float64) Seeker {
	s := Seeker{Session: name, Dir: "/p", Launched: at(launched)}
	for _, p := range prompts {
		s.Prompts = append(s.Prompts, at(p))
	}
	return s
}

func (s Seeker) bound(id string) Seeker   { s.Bound = id; return s }
func (s Seeker) turned() Seeker           { s.Turned = true; return s }
func (s Seeker) in(dir string) Seeker     { s.Dir = dir; return s }
func (r Record) in(dir string) Record     { r.Dir = dir; return r }
func (r Record) held(by string) Record    { r.Holder = by; return r }
func (r Record) seen(at time.Time) Record { r.Seen = at; return r }

func TestMatch(t *testing.T) {
	child := record("r1", 1)
	child.Child = true
	elsewhere := record("r1", 1)
	elsewhere.Dir = "/q"
	rough := record("r1", -1.5)
	rough.Rough = true
	ended := seeker("a", 0)
	ended.Ended = at(2)
	for _, c := range []struct {
		name    string
		records []Record
		seekers []Seeker
		taken   string
		want    string // "session=id", "session?" for a reason, sorted
	}{
		{"its own", []Record{record("r1", 1)}, []Seeker{seeker("a", 0)}, "", "a=r1"},
		{"at its first prompt, much later", []Record{record("r1", 3601)}, []Seeker{seeker("a", 0, 3600)}, "", "a=r1"},
		{"nobody prompted it", []Record{record("r1", 3601)}, []Seeker{seeker("a", 0)}, "", ""},
		{"older than the launch", []Record{record("r1", -1)}, []Seeker{seeker("a", 0)}, "", ""},
		{"its stamp has whole seconds only", []Record{rough}, []Seeker{seeker("a", 0)}, "", "a=r1"},
		{"another directory", []Record{elsewhere}, []Seeker{seeker("a", 0)}, "", ""},
		{"a sub-agent's", []Record{child}, []Seeker{seeker("a", 0)}, "", ""},
		{
			"habit: another session's second record says nothing",
			[]Record{record("rA", 0.5), record("rB", 3.5), record("r9", 4).in("/q")},
			[]Seeker{seeker("a", 0, 2), seeker("b", 3, 5), seeker("x", 1, 3.8).in("/q").bound("r9").turned()},
			"", "a? b? x=r9",
		},
		{
			"habit: nor does one that it may have gone to by a key",
			[]Record{record("rA", 0.5), record("rB", 3.5), record("r8", 1.5).in("/q"), record("r9", 4).in("/q")},
			[]Seeker{seeker("a", 0, 2), seeker("b", 3, 5), seeker("x", 1, 3.8).in("/q").bound("r9")},
			"", "a? b? x?",
		},
		{
			"habit: at the first prompt",
			[]Record{record("rA", 2.5), record("r9", 14).in("/q")},
			[]Seeker{seeker("a", 0, 2), seeker("b", 1), seeker("x", 1, 13.8).in("/q").bound("r9")},
			"", "a=rA x=r9",
		},
		{
			"habit: a prompt right after the launch tells nothing",
			[]Record{record("rA", 2.5), record("r9", 4).in("/q")},
			[]Seeker{seeker("a", 0, 2), seeker("b", 1), seeker("x", 1, 3.8).in("/q").bound("r9")},
			"", "a? b? x=r9",
		},
		{"claimed", []Record{record("r1", 1)}, []Seeker{seeker("a", 0)}, "r1", ""},
		{"rewritten, and so born again", []Record{record("r1", 1).seen(at(-9))}, []Seeker{seeker("a", 0)}, "", ""},
		{"after its end", []Record{record("r1", 3)}, []Seeker{ended}, "", ""},
		{"two candidates", []Record{record("r1", 1), record("r2", 2)}, []Seeker{seeker("a", 0)}, "", "a?"},
		{"two sessions, one record", []Record{record("r1", 1)}, []Seeker{seeker("a", 0), seeker("b", 0.5)}, "", "a? b?"},
		{"two sessions at once", []Record{record("r1", 1), record("r2", 2)}, []Seeker{seeker("a", 0), seeker("b", 0.5)}, "", "a? b?"},
		{"the files are held open", []Record{record("r1", 1).held("b"), record("r2", 2).held("a")}, []Seeker{seeker("a", 0), seeker("b", 0.5)}, "", "a=r2 b=r1"},
		{"a stranger holds it", []Record{record("r1", 1).held(Stranger)}, []Seeker{seeker("a", 0)}, "", ""},
		{"a stranger's beside its own", []Record{record("r1", 1).held(Stranger), record("r2", 2)}, []Seeker{seeker("a", 0)}, "", "a=r2"},
		{"a second one opened later", []Record{record("r1", 1), record("r2", 61)}, []Seeker{seeker("a", 0).bound("r1"), seeker("b", 60)}, "", "a=r1 b=r2"},
		{"a second one opened while the first is prompted", []Record{record("r1", 1), record("r2", 11)}, []Seeker{seeker("a", 0, 9).bound("r1"), seeker("b", 10)}, "", "a=r1 b=r2"},
		{"agents that write at a prompt", []Record{record("r1", 15.1), record("r2", 18.1)}, []Seeker{seeker("a", 0, 15).bound("r1"), seeker("b", 1, 18)}, "", "a=r1 b=r2"},
		{"a rotation is not the other's", []Record{record("r1", 15.1), record("r2", 18.1)}, []Seeker{seeker("a", 0, 15, 18).bound("r1"), seeker("b", 17)}, "", "a?"},
		{"a late second candidate takes the binding back", []Record{record("r1", 1), record("r2", 2)}, []Seeker{seeker("a", 0).bound("r1")}, "", "a?"},
		{"rotated without a word", []Record{record("r1", 1), record("r2", 101)}, []Seeker{seeker("a", 0, 100).bound("r1")}, "", "a?"},
		{"rotated, and held open", []Record{record("r1", 1), record("r2", 101).held("a")}, []Seeker{seeker("a", 0, 100).bound("r1")}, "", "a=r2"},
		{"a continued one rotates", []Record{record("r2", 101)}, []Seeker{seeker("a", 0, 100).bound("r1")}, "", "a?"},
		{"one that another was launched into again", []Record{record("r1", 1), record("r2", 2)}, []Seeker{seeker("a", 50).bound("r1"), seeker("b", 0, 1.5)}, "", "b=r2"},
		{"somebody else's, long after any prompt", []Record{record("r1", 1), record("r2", 500)}, []Seeker{seeker("a", 0, 100).bound("r1")}, "", "a=r1"},
	} {
		if got := verdicts(Match(c.records, c.seekers, func(id string) bool { return id == c.taken })); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// verdicts is what Match decided: "session=id", or "session?" for a reason.
func verdicts(found []Verdict) string {
	var out []string
	for _, v := range found {
		switch {
		case v.ID != "":
			out = append(out, v.Session+"="+v.ID)
		case v.Why != "":
			out = append(out, v.Session+"?")
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// TestMatchNeverSharesARecord: whatever is there, two sessions get no one
// record, and none gets one that is not of its directory and time.
func TestMatchNeverSharesARecord(t *testing.T) {
	for seed := range 3000 {
		n := seed
		next := func(below int) int { n = (n*1103515245 + 12345) & 0x7fffffff; return n >> 8 % 31 % below }
		var records []Record
		var seekers []Seeker
		for i := range 1 + next(4) {
			r := record(fmt.Sprint("r", i), float64(next(60)))
			r.Holder = []string{"", "", "s0", "s1", Stranger}[next(5)]
			records = append(records, r)
		}
		for i := range 1 + next(4) {
			s := seeker(fmt.Sprint("s", i), float64(next(60)), float64(next(60)), float64(next(60)))
			seekers = append(seekers, s)
		}
		given := map[string]string{}
		for _, v := range Match(records, seekers, func(string) bool { return false }) {
			if v.ID == "" {
				continue
			}
			if by, ok := given[v.ID]; ok {
				t.Fatalf("seed %d: %s is given to %s and %s", seed, v.ID, by, v.Session)
			}
			given[v.ID] = v.Session
			i := slices.IndexFunc(seekers, func(s Seeker) bool { return s.Session == v.Session })
			j := slices.IndexFunc(records, func(r Record) bool { return r.ID == v.ID })
			if records[j].Birth.Before(seekers[i].Launched.Add(-slack)) || records[j].Holder != "" && records[j].Holder != v.Session {
				t.Fatalf("seed %d: %+v is given %+v", seed, seekers[i], records[j])
			}
		}
	}
}

func TestClaims(t *testing.T) {
	c := NewClaims([]Claim{
		{Session: "old", ID: "x", Since: at(1), Exact: true},
		{Session: "newer", ID: "x", Since: at(2)},
		{Session: "first", ID: "y", Since: at(1), Open: true},
		{Session: "second", ID: "y", Since: at(2), Open: true},
		{Session: "past", ID: "y", Since: at(9), Exact: true},
		{Session: "found", ID: "z", Since: at(1), Open: true},
		{Session: "named", ID: "z", Since: at(3), Open: true, Exact: true},
		{Session: "none", Since: at(1), Open: true},
	})
	for id, want := range map[string]string{"x": "newer", "y": "first", "z": "named"} {
		if got, ok := c.Owner(id); !ok || got.Session != want {
			t.Errorf("%s belongs to %+v, want %s", id, got, want)
		}
	}
	if _, ok := c.Owner(""); ok {
		t.Error("no conversation has an owner")
	}
	if _, taken := c.TakenFrom("newer", "x"); taken {
		t.Error("it is taken from its owner")
	}
	var contested []string
	for _, one := range c.Contested() {
		contested = append(contested, one.Session)
	}
	slices.Sort(contested)
	if !slices.Equal(contested, []string{"found", "second"}) {
		t.Errorf("contested: %v", contested)
	}
}
