//go:build unix

package term

import (
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/status"
	"github.com/termio-sh/termio/vt"
)

// prompter simulates an agent with a prompt above a footer.
type prompter struct {
	*program
	above  string
	draft  string
	taken  int // bytes of got that are drawn
	enters int
	onKey  func(a *prompter) // what Enter does; nil begins a turn
}

func newPrompter(onEnter func(*prompter)) *prompter {
	a := &prompter{program: &program{tick: 10 * time.Millisecond, sight: sight{tells: true, state: status.Idle}}, above: "welcome", onKey: onEnter}
	a.drawPrompt()
	a.show = func(*program) {
		for _, c := range string(a.got[a.taken:]) {
			switch c {
			case '\r':
				a.enters++
				if a.onKey == nil {
					a.begins()
				} else {
					a.onKey(a)
				}
			case 0x15:
				a.draft = ""
			default:
				a.draft += string(c)
			}
		}
		a.taken = len(a.got)
		a.drawPrompt()
	}
	return a
}

func (a *prompter) drawPrompt() {
	a.draw(a.above + "\n────\n> " + a.draft + "\n────\n  ? help")
}

// submits takes the draft into the history above the prompt.
func (a *prompter) submits() {
	a.above, a.draft = a.above+"\n\n> "+a.draft+"\n", ""
}

func (a *prompter) begins() {
	a.submits()
	a.turn++
	a.state = status.Working
}

func (a *prompter) send(t *testing.T, text string) (*delivery, step) {
	t.Helper()
	d := testDelivery(text)
	d.plain = false
	r := isReady
	return d, a.run(t, d, &r)
}

// after calls f once, d after the first Enter.
func (a *prompter) after(d time.Duration, f func()) {
	var at time.Time
	a.each = func(p *program) {
		if at.IsZero() && a.enters > 0 {
			at = p.now.Add(d)
		}
		if f != nil && !at.IsZero() && !p.now.Before(at) {
			f()
			f = nil
			a.drawPrompt()
		}
	}
}

func TestSubmissionIsVerified(t *testing.T) {
	nothing := func(*prompter) {}
	yes, no := true, false
	for name, tc := range map[string]struct {
		enter     func(*prompter) // what Enter does
		change    func(*prompter) // before the delivery
		text      string
		enters    int
		submitted *bool
		fails     string
		most      time.Duration // from the first Enter to the end
	}{
		"a turn begins":              {submitted: &yes, enters: 1, most: 50 * time.Millisecond},
		"the text leaves, no status": {enter: (*prompter).submits, submitted: &yes, enters: 1, most: 200 * time.Millisecond},
		"a turn begins late": {enter: func(a *prompter) {
			if a.enters == 1 {
				a.after(1500*time.Millisecond, a.begins)
			}
		}, submitted: &yes, enters: 1, most: 1600 * time.Millisecond},
		"a question comes": {enter: func(a *prompter) {
			a.after(time.Second, func() { a.state, a.question = status.NeedsYou, a.now })
		}, submitted: &yes, enters: 1, most: 1100 * time.Millisecond},
		"Enter is lost once": {enter: func(a *prompter) {
			if a.enters > 1 {
				a.begins()
			}
		}, submitted: &yes, enters: 2, most: effectTime + 100*time.Millisecond},
		"Enter becomes a line break": {enter: func(a *prompter) {
			if a.draft += "\n  "; a.enters > 1 {
				a.begins()
			}
		}, submitted: &yes, enters: 2, most: effectTime + 100*time.Millisecond},
		"Enter becomes a line break twice": {enter: func(a *prompter) {
			if a.draft += "\n  "; a.enters > 2 {
				a.begins()
			}
		}, submitted: &no, enters: 2, fails: "stands in the prompt unsent", most: effectTime + secondTime + 100*time.Millisecond},
		"Enter becomes two rows": {enter: func(a *prompter) {
			if a.draft += "\n  \n  "; a.enters > 1 {
				a.begins()
			}
		}, submitted: &yes, enters: 2, most: effectTime + 100*time.Millisecond},
		"Enter becomes a line break, and a hint comes": {enter: func(a *prompter) {
			a.draft += "\n  \n────\nCtrl-J breaks the line"
		}, enters: 1, most: effectTime + 50*time.Millisecond},
		"a command moves up, and begins no turn": {
			enter: func(a *prompter) { a.submits(); a.above += "\nhere it is\n" }, submitted: &yes, enters: 1, most: 200 * time.Millisecond,
		},
		"Enter is lost twice": {enter: nothing, submitted: &no, enters: 2, fails: "stands in the prompt unsent", most: effectTime + secondTime + 100*time.Millisecond},
		"the text is gone for a moment only": {enter: func(a *prompter) {
			draft := a.draft
			a.draft = ""
			a.after(leftQuiet/2, func() { a.draft = draft })
		}, submitted: &no, enters: 2, fails: "unsent", most: effectTime + secondTime + 100*time.Millisecond},
		"the prompt is hidden while the conversation loads": {
			change: func(a *prompter) { a.loads = true },
			enter: func(a *prompter) {
				if a.enters > 1 {
					a.begins()
					return
				}
				draft := a.draft
				a.draft = ""
				a.after(4*time.Second, func() { a.draft, a.above = draft, "welcome\n\n> earlier\n" })
			},
			submitted: &yes, enters: 2, most: 4*time.Second + effectTime + 200*time.Millisecond,
		},
		"a turn begins when the conversation is loaded": {
			change: func(a *prompter) { a.loads = true },
			enter: func(a *prompter) {
				a.draft = ""
				a.after(4*time.Second, a.begins)
			},
			submitted: &yes, enters: 1, most: 4*time.Second + 200*time.Millisecond,
		},
		"it never comes back": {
			change: func(a *prompter) { a.loads = true }, enter: func(a *prompter) { a.draft = "" },
			enters: 1, most: loadTime + 100*time.Millisecond,
		},
		"a command while it loads": {
			change: func(a *prompter) { a.loads = true }, enter: func(a *prompter) { a.draft = "" }, text: "/clear",
			submitted: &yes, enters: 1, most: 500 * time.Millisecond,
		},
		"a question stands": {
			enter: nothing, change: func(a *prompter) { a.state, a.question = status.NeedsYou, epoch.Add(-time.Hour) },
			enters: 1, most: effectTime + 50*time.Millisecond,
		},
		"a question is answered": {
			enter:  func(a *prompter) { a.submits(); a.state, a.question = status.Working, time.Time{} },
			change: func(a *prompter) { a.state, a.question = status.NeedsYou, epoch.Add(-time.Hour) },
			enters: 1, submitted: &yes, most: 200 * time.Millisecond,
		},
		"an answer ends the turn": {
			enter:  func(a *prompter) { a.state, a.question = status.Done, time.Time{} },
			change: func(a *prompter) { a.state, a.question = status.NeedsYou, epoch.Add(-time.Hour) },
			enters: 1, submitted: &yes, most: 50 * time.Millisecond,
		},
		"a turn runs": {
			enter: nothing, change: func(a *prompter) { a.state = status.Working },
			enters: 1, most: effectTime + 50*time.Millisecond,
		},
		"a turn ends just then": {
			enter:  func(a *prompter) { a.after(time.Second, func() { a.state = status.Done }) },
			change: func(a *prompter) { a.state = status.Working },
			enters: 1, most: effectTime + 50*time.Millisecond,
		},
		"a bell had rung": { // and Enter is a look
			enter: func(a *prompter) {
				if a.state = status.Idle; a.enters > 1 {
					a.begins()
				}
			},
			change: func(a *prompter) { a.state = status.NeedsYou },
			enters: 2, submitted: &yes, most: effectTime + 100*time.Millisecond,
		},
		"no channel would tell": {
			enter: nothing, change: func(a *prompter) { a.tells = false },
			enters: 1, most: effectTime + 50*time.Millisecond,
		},
		"somebody types": {enter: func(a *prompter) {
			a.after(time.Second, func() { a.typedAt = a.now; a.draft += "x" })
		}, enters: 1, most: 1100 * time.Millisecond},
		"Enter is not read": {
			change: func(a *prompter) {
				a.reads = func(*program) int {
					if strings.HasSuffix(string(a.pending), "\r") {
						return 0
					}
					return len(a.pending)
				}
			}, enters: 0, most: effectTime + 50*time.Millisecond,
		},
		"a footer holds the text": { // so that where it stands is not known
			enter: nothing, change: func(a *prompter) { a.above += "\nhelp" }, text: "help",
			enters: 1, most: effectTime + secondTime + 50*time.Millisecond,
		},
		"the screen moves in another way": {enter: func(a *prompter) {
			a.onKey = nothing
			a.after(time.Second, func() { a.draft += "\nanother row" })
		}, enters: 1, most: effectTime + 50*time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			a := newPrompter(tc.enter)
			if tc.change != nil {
				tc.change(a)
				a.drawPrompt()
			}
			if tc.text == "" {
				tc.text = "fix the tests"
			}
			d, st := a.send(t, tc.text)
			if a.enters != tc.enters {
				t.Errorf("Enter was pressed %d times, want %d", a.enters, tc.enters)
			}
			if got := d.result.Submitted; (got == nil) != (tc.submitted == nil) || got != nil && *got != *tc.submitted {
				t.Errorf("submitted %v, want %v", deref(got), deref(tc.submitted))
			}
			if (st.failure == nil) != (tc.fails == "") ||
				st.failure != nil && (st.failure.Code != hostproto.CodeNotDelivered || !strings.Contains(st.failure.Message, tc.fails) || st.failure.Delivered != len(tc.text)) {
				t.Errorf("failure %+v, want %q", st.failure, tc.fails)
			}
			var enters []time.Duration
			for _, w := range a.writes {
				if w.data == "\r" {
					enters = append(enters, w.at)
				}
			}
			if len(enters) == 2 && enters[1]-enters[0] < effectTime {
				t.Errorf("the second Enter came %v after the first", enters[1]-enters[0])
			}
			if took := a.now.Sub(d.asked) - enters[0]; took > tc.most {
				t.Errorf("it took %v from Enter, want at most %v", took, tc.most)
			}
			if string(a.got) != tc.text+strings.Repeat("\r", tc.enters) {
				t.Errorf("it got %q", a.got)
			}
		})
	}
}

func deref(b *bool) any {
	if b == nil {
		return "unknown"
	}
	return *b
}

// TestEffectIsBounded: the check ends with the delivery's time.
func TestEffectIsBounded(t *testing.T) {
	a := newPrompter(func(*prompter) {})
	a.reads = func(p *program) int { // busy for long
		if p.now.Before(epoch.Add(deliveryTime - 3*time.Second)) {
			return 0
		}
		return len(p.pending)
	}
	d, st := a.send(t, "fix the tests")
	if took := a.now.Sub(epoch); took > deliveryTime+100*time.Millisecond || a.enters != 2 || st.failure == nil {
		t.Errorf("it took %v, %d Enters, %+v %v", took, a.enters, d.result, st.failure)
	}
}

func TestLostTextIsTypedAnew(t *testing.T) {
	clear, err := vt.ParseKey("ctrl-u")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		text   string
		loses  int // how many times it swallows the text
		clear  bool
		typed  int
		passed bool
	}{
		"once":                         {"fix it", 1, true, 2, true},
		"as often as it is tried":      {"fix it", maxRetypes, true, maxRetypes + 1, true},
		"always":                       {"fix it", 1000, true, maxRetypes + 1, false},
		"the prompt cannot be emptied": {"fix it", 1, false, 1, false},
		"several lines":                {"fix\nit", 1, true, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			frame, typed, swallowed := 0, 0, 0
			a := newPrompter(nil)
			a.onKey = func(a *prompter) {
				if a.draft != "" {
					a.begins()
				}
			}
			a.each = func(*program) { // it starts, and its screen moves
				frame++
				a.above = strings.Repeat("starting ", frame%7)
				a.drawPrompt()
			}
			a.reads = func(*program) int {
				typed += strings.Count(string(a.pending), "it")
				if swallowed < tc.loses && strings.Contains(string(a.pending), "it") {
					swallowed++
					a.pending = nil
				}
				return len(a.pending)
			}
			d := testDelivery(tc.text)
			if d.plain = false; tc.clear {
				d.clear = []vt.Key{clear}
			}
			r := isReady
			st := a.run(t, d, &r)
			if typed != tc.typed || (st.failure == nil) != tc.passed || d.result.Verified != tc.passed || d.result.Retried != (tc.typed > 1) {
				t.Errorf("typed %d times, want %d; %+v, %v", typed, tc.typed, d.result, st.failure)
			}
			if !tc.passed && (deref(d.result.Submitted) != false || !strings.Contains(st.failure.Message, "not seen")) {
				t.Errorf("submitted %v, %v", deref(d.result.Submitted), st.failure)
			}
		})
	}
}

// TestEnterWaitsForTheScreen: an agent gets Enter when it has drawn the text.
func TestEnterWaitsForTheScreen(t *testing.T) {
	for name, tc := range map[string]struct {
		draws time.Duration // after the text was seen
		want  time.Duration // from the text to Enter
	}{
		"at rest":      {0, submitDelay},
		"draws long":   {400 * time.Millisecond, 400*time.Millisecond + submitQuiet},
		"draws always": {time.Hour, submitMax},
	} {
		t.Run(name, func(t *testing.T) {
			a := newPrompter(nil)
			var seen time.Time
			a.each = func(p *program) {
				if strings.Contains(a.draft, "it") && seen.IsZero() {
					seen = p.now
				}
				if !seen.IsZero() && a.enters == 0 && p.now.Sub(seen) <= tc.draws {
					a.lastOutput = p.now
				}
			}
			a.send(t, "fix it")
			enter := a.writes[len(a.writes)-1]
			got := epoch.Add(enter.at).Sub(seen)
			if enter.data != "\r" || got < tc.want-a.tick || got > tc.want+submitQuiet {
				t.Errorf("%q came %v after the text, want %v", enter.data, got, tc.want)
			}
		})
	}
}

func TestFindCountsFromTheBottom(t *testing.T) {
	for _, tc := range []struct {
		screen, mark string
		want         place
		ok           bool
	}{
		{"say hello\n\n> ", "sayhello", place{up: 3, solid: 2, gap: 1}, true},
		{"│ a long prom │\n│ pt          │\n└─────┘", "longprompt", place{up: 3, solid: 2, gap: 1, head: "a"}, true},
		{"say hello\n> say hello\n\nfooter", "sayhello", place{up: 3, solid: 2, gap: 1, head: ">"}, true},
		{"> say hello\n\n> \nfooter", "sayhello", place{up: 4, solid: 3, gap: 1, head: ">", anew: true}, true},
		{"> Say Hello", "sayhello", place{up: 1, solid: 1, head: ">"}, true},
		{"nothing", "sayhello", place{}, false},
		{"anything", "", place{}, false},
	} {
		if got, ok := find(tc.screen, tc.mark); ok != tc.ok || ok && got != tc.want {
			t.Errorf("%q in %q: %+v %v, want %+v", tc.mark, tc.screen, got, ok, tc.want)
		}
	}
}
