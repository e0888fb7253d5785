package resume

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// world is a fleet of one agent in one directory, as it really goes: nobody but
// the test knows which session made which record.
type world struct {
	rng      *rand.Rand
	sessions []*resident
	rows     []row
}

type resident struct {
	name     string
	launched float64
	prompts  []float64
	hooks    float64 // how late its hooks name its conversation; negative: never
	outside  bool    // nobody hosts it
	stalls   bool    // it cannot always be asked
	bound    string
}

// row is a record, and when it can be seen.
type row struct {
	id, owner   string
	born, shown float64
}

// newWorld lets n agents be launched and prompted close together. Records appear
// in the store a while after they were made, in any order. If together, all are
// prompted at the same time, long after they were launched.
func newWorld(seed uint64, n int, together bool) *world {
	w := &world{rng: rand.New(rand.NewPCG(seed, 7))}
	atLaunch := w.rng.IntN(3) == 0
	hooks := w.rng.IntN(3) // none, all, some
	t := 0.0
	for i := range n {
		t += w.rng.Float64() * []float64{0.2, 2, 30}[w.rng.IntN(3)]
		s := &resident{name: fmt.Sprint("s", i), launched: t, hooks: -1, outside: w.rng.IntN(12) == 0, stalls: w.rng.IntN(6) == 0}
		if hooks == 1 || hooks == 2 && w.rng.IntN(2) == 0 {
			s.hooks = w.rng.Float64() * 20
		}
		ready := t + w.rng.Float64()*[]float64{2, 50}[w.rng.IntN(2)]
		if together {
			ready = max(t, 250) + w.rng.Float64()*2
		}
		if w.rng.IntN(8) > 0 {
			s.prompts = []float64{ready, ready + 20 + w.rng.Float64()*60}
		}
		made := t + w.rng.Float64()*5
		if !atLaunch {
			if len(s.prompts) == 0 {
				w.sessions = append(w.sessions, s)
				continue
			}
			made = s.prompts[0] + w.rng.Float64()*[]float64{0.5, 8}[w.rng.IntN(2)]
		}
		w.rows = append(w.rows, row{id: "of-" + s.name, owner: s.name, born: made, shown: made + w.rng.Float64()*[]float64{0.1, 4}[w.rng.IntN(2)]})
		w.sessions = append(w.sessions, s)
	}
	return w
}

// records are what a look at a time finds.
func (w *world) records(t float64) (out []Record) {
	for _, r := range w.rows {
		if r.shown <= t {
			out = append(out, record(r.id, r.born))
		}
	}
	return out
}

// seekers are what the sessions say when they are asked at a time.
func (w *world) seekers(t float64) (out []Seeker) {
	for _, s := range w.sessions {
		if s.launched > t {
			continue
		}
		one := seeker(s.name, s.launched).bound(s.bound)
		one.Rival = s.outside
		one.Unsure = s.stalls && w.rng.IntN(3) == 0
		for _, p := range s.prompts {
			if p <= t && !one.Unsure {
				one.Prompts = append(one.Prompts, at(p))
			}
		}
		for _, r := range w.rows {
			if r.owner == s.name && s.hooks >= 0 && r.born+s.hooks <= t {
				one.Named = []string{r.id}
			}
		}
		out = append(out, one)
	}
	return out
}

// live lets the coordinator look again and again, and gives the wrong bindings
// and the sessions that are bound at the end. asked is how much later than the
// records the sessions are asked.
func (w *world) live(asked float64) (wrong []string, bound int) {
	for t := 0.0; t < 400; t += 0.25 + 2*w.rng.Float64() {
		records := w.records(t)
		for _, v := range Match(records, w.seekers(t+asked), func(string) bool { return false }) {
			i := slices.IndexFunc(w.sessions, func(s *resident) bool { return s.name == v.Session })
			s := w.sessions[i]
			if v.ID != "" && v.ID != s.bound && v.ID != "of-"+s.name {
				wrong = append(wrong, fmt.Sprintf("at %.1f %s is given %s", t, s.name, v.ID))
			}
			if v.ID != "" || v.Why != "" {
				s.bound = v.ID
			}
		}
	}
	for _, s := range w.sessions {
		if s.bound != "" {
			bound++
		}
	}
	return wrong, bound
}

// worlds is how many are tried.
const worlds = 60

// TestMatchInAFleet: twelve of one agent in one directory, launched and prompted
// close together, their records and hooks late, some of them nobody's here. None
// is ever given another's, and each whose hooks name its conversation has it.
func TestMatchInAFleet(t *testing.T) {
	guessed, known, could := 0, 0, 0
	for seed := range uint64(worlds) {
		w := newWorld(seed, 12, seed%3 == 0)
		wrong, bound := w.live(0.3)
		if len(wrong) > 0 {
			t.Fatalf("seed %d: %v", seed, wrong)
		}
		for _, s := range w.sessions {
			made := slices.ContainsFunc(w.rows, func(r row) bool { return r.owner == s.name })
			if s.hooks >= 0 && made && !s.outside {
				could++
				if s.bound == "of-"+s.name {
					known++
				} else {
					t.Errorf("seed %d: %s is not in the conversation that its hooks name: %q", seed, s.name, s.bound)
				}
			}
		}
		guessed += bound
	}
	if could == 0 {
		t.Error("no hooks named anything")
	}
	t.Logf("%d by hooks of %d, %d by their time", known, could, guessed-known)
}

// TestMatchAskedTooEarly: sessions that were asked before the records were read
// are given others'. This is why the order counts, and shows that the world
// above would catch it.
func TestMatchAskedTooEarly(t *testing.T) {
	for seed := range uint64(worlds) {
		if wrong, _ := newWorld(seed, 3, true).live(-1); len(wrong) > 0 {
			return
		}
	}
	t.Error("nothing went wrong in any world")
}

// TestMatchNamed: what an agent names decides, where its store has it.
func TestMatchNamed(t *testing.T) {
	named := func(s Seeker, ids ...string) Seeker { s.Named = ids; return s }
	exact := func(s Seeker) Seeker { s.Exact = true; return s }
	unsure := func(s Seeker) Seeker { s.Unsure = true; return s }
	rival := func(s Seeker) Seeker { s.Rival = true; return s }
	two := []Record{record("r1", 1), record("r2", 2)}
	old := []Record{record("r0", -100), record("r1", 1)}
	for _, c := range []struct {
		name    string
		records []Record
		seekers []Seeker
		want    string
	}{
		{"both", two, []Seeker{named(seeker("a", 0, 0.5), "r2"), named(seeker("b", 0, 0.5), "r1")}, "a=r2 b=r1"},
		{"one, and so the other", two, []Seeker{named(seeker("a", 0, 0.5), "r2"), seeker("b", 0, 0.5)}, "a=r2 b=r1"},
		{"both the same", two, []Seeker{named(seeker("a", 0, 0.5), "r2"), named(seeker("b", 0, 0.5), "r2")}, ""},
		{"none that is there", two, []Seeker{named(seeker("a", 0, 0.5), "r9")}, ""},
		{"an old one", old, []Seeker{named(seeker("a", 0, 0.5), "r0")}, ""},
		{"two at once", two, []Seeker{named(seeker("a", 0, 0.5), "r1", "r2")}, "a?"},
		{"another than was found", two, []Seeker{named(seeker("a", 0, 0.5), "r2").bound("r1")}, "a=r2"},
		{"another, which is not there", two, []Seeker{named(seeker("a", 0, 0.5), "r9").bound("r1")}, "a?"},
		{"one more than was found", two, []Seeker{named(seeker("a", 0, 0.5), "r1", "r2").bound("r1")}, ""},
		{"one that is known may have made another", []Record{record("r2", 8)}, []Seeker{exact(seeker("a", -99, 7).bound("r1")), seeker("b", 5, 6)}, "b?"},
		{"one that is known, at rest", []Record{record("r2", 8)}, []Seeker{exact(seeker("a", -99, -90).bound("r1")), seeker("b", 5, 6)}, "b=r2"},
		{"one that was not heard", two[1:], []Seeker{unsure(seeker("a", 0)), seeker("b", 1)}, "b?"},
		{"one that was not heard, and has one", two[1:], []Seeker{unsure(seeker("a", 0).bound("r1")), seeker("b", 1)}, "b?"},
		{"launched later and not heard", two[1:], []Seeker{unsure(seeker("a", 3)), seeker("b", 1)}, "b=r2"},
		{"nobody's here", two[1:], []Seeker{rival(seeker("x", -50)), seeker("b", 1)}, "b?"},
		{"nobody's here, above", two[1:], []Seeker{rival(seeker("x", -50).in("/")), seeker("b", 1)}, "b?"},
		{"nobody's here, beside", two[1:], []Seeker{rival(seeker("x", -50).in("/pp")), seeker("b", 1)}, "b=r2"},
		{"a very slow start", []Record{record("r1", 70)}, []Seeker{seeker("a", 0), seeker("b", 60)}, "b?"},
	} {
		if got := verdicts(Match(c.records, c.seekers, func(string) bool { return false })); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
