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

// TestDraft follows what a person types and erases.
func TestDraft(t *testing.T) {
	for in, want := range map[string]string{
		"fix it":               "fix it",
		"fix it\r":             "",
		"fix it\rand":          "and",
		"fixx\x7f it":          "fix it",
		"grün\x7f\x7f":         "gr",
		"two words\x17":        "two ",
		"two words  \x17\x17":  "",
		"no\x15yes":            "yes",
		"no\x03":               "",
		"\x7f\x7fa":            "a",
		"a\x1b[Cb\x1b[1;5D":    "ab",
		"a\x1b[98ub":           "abb",
		"a\x1b[127u\x1b[233uc": "éc",
		"ab\x1b[13u":           "",
		"ab\x1b[117;5u":        "",
		"\x1b[13;2u":           "",
		"\x1b[<0;10;20M\x1b[I": "",
		pasteStart + "one\ntwo" + pasteEnd + " three": "onetwo three",
	} {
		var whole, pieces typing
		if got := whole.read([]byte(in)).draft; got != want {
			t.Errorf("%q leaves %q, want %q", in, got, want)
		}
		if strings.Contains(in, "\x1b[") {
			continue // sequences come whole, pastes are tested in pieces elsewhere
		}
		got := ""
		for _, c := range []byte(in) {
			got = pieces.read([]byte{c}).draft
		}
		if got != want {
			t.Errorf("%q in pieces leaves %q, want %q", in, got, want)
		}
	}
	var long typing
	if got := long.read([]byte(strings.Repeat("x", 5000))).draft; len(got) != maxDraft {
		t.Errorf("a draft of %d bytes is kept", len(got))
	}
}

func TestDraftStands(t *testing.T) {
	box := "an answer\n\n╭──────────────╮\n│ > half a dr  │\n│   aft here   │\n╰──────────────╯\n  ? for help"
	for name, c := range map[string]struct {
		draft, screen, left string
		want                bool
	}{
		"in a shell":               {"rm -rf b", "$ rm -rf b", "$ rm -rf b", true},
		"one letter at the cursor": {"r", "$ r", "$ r", true},
		"one letter elsewhere":     {"r", "for rent\n$ ", "$ ", false},
		"wrapped in a box":         {"half a draft here", box, "", true},
		"cleared since":            {"half a draft here", strings.ReplaceAll(box, "half", "hall"), "", false},
		"far above":                {"half a draft", "half a draft" + strings.Repeat("\nline", 30), "", false},
		"blanks":                   {"  ", "$   ", "$   ", false},
		"none":                     {"", "$ ", "$ ", false},
	} {
		if got := draftStands(c.draft, c.screen, c.left); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// agentAtWork is one that reads and echoes, and works until that moment.
func agentAtWork(until time.Duration) *program {
	p := &program{tick: 50 * time.Millisecond}
	p.now, p.paste, p.tells, p.state, p.turn = epoch, true, true, status.Working, 1
	p.modes = vt.InputModes{BracketedPaste: true}
	p.screen = "> "
	p.each = func(p *program) {
		if p.state == status.Working && p.turn == 1 && p.now.Sub(epoch) >= until {
			p.state, p.since = status.Done, p.now
		}
	}
	p.show = func(p *program) {
		if strings.HasSuffix(string(p.got), "\r") {
			p.state, p.turn = status.Working, 2
			p.draw("> ")
			return
		}
		p.draw("> " + strings.NewReplacer(pasteStart, "", pasteEnd, "").Replace(string(p.got)))
	}
	return p
}

func ready() *readiness { return &readiness{isReady: true} }

func TestPromptsWaitForTheTurn(t *testing.T) {
	p := agentAtWork(40 * time.Second) // longer than a delivery may take
	d := &delivery{payload: payload{text: "next", enter: true, submit: vt.Key{Code: vt.KeyEnter}}, queues: true, claim: new(claim)}
	if st := p.run(t, d, ready()); st.failure != nil {
		t.Fatal(st.failure)
	}
	if first := p.writes[0].at; first < turnCalm {
		t.Errorf("typed %v after its own time began", first)
	}
	if p.now.Sub(epoch) < 40*time.Second+turnCalm {
		t.Errorf("typed into the turn: over after %v", p.now.Sub(epoch))
	}
	p = agentAtWork(40 * time.Second) // which writes nothing meanwhile, so that nobody looks
	p.tick = 0
	d = &delivery{payload: payload{text: "next", enter: true, submit: vt.Key{Code: vt.KeyEnter}}, queues: true, claim: new(claim)}
	if st := p.run(t, d, ready()); st.failure != nil {
		t.Errorf("while nothing moves: %v", st.failure)
	}
	p = agentAtWork(40 * time.Second)
	d = &delivery{payload: payload{text: "now", enter: true, submit: vt.Key{Code: vt.KeyEnter}}, now: true, claim: new(claim)}
	p.run(t, d, ready())
	if p.writes[0].at > time.Second {
		t.Errorf("what is sent with --now waited %v", p.writes[0].at)
	}
}

func TestWithdrawn(t *testing.T) {
	p := agentAtWork(time.Hour)
	d := &delivery{payload: payload{text: "next", enter: true, submit: vt.Key{Code: vt.KeyEnter}}, queues: true, claim: new(claim)}
	n := 0
	each := p.each
	p.each = func(p *program) {
		each(p)
		if n++; n == 5 && !d.claim.take(claimDropped) {
			t.Error("what waits cannot be withdrawn")
		}
	}
	if st := p.run(t, d, ready()); st.failure != errDropped || len(p.writes) != 0 || p.now.Sub(epoch) > time.Minute {
		t.Errorf("%v, with %d writes, after %v", st.failure, len(p.writes), p.now.Sub(epoch))
	}
	p = agentAtWork(0)
	d = &delivery{payload: payload{text: "next", enter: true, submit: vt.Key{Code: vt.KeyEnter}}, queues: true, claim: new(claim)}
	if st := p.run(t, d, ready()); st.failure != nil {
		t.Fatal(st.failure)
	}
	if d.claim.take(claimDropped) {
		t.Error("what was typed can be withdrawn")
	}
}

func TestDraftIsNotMerged(t *testing.T) {
	send := func(queues, now bool, clears time.Duration) (*program, step) {
		p := agentAtWork(0)
		p.state = status.Idle
		p.draft, p.screen = "half a draft", "> half a draft"
		p.each = func(p *program) {
			if clears > 0 && p.now.Sub(epoch) >= clears {
				p.draft = ""
			}
		}
		d := &delivery{payload: payload{text: "automatic", enter: true, submit: vt.Key{Code: vt.KeyEnter}}, queues: queues, now: now, claim: new(claim)}
		return p, p.run(t, d, ready())
	}
	p, st := send(false, false, 0)
	if st.failure == nil || st.failure.Code != hostproto.CodeNotDelivered || !strings.Contains(st.failure.Message, "half a draft") || len(p.writes) != 0 {
		t.Errorf("a draft that stays: %v, %d writes", st.failure, len(p.writes))
	}
	if p, st = send(false, false, 5*time.Second); st.failure != nil || p.now.Sub(epoch) < 5*time.Second {
		t.Errorf("a draft that goes: %v after %v", st.failure, p.now.Sub(epoch))
	}
	if p, st = send(true, false, time.Minute); st.failure != nil || p.now.Sub(epoch) < time.Minute {
		t.Errorf("a prompt in the queue: %v after %v", st.failure, p.now.Sub(epoch))
	}
	if p, st = send(false, true, 0); st.failure != nil || len(p.writes) == 0 {
		t.Errorf("with --now: %v", st.failure)
	}
}

// TestMenuTakesADigit: the text alone answers a menu. Enter would answer what
// comes after it.
func TestMenuTakesADigit(t *testing.T) {
	asking := func() *program {
		p := agentAtWork(0)
		p.state, p.turn, p.asked, p.question, p.since = status.NeedsYou, 1, 1, epoch.Add(-time.Minute), epoch.Add(-time.Minute)
		p.screen, p.each = "Allow?\n 1. Yes\n 2. No", nil
		return p
	}
	answer := func(p *program) (*delivery, step) {
		d := &delivery{payload: payload{text: "1", enter: true, submit: vt.Key{Code: vt.KeyEnter}}, claim: new(claim)}
		return d, p.run(t, d, ready())
	}
	for name, next := range map[string]func(p *program){
		"the turn goes on":  func(p *program) { p.state, p.question = status.Working, time.Time{} },
		"the next question": func(p *program) { p.asked, p.question = 2, p.now },
	} {
		p := asking()
		p.show = func(p *program) { next(p) }
		d, st := answer(p)
		if st.failure != nil || strings.Contains(string(p.got), "\r") || d.result.Submitted == nil || !*d.result.Submitted || d.result.Bytes != 1 {
			t.Errorf("%s: %v, it got %q, %+v", name, st.failure, p.got, d.result)
		}
	}
	p := asking() // a field, in which it has to be entered
	p.show = func(p *program) {
		if p.draw(p.screen + "\n1"); strings.HasSuffix(string(p.got), "\r") {
			p.state, p.question = status.Working, time.Time{}
		}
	}
	if d, st := answer(p); st.failure != nil || !strings.HasSuffix(string(p.got), "\r") || d.result.Submitted == nil {
		t.Errorf("a field: %v, it got %q, %+v", st.failure, p.got, d.result)
	}
}
