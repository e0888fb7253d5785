//go:build unix

package daemon

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
)

// An agent that says what it does by OSC 7501 until told to stop.
const teller = `stty -echo
say() { printf '\033]7501;state=%s%s\033\\' "$1" "$2"; }
printf 'ready> \033[?2004h'; say idle
while IFS= read -r line; do
  case $line in
  *stop*) say working; say done; echo over ;;
  *work*) say working; echo busy ;;
  *ask*) say blocked ":kind=permission:msg=UnVuIGl0Pw=="; echo "Run it?" ;;
  *die*) exit 3 ;;
  esac
done`

func (h *home) wait(target string, ms int) (api.WaitReply, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var r api.WaitReply
	err := h.client.Call(ctx, api.VerbWait, api.WaitRequest{Caller: h.caller(), Target: target, TimeoutMs: ms}, &r)
	return r, err
}

func TestWaitForWhatIsGoingOn(t *testing.T) {
	h := newHome(t)
	h.script("teller", teller)
	h.manifest("teller", `{"id": "teller", "name": "Teller", "order": 900, "command": "teller"}`)
	r, err := h.client.Spawn(t.Context(), api.SpawnRequest{Caller: h.caller(), Agent: "teller", Prompt: "work", Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	link := r.Target
	say := func(text string) {
		t.Helper()
		if _, err := h.client.Send(t.Context(), api.SendRequest{Caller: h.caller(), Target: link, Text: text, Enter: true, Now: true}); err != nil {
			t.Fatal(err)
		}
	}
	is := func(status string) {
		t.Helper()
		h.eventually(link+" is "+status, func() bool { s, _ := h.find(link); return s.Status == status })
	}
	// Right after the spawn: its prompt is not there yet, and the wait is for
	// the turn that it begins.
	if w, err := h.wait(link, 1000); err != nil || !w.TimedOut {
		t.Errorf("while its prompt is on its way, or it works: %+v, %v", w, err)
	}
	is("working")
	type result struct {
		api.WaitReply
		err error
	}
	waited := make(chan result, 1)
	begin := func() { go func() { w, err := h.wait(link, 20_000); waited <- result{w, err} }() }
	begin()
	say("stop")
	if w := <-waited; w.err != nil || w.Status != "done" || w.TimedOut || w.Target != link {
		t.Errorf("the end of a turn: %+v", w)
	}
	if w, err := h.wait(link, 20_000); err != nil || w.Status != "done" {
		t.Errorf("at rest: %+v, %v", w, err)
	}
	say("work")
	is("working")
	begin()
	say("ask")
	if w := <-waited; w.err != nil || w.Status != "needs-you" || !strings.Contains(w.Prompt, "Run it?") || w.PromptID == "" {
		t.Errorf("a question: %+v", w)
	}
	say("work")
	is("working")
	begin()
	say("die")
	if w := <-waited; code(w.err) != api.CodeAgentGone {
		t.Errorf("the end of the session: %+v, %v", w, w.err)
	}
	_, err = h.wait(link, 1000)
	refused(t, err, api.CodeNotFound, "exit code 3")
	// A plain terminal at its prompt has nothing to do.
	if w, err := h.wait(h.run("true"), 20_000); err != nil || w.TimedOut {
		t.Errorf("a plain terminal: %+v, %v", w, err)
	}
}

func TestCloseDone(t *testing.T) {
	h := newHome(t)
	h.script("teller", teller)
	h.manifest("teller", `{"id": "teller", "name": "Teller", "order": 900, "command": "teller"}`)
	boss := h.run("clear")
	who := h.inside(boss)
	spawn := func(c api.Caller, prompt, status string) string {
		t.Helper()
		r, err := h.client.Spawn(t.Context(), api.SpawnRequest{Caller: c, Agent: "teller", Prompt: prompt, Env: os.Environ()})
		if err != nil {
			t.Fatal(err)
		}
		h.eventually(r.Target+" is "+status, func() bool { s, _ := h.find(r.Target); return s.Status == status })
		return r.Target
	}
	mine, busy, others := spawn(who, "stop", "done"), spawn(who, "work", "working"), spawn(h.caller(), "stop", "done")
	closeDone := func(c api.Caller) (closed []string) {
		t.Helper()
		var r api.CloseDoneReply
		if err := h.client.Call(t.Context(), api.VerbCloseDone, api.CloseDoneRequest{Caller: c}, &r); err != nil || len(r.Failed) != 0 {
			t.Fatalf("%+v, %v", r, err)
		}
		for _, one := range r.Closed {
			closed = append(closed, one.Link)
		}
		return closed
	}
	if got := strings.Join(closeDone(who), " "); got != mine {
		t.Errorf("from inside %s were closed, want only %s", got, mine)
	}
	if got := strings.Join(closeDone(h.caller()), " "); got != others {
		t.Errorf("from outside %s were closed, want only %s", got, others)
	}
	for _, link := range []string{boss, busy} {
		if s, _ := h.find(link); s.Closed != nil {
			t.Errorf("%s was closed: %+v", link, s)
		}
	}
}
