//go:build unix

package term

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/vt"
)

// An answer to a question that has only just come waits until the dialog takes
// keys; one to a question that stands already does not.
func TestAnAnswerWaitsForItsQuestion(t *testing.T) {
	for _, c := range []struct {
		name            string
		question, drawn time.Duration // before the answer; 0 none
		want            time.Duration
	}{
		{"no question", 0, 0, 0},
		{"stands already", time.Minute, time.Minute, 0},
		{"just declared", 100 * time.Millisecond, time.Second, 300 * time.Millisecond},
		{"drawn late", 300 * time.Millisecond, 50 * time.Millisecond, 200 * time.Millisecond},
		{"never quiet", 1900 * time.Millisecond, time.Millisecond, 100 * time.Millisecond},
	} {
		p := &program{sight: sight{now: epoch}}
		if c.question > 0 {
			p.question = epoch.Add(-c.question)
		}
		p.lastOutput = epoch.Add(-c.drawn)
		k, err := vt.ParseKey("enter")
		if err != nil {
			t.Fatal(err)
		}
		st := p.run(t, &delivery{payload: payload{keys: []vt.Key{k}}}, &readiness{isReady: true})
		if st.failure != nil || len(p.writes) != 1 || p.writes[0].at.Round(time.Millisecond) != c.want {
			t.Errorf("%s: %+v, %v; want the key at %v", c.name, p.writes, st.failure, c.want)
		}
	}
}

// TestFirstPromptIsNoAnswer: a prompt given at the start waits while the agent
// asks, however long, and what is sent meanwhile does not.
func TestFirstPromptIsNoAnswer(t *testing.T) {
	const thinking = 3 * time.Minute
	p := &program{show: echoes, tick: time.Second, sight: sight{screen: "trust this folder?", question: epoch}}
	p.each = func(p *program) {
		if p.now.Sub(epoch) >= thinking {
			p.question = time.Time{}
		}
	}
	d, r := testDelivery("fix it"), readiness{manifest: &atp.Ready{NotScreen: []string{"trust"}}}
	r.matches = func(string) bool { return p.question.IsZero() }
	d.plain, d.first, d.asked = false, true, epoch
	if st := p.run(t, d, &r); st.failure != nil || p.now.Sub(epoch) < thinking || p.now.Sub(epoch) > thinking+10*time.Second {
		t.Errorf("%+v after %v, %v", p.writes, p.now.Sub(epoch), st.failure)
	}
	a := &program{sight: sight{launched: epoch, screen: "trust this folder?", question: epoch}}
	k, err := vt.ParseKey("enter")
	if err != nil {
		t.Fatal(err)
	}
	answer, r := &delivery{payload: payload{keys: []vt.Key{k}}}, readiness{manifest: &atp.Ready{}, matches: func(string) bool { return false }}
	if st := a.run(t, answer, &r); st.failure != nil || a.now.Sub(epoch) > askedMax {
		t.Errorf("the answer came after %v, %v", a.now.Sub(epoch), st.failure)
	}
}

// TestAnswerPassesTheFirstPrompt that waits for it.
func TestAnswerPassesTheFirstPrompt(t *testing.T) {
	h, c := startScripted(t, "work 300", "-status", "unasked", "-trust")
	waitFor(t, func() string { return "the question" }, func() bool {
		return call[hostproto.Info](t, c, hostproto.OpInfo, nil).Status.State == "needs-you"
	})
	call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Keys: []string{"down", "enter"}})
	waitScreen(t, c, "the answer to the prompt", contains("worked 300 ms"))
	if data, err := os.ReadFile(filepath.Join(h.spec.Record.Dir, "got")); err != nil || !strings.HasPrefix(string(data), "\x1b[B\r") {
		t.Errorf("it got %q, %v", data, err)
	}
}

// TestNotReadyIsSaid: what is sent to an agent that starts for longer than a
// delivery may take is not delivered, and the message says why.
func TestNotReadyIsSaid(t *testing.T) {
	p := &program{tick: time.Second}
	d, r := testDelivery("fix it"), readiness{manifest: &atp.Ready{BracketedPaste: true}}
	d.plain, d.asked = false, epoch
	p.launched = epoch
	st := p.run(t, d, &r)
	if st.failure == nil || !strings.Contains(st.failure.Message, "does not take a prompt yet") || p.now.Sub(epoch) != deliveryTime {
		t.Errorf("after %v: %v", p.now.Sub(epoch), st.failure)
	}
}
