package notify

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Each script is a session's life; what is told is in the margin.
func TestRule(t *testing.T) {
	type step struct {
		at       float64 // seconds
		state    string
		turn     int
		asked    int
		question string
		watched  bool
		edge     bool
		plain    bool
		over     bool
		err      string
		ask      string // the program's own message
		want     string // kind: text, or -kind for one taken back
	}
	for name, script := range map[string][]step{
		"a question, seen": {
			{at: 0, state: "idle"},
			{at: 1, state: "working", turn: 1},
			{at: 2, state: "needs-you", turn: 1, asked: 1, question: "may I?", want: "needs-you: may I?"},
			{at: 2, state: "needs-you", turn: 1, asked: 1, question: "may I?"},
			{at: 5, state: "needs-you", turn: 1, asked: 1, question: "may I?", watched: true, want: "-needs-you"},
			{at: 9, state: "working", turn: 1, asked: 1},
		},
		"another question in the place of the first": {
			{at: 0, state: "working", turn: 1},
			{at: 2, state: "needs-you", turn: 1, asked: 1, question: "one", want: "needs-you: one"},
			{at: 2, state: "needs-you", turn: 1, asked: 2, question: "two", want: "needs-you: two"},
			{at: 8, state: "working", turn: 1, asked: 2, want: "-needs-you"},
		},
		"a long turn, looked at later": {
			{at: 0, state: "idle"},
			{at: 1, state: "working", turn: 1},
			{at: 12, state: "done", turn: 1, want: "done: "},
			{at: 20, state: "idle", turn: 1, want: "-done"},
		},
		"a short turn": {
			{at: 0, state: "idle"},
			{at: 1, state: "working", turn: 1},
			{at: 10.9, state: "done", turn: 1},
			{at: 20, state: "idle", turn: 1},
		},
		"a turn of just ten seconds": {
			{at: 0, state: "idle"},
			{at: 1, state: "working", turn: 1},
			{at: 11, state: "done", turn: 1, want: "done: "},
		},
		"the time of a question counts": {
			{at: 0, state: "idle"},
			{at: 1, state: "working", turn: 1},
			{at: 2, state: "needs-you", turn: 1, asked: 1, want: "needs-you: "},
			{at: 10, state: "working", turn: 1, asked: 1, want: "-needs-you"},
			{at: 11, state: "done", turn: 1, asked: 1, want: "done: "},
		},
		"a short turn takes its question back": {
			{at: 0, state: "idle"},
			{at: 1, state: "working", turn: 1},
			{at: 2, state: "needs-you", turn: 1, asked: 1, want: "needs-you: "},
			{at: 3, state: "done", turn: 1, asked: 1, want: "-needs-you"},
		},
		"the second turn is measured by itself": {
			{at: 0, state: "idle"},
			{at: 1, state: "working", turn: 1},
			{at: 30, state: "done", turn: 1, want: "done: "},
			{at: 31, state: "working", turn: 2, want: "-done"},
			{at: 33, state: "done", turn: 2},
		},
		"a failed turn says why": {
			{at: 0, state: "working", turn: 1},
			{at: 12, state: "done", turn: 1, err: "the model is away", want: "done: the model is away"},
		},
		"quiet while it is looked at": {
			{at: 0, state: "idle", watched: true},
			{at: 1, state: "working", turn: 1, watched: true},
			{at: 2, state: "needs-you", turn: 1, asked: 1, watched: true},
			{at: 3, state: "working", turn: 1, asked: 1, watched: true},
			{at: 33, state: "done", turn: 1, asked: 1, watched: true},
		},
		"what was so at first sight is no news": {
			{at: 0, state: "needs-you", turn: 3, asked: 2, question: "old"},
			{at: 1, state: "needs-you", turn: 3, asked: 2, question: "old"},
			{at: 2, state: "working", turn: 3, asked: 2},
			{at: 3, state: "needs-you", turn: 3, asked: 3, question: "new", want: "needs-you: new"},
		},
		"a turn that ran at first sight": {
			{at: 0, state: "working", turn: 3},
			{at: 10, state: "done", turn: 3, want: "done: "},
		},
		"a plain terminal": {
			{at: 0, state: "idle", plain: true},
			{at: 1, state: "working", turn: 1, plain: true},
			{at: 60, state: "done", turn: 1, plain: true},
			{at: 61, state: "needs-you", turn: 1, asked: 1, edge: true, plain: true},
			{at: 62, state: "needs-you", turn: 1, asked: 1, edge: true, plain: true, ask: "built", want: "message: built"},
		},
		"a program's own message, and its ring": {
			{at: 0, state: "working", turn: 1},
			{at: 1, state: "working", turn: 1, ask: "look", want: "message: look"},
			{at: 1, state: "working", turn: 1},
			{at: 1, state: "needs-you", turn: 1, asked: 1, edge: true},
			{at: 9, state: "idle", turn: 1, asked: 1, want: "-message"},
		},
		"a program's own message to one who looks": {
			{at: 0, state: "working", turn: 1, watched: true},
			{at: 1, state: "working", turn: 1, watched: true, ask: "look"},
		},
		"its end takes a note back": {
			{at: 0, state: "working", turn: 1},
			{at: 2, state: "needs-you", turn: 1, asked: 1, want: "needs-you: "},
			{at: 3, over: true, want: "-needs-you"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := Rule{After: 10 * time.Second}
			begin := time.Unix(1000, 0)
			var since time.Time
			last := ""
			for i, s := range script {
				now := begin.Add(time.Duration(s.at * float64(time.Second)))
				if s.state != last {
					last, since = s.state, now
				}
				v := Session{
					ID: "1", Title: "t", Agent: "A", Plain: s.plain, Over: s.over, State: s.state, Since: since, Turn: s.turn,
					Asked: s.asked, Question: s.question, Error: s.err, Edge: s.edge, Watched: s.watched, Confirmed: true,
				}
				var acts []Act
				if s.ask != "" {
					acts = r.Ask(v, "", s.ask, now)
				} else {
					acts = r.See(v, now)
				}
				var got []string
				for _, a := range acts {
					if a.Withdraw {
						got = append(got, "-"+a.Note.Kind)
					} else {
						got = append(got, a.Note.Kind+": "+a.Note.Text)
					}
				}
				if d := cmp.Diff(s.want, strings.Join(got, ", ")); d != "" {
					t.Fatalf("step %d: %s", i, d)
				}
			}
		})
	}
}

func TestNoteTexts(t *testing.T) {
	s := Session{ID: "1", Title: "fix\x1b]0;x\x07 the \u202etest", Agent: "Codex", Confirmed: true}
	if n := s.note(NeedsYou, "one\n\n  two\x1b[31m\r\nthree"); n.Title != "fix ]0;x the test needs you (Codex)" || n.Text != "one\ntwo [31m\nthree" {
		t.Errorf("%+v", n)
	}
	s.Title = strings.Repeat("long ", 100)
	if n := s.note(Done, strings.Repeat("first\n", 200)+"the question"); len([]rune(n.Title)) > maxTitle || len([]rune(n.Text)) > maxText || !strings.HasSuffix(n.Text, "the question") {
		t.Errorf("%d %d %q", len(n.Title), len(n.Text), n.Text)
	}
}
