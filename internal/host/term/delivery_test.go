//go:build unix

package term

import (
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/vt"
)

var epoch = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// program simulates what a delivery sees of one. Time jumps from one thing to
// the next.
type program struct {
	sight
	modes vt.InputModes

	got     []byte               // what it has read
	writes  []write              // what it was given, and when
	reads   func(p *program) int // how many unread bytes it reads at a moment; nil all
	show    func(p *program)     // draws after reading
	each    func(p *program)     // what happens with time
	tick    time.Duration        // the longest time between two looks; 0 any
	exitsAt time.Time
	pending []byte
	holds   bool
	steps   int
}

type write struct {
	at   time.Duration
	data string
}

func (p *program) draw(screen string) {
	if screen != p.screen {
		p.screen = screen
		p.generation++
		p.lastOutput = p.now
	}
}

// run plays a delivery to its end.
func (p *program) run(t *testing.T, d *delivery, r *readiness) step {
	t.Helper()
	if p.now.IsZero() {
		p.now = epoch
	}
	if d.asked.IsZero() {
		d.asked = p.now
	}
	for {
		if p.steps++; p.steps > 100_000 {
			t.Fatal("the delivery does not end")
		}
		p.exited = !p.exitsAt.IsZero() && !p.now.Before(p.exitsAt)
		if p.each != nil {
			p.each(p)
		}
		p.unread = len(p.pending)
		st := d.advance(p.sight, r, p.modes)
		p.holds = st.hold
		if len(st.write) > 0 {
			p.writes = append(p.writes, write{p.now.Sub(d.asked), string(st.write)})
			p.pending = append(p.pending, st.write...)
		}
		if st.done {
			return st
		}
		n := len(p.pending)
		if p.reads != nil {
			n = min(n, p.reads(p))
		}
		p.got = append(p.got, p.pending[:n]...)
		p.pending = p.pending[n:]
		if p.show != nil && n > 0 {
			p.show(p)
		}
		if st.again.IsZero() {
			t.Fatal("a delivery waits for nothing")
		}
		if !st.again.After(p.now) {
			st.again = p.now.Add(time.Microsecond)
		}
		if p.tick > 0 {
			st.again = earlier(st.again, p.now.Add(p.tick))
		}
		p.now = st.again
	}
}

func echoes(p *program) {
	p.draw("> " + strings.NewReplacer(pasteStart, "", pasteEnd, "", "\r", "\n").Replace(string(p.got)))
}

func testDelivery(text string) *delivery {
	return &delivery{payload: payload{text: text, enter: true, submit: vt.Key{Code: vt.KeyEnter}}, delay: submitDelay, plain: true}
}

var isReady = readiness{isReady: true}

func TestDelivery(t *testing.T) {
	clear, err := vt.ParseKey("ctrl-u")
	if err != nil {
		t.Fatal(err)
	}
	paste := vt.InputModes{BracketedPaste: true}
	long := strings.Repeat("many words ", 3000)
	for name, tc := range map[string]struct {
		program  program
		text     string
		clear    bool
		got      string // "" is the text and Enter
		verified bool
		retried  bool
		code     string
		taken    int
		least    time.Duration
		most     time.Duration
	}{
		"echo": {
			program: program{show: echoes}, text: "fix it", verified: true, least: submitDelay, most: submitDelay + 50*time.Millisecond,
		},
		"echo in a paste": {
			program: program{show: echoes, modes: paste}, text: "fix\nit", got: pasteStart + "fix\nit" + pasteEnd + "\r", verified: true, most: 500 * time.Millisecond,
		},
		"lines without paste mode are lines": {
			program: program{show: echoes}, text: "one\ntwo", got: "one\rtwo\r", verified: true, most: 500 * time.Millisecond,
		},
		"a paste ends only once": {
			program: program{show: echoes, modes: paste}, text: "a\x1b[201~b\x1b\x1b[201~[201~", got: pasteStart + "a[201~b[201~[201~" + pasteEnd + "\r", verified: true, most: time.Second,
		},
		"wrapped and framed": {
			program: program{show: func(p *program) { p.draw("│ many words many  │\n│ words and more   │") }},
			text:    "many words many words and more", verified: true, most: 500 * time.Millisecond,
		},
		"placeholder": {
			program: program{modes: paste, show: func(p *program) { p.draw("> [Pasted text #1 +300 lines]") }},
			text:    long, got: pasteStart + long + pasteEnd + "\r", verified: true, most: 2 * time.Second,
		},
		"silent": {
			program: program{}, text: "secret", least: verifyTime, most: verifyTime + time.Second,
		},
		"password in line mode": {
			program: program{sight: sight{canonical: true}}, text: "secret", least: submitDelay, most: time.Second,
		},
		"shown before": {
			program: program{sight: sight{screen: "> fix it\nalready done"}}, text: "fix it", least: verifyTime, most: verifyTime + time.Second,
		},
		"something else moves": {
			program: program{show: func(p *program) { p.draw("spinner " + p.now.String()) }}, text: "fix it", clear: true, least: verifyTime, most: verifyTime + time.Second,
		},
		"lost, prompt can be emptied": {
			program: program{show: func(p *program) {
				if i := strings.IndexByte(string(p.got), 0x15); i >= 0 {
					p.draw("> " + string(p.got[i+1:]))
				}
			}},
			text: "fix it", clear: true, got: "fix it\x15fix it\r", verified: true, retried: true, most: 3 * time.Second,
		},
		"silent, prompt can be emptied": {
			program: program{}, text: "fix it", clear: true, got: "fix it\x15fix it\r", retried: true, most: 4 * time.Second,
		},
		"reads slowly": {
			program: program{show: echoes, reads: func(p *program) int {
				if p.steps%10 == 0 {
					return 300
				}
				return 0
			}},
			text: long[:5000], verified: true, most: deliveryTime,
		},
		"never reads": {
			program: program{reads: func(*program) int { return 0 }}, text: "fix it", code: hostproto.CodeNotDelivered, got: "-", least: deliveryTime, most: deliveryTime + 100*time.Millisecond,
		},
		"stops reading": {
			program: program{reads: func(p *program) int { return max(0, 2500-len(p.got)) }}, text: long, got: long[:2500],
			code: hostproto.CodeNotDelivered, taken: 2500, least: deliveryTime, most: deliveryTime + 100*time.Millisecond,
		},
		"exits first": {
			program: program{exitsAt: epoch}, text: "fix it", got: "-", code: hostproto.CodeNotLive,
		},
		"exits in the middle": {
			program: program{exitsAt: epoch.Add(400 * time.Microsecond), show: echoes}, text: long, got: long[:2048],
			code: hostproto.CodeNotDelivered, taken: 2048, most: time.Second,
		},
		"right after another": {
			program: program{sight: sight{pressedAt: epoch}, show: echoes}, text: "fix it", verified: true,
			least: calmPlain + submitDelay, most: calmPlain + submitDelay + 50*time.Millisecond,
		},
		"right after another, pastes known, no answer yet": {
			program: program{sight: sight{pressedAt: epoch, paste: true}, show: echoes}, text: "fix it", verified: true,
			least: calmPlain + submitDelay, most: calmPlain + submitDelay + 50*time.Millisecond,
		},
		"right after another, pastes known": {
			program: program{sight: sight{pressedAt: epoch, lastOutput: epoch.Add(time.Millisecond), paste: true}, show: echoes}, text: "fix it", verified: true,
			least: calmPaste + submitDelay, most: calmPaste + submitDelay + 50*time.Millisecond,
		},
		"exits when told to": {
			program: program{show: func(p *program) {
				echoes(p)
				if strings.HasSuffix(string(p.got), "\r") {
					p.exitsAt = p.now
				}
			}}, text: "exit", verified: true, most: time.Second,
		},
		"line too long": {
			program: program{sight: sight{canonical: true, echo: true}}, text: "a\n" + long, got: "-", code: hostproto.CodeNotDelivered, most: time.Second,
		},
		"a person types": {
			program: program{sight: sight{typedAt: epoch.Add(-200 * time.Millisecond)}, show: echoes}, text: "fix it", verified: true,
			least: 800*time.Millisecond + submitDelay, most: 1500 * time.Millisecond,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, d, r := tc.program, testDelivery(tc.text), isReady
			if tc.clear {
				d.clear = []vt.Key{clear}
			}
			st := p.run(t, d, &r)
			took := p.now.Sub(epoch)
			p.got = append(p.got, p.pending...) // Enter may lie unread
			want := tc.got
			switch want {
			case "":
				want = tc.text + "\r"
			case "-":
				want = ""
			}
			if tc.code != "" {
				p.got = p.got[:len(p.got)-len(p.pending)]
			}
			if string(p.got) != want {
				t.Errorf("it got %.100q, want %.100q", p.got, want)
			}
			if tc.code == "" && st.failure != nil || tc.code != "" && (st.failure == nil || st.failure.Code != tc.code || st.failure.Delivered != tc.taken) {
				t.Errorf("failure %+v, want %q with %d bytes", st.failure, tc.code, tc.taken)
			}
			if tc.code == "" && d.result.Bytes != len(tc.text) || d.result.Verified != tc.verified || d.result.Retried != tc.retried {
				t.Errorf("result %+v", d.result)
			}
			if took < tc.least || tc.most > 0 && took > tc.most {
				t.Errorf("it took %v, want %v to %v", took, tc.least, tc.most)
			}
			for i, w := range p.writes {
				if len(w.data) > pieceSize {
					t.Errorf("a piece of %d bytes", len(w.data))
				}
				if w.data == "\r" && i > 0 && tc.code == "" && w.at-p.writes[i-1].at < submitDelay {
					t.Errorf("Enter came %v after the text", w.at-p.writes[i-1].at)
				}
			}
		})
	}
}

func TestKeysAreApart(t *testing.T) {
	var keys []vt.Key
	for _, name := range []string{"up", "escape", "x"} {
		k, err := vt.ParseKey(name)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, k)
	}
	d := &delivery{payload: payload{keys: keys, enter: true, submit: vt.Key{Code: vt.KeyEnter}}, delay: submitPlain}
	p, r := program{}, isReady
	if st := p.run(t, d, &r); st.failure != nil {
		t.Fatal(st.failure)
	}
	var data []string
	for i, w := range p.writes {
		data = append(data, w.data)
		if i > 0 && w.at-p.writes[i-1].at < submitPlain {
			t.Errorf("%q came %v after the key before", w.data, w.at-p.writes[i-1].at)
		}
	}
	p, r = program{show: func(p *program) { p.exitsAt = p.now }}, isReady // the last key ends it
	last := &delivery{payload: payload{keys: keys[:1]}, delay: submitPlain}
	if st := p.run(t, last, &r); st.failure != nil {
		t.Errorf("the program exits on its key: %v", st.failure)
	}
	if got := strings.Join(data, " "); got != "\x1b[A \x1b x \r" {
		t.Errorf("writes %q", got)
	}
}

func TestDiscardOnlyWhatIsOurs(t *testing.T) {
	never := func(*program) int { return 0 }
	p, r := program{reads: never}, isReady
	if st := p.run(t, testDelivery("abc"), &r); !st.discard {
		t.Error("text that was never read stays in the terminal")
	}
	p, r = program{reads: never, pending: []byte("typed by someone")}, isReady
	if st := p.run(t, testDelivery("abc"), &r); st.discard {
		t.Error("what someone else typed is thrown away")
	}
	p, r = program{modes: vt.InputModes{BracketedPaste: true}, reads: func(p *program) int { return max(0, 2000-len(p.got)) }}, isReady
	st := p.run(t, testDelivery(strings.Repeat("x", 9000)), &r)
	if string(st.write) != pasteEnd {
		t.Errorf("the program is left inside a paste: %q", st.write)
	}
}

func TestReadiness(t *testing.T) {
	type at struct {
		ms     int
		change func(*sight)
	}
	screen := func(text string) func(*sight) {
		return func(s *sight) { s.screen = text; s.lastOutput = s.now }
	}
	draws := func(from, to int, change func(*sight)) (events []at) {
		for ; from < to; from += 50 {
			events = append(events, at{from, change})
		}
		return events
	}
	pasteOn := func(s *sight) { s.paste, s.lastOutput = true, s.now }
	for name, tc := range map[string]struct {
		readiness readiness
		events    []at
		want      int // ms, within 20
	}{
		"paste mode, then silence":         {events: []at{{300, pasteOn}}, want: 450},
		"kitty keyboard asked for":         {events: []at{{300, func(s *sight) { s.announced, s.lastOutput = true, s.now }}}, want: 450},
		"paste mode, drawing goes on":      {events: []at{{300, pasteOn}, {400, screen("a")}, {500, screen("b")}}, want: 650},
		"a still screen":                   {events: []at{{100, screen("hello")}}, want: 1050},
		"a screen that changes":            {events: []at{{100, screen("a")}, {900, screen("b")}, {1200, screen("c")}}, want: 1550},
		"nothing at all":                   {want: 10_000},
		"plain, line mode, blank":          {readiness: readiness{plain: true}, events: []at{{0, func(s *sight) { s.canonical = true }}}, want: 2000},
		"agent, line mode, blank":          {events: []at{{0, func(s *sight) { s.canonical = true }}}, want: 10_000},
		"declared: paste":                  {readiness: readiness{manifest: &atp.Ready{BracketedPaste: true}}, events: []at{{50, screen("x")}, {3000, pasteOn}}, want: 3150},
		"declared: quiet":                  {readiness: readiness{manifest: &atp.Ready{BracketedPaste: true, QuietMs: 800}}, events: []at{{100, pasteOn}, {500, screen("y")}}, want: 1300},
		"declared: always drawing":         {readiness: readiness{manifest: &atp.Ready{BracketedPaste: true}}, events: draws(300, 5000, pasteOn), want: 2300},
		"declared: least time":             {readiness: readiness{manifest: &atp.Ready{MinMs: 1200}}, events: []at{{10, screen("y")}}, want: 1200},
		"declared, and it looks otherwise": {readiness: readiness{manifest: &atp.Ready{BracketedPaste: true}}, events: []at{{50, screen("x")}}, want: 10_000},
		"declared, and it starts for long": {readiness: readiness{manifest: &atp.Ready{BracketedPaste: true}}, events: []at{{30_000, pasteOn}}, want: 30_150},
		"declared, and it draws for long":  {readiness: readiness{manifest: &atp.Ready{BracketedPaste: true}}, events: []at{{9000, screen("x")}, {10_500, screen("y")}}, want: 12_500},
		"declared, and it never shows up":  {readiness: readiness{manifest: &atp.Ready{BracketedPaste: true}}, want: 60_000},
		"declared, and it asks":            {readiness: readiness{manifest: &atp.Ready{BracketedPaste: true}}, events: []at{{50, func(s *sight) { s.screen, s.question = "trust?", s.now }}, {40_000, func(s *sight) { s.question, s.lastOutput = time.Time{}, s.now }}, {41_000, pasteOn}}, want: 41_150},
		"declared: longest time":           {readiness: readiness{manifest: &atp.Ready{BracketedPaste: true, MaxMs: 3000}}, want: 3000},
		"declared: what the screen says": {
			readiness: readiness{manifest: &atp.Ready{}, matches: func(s string) bool { return s == "ready" }},
			events:    []at{{100, screen("trust this folder?")}, {5000, screen("ready")}}, want: 5150,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := tc.readiness
			s := sight{now: epoch, launched: epoch, lastOutput: epoch}
			events := tc.events
			for step := 0; ; step++ {
				for len(events) > 0 && s.now.Sub(epoch) >= ms(events[0].ms) {
					events[0].change(&s)
					events = events[1:]
				}
				ok, again := r.ready(s)
				if ok {
					break
				}
				if !again.After(s.now) || step > 10_000 {
					t.Fatalf("at %v it says to look again at %v", s.now.Sub(epoch), again.Sub(epoch))
				}
				if len(events) > 0 {
					again = earlier(again, epoch.Add(ms(events[0].ms)))
				}
				s.now = again
			}
			if got := s.now.Sub(epoch); got < ms(tc.want) || got > ms(tc.want+20) {
				t.Errorf("ready after %v, want %v", got, ms(tc.want))
			}
			if ok, _ := r.ready(sight{now: epoch}); !ok {
				t.Error("it is not ready any more")
			}
		})
	}
}
