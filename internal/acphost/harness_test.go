package acphost

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/testkit/acpagent"
)

// Nothing that a session starts outlives it.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a session with a scripted agent in this process, and its journal.
type rig struct {
	t        *testing.T
	s        *Session
	dir      string
	heardLog string

	mu      sync.Mutex
	entries []Entry
	events  []Event
	tr      Translator
	starts  int
	asked   map[string]string // the agent's requests, by id
	sent    map[string]string // ours
	wild    bool              // the agent says what it must not
	bad     []string
	ended   chan struct{} // a turn's end, each
}

func newRig(t *testing.T, c acpagent.Config, change func(*Options)) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir(), asked: map[string]string{}, sent: map[string]string{}, ended: make(chan struct{}, 100)}
	r.tr.Whole = true
	r.heardLog = filepath.Join(r.dir, "heard")
	c.Log = r.heardLog
	o := Options{
		Dir: r.dir, Mode: Restricted, Version: "test",
		Message: func(from string, raw []byte) { r.add(Entry{From: from, Msg: clone(raw)}) },
		Note:    func(ev Event) { r.add(Entry{From: FromHost, Note: &ev}) },
	}
	o.Connect = func() (*Link, error) {
		r.mu.Lock()
		r.starts++
		r.mu.Unlock()
		return inProcess(c), nil
	}
	if change != nil {
		change(&o)
	}
	r.s = NewSession(o)
	t.Cleanup(func() {
		r.s.Close()
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, line := range acpagent.Heard(r.heardLog) {
			if strings.HasPrefix(line, "INVALID") {
				t.Errorf("the agent was sent: %s", line)
			}
		}
		for _, b := range r.bad {
			t.Error(b)
		}
	})
	return r
}

// add is the journal; it checks every frame of both sides against the schema.
func (r *rig) add(e Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.Seq, e.At = uint64(len(r.entries)+1), time.Now()
	r.entries = append(r.entries, e)
	if e.From == FromAgent {
		if err := acpagent.CheckFrame(e.Msg, r.sent); err != nil && !r.wild {
			r.bad = append(r.bad, fmt.Sprintf("a frame of the agent's: %v: %s", err, e.Msg))
		}
		if method := acp.Text(member(e.Msg, "method")); method != "" {
			r.asked[string(member(e.Msg, "id"))] = method
		}
	}
	if e.From == FromClient {
		if method := acp.Text(member(e.Msg, "method")); method != "" {
			r.sent[string(member(e.Msg, "id"))] = method
		}
		if err := acpagent.CheckFrame(e.Msg, r.asked); err != nil {
			r.bad = append(r.bad, fmt.Sprintf("a frame of ours: %v: %s", err, e.Msg))
		}
	}
	evs := r.tr.Add(e)
	r.events = append(r.events, evs...)
	for _, ev := range evs {
		if ev.Type == EventCompleted || ev.Type == EventFailed {
			r.ended <- struct{}{}
		}
	}
}

// prompt runs one turn and gives its last event.
func (r *rig) prompt(text string) Event {
	r.t.Helper()
	if _, err := r.s.Prompt(text); err != nil {
		r.t.Fatal(err)
	}
	<-r.ended
	return r.last()
}

func (r *rig) last() Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events[len(r.events)-1]
}

// all are the events of a type, or all with "".
func (r *rig) all(kind string) (out []Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, ev := range r.events {
		if ev.Type == kind || kind == "" {
			out = append(out, ev)
		}
	}
	return out
}

// heard tells how often the agent was sent a method.
func (r *rig) heard(method string) (n int) {
	for _, line := range acpagent.Heard(r.heardLog) {
		if strings.HasPrefix(line, method+" ") {
			n++
		}
	}
	return n
}

func content(ev Event) string {
	if ev.Content == nil {
		return "<none>"
	}
	return *ev.Content
}

// inProcess runs the scripted agent on pipes.
func inProcess(c acpagent.Config) *Link {
	agentIn, in := io.Pipe()
	out, agentOut := io.Pipe()
	errs, agentErr := io.Pipe()
	p := &fakeProcess{exited: make(chan struct{})}
	go func() {
		p.code = acpagent.Serve(agentIn, agentOut, agentErr, c)
		agentOut.Close()
		agentErr.Close()
		agentIn.Close()
		close(p.exited)
	}()
	return &Link{In: in, Out: out, Err: errs, Process: p, End: func() {
		in.Close()
		out.Close()
		errs.Close()
	}}
}

type fakeProcess struct {
	exited chan struct{}
	code   int
}

func (p *fakeProcess) Exited() <-chan struct{} { return p.exited }
func (p *fakeProcess) Exit() (int, string)     { return p.code, "" }
func (p *fakeProcess) Kill()                   {}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
