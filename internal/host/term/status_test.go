//go:build unix

package term

import (
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/hostproto"
)

// statusAgent is an agent whose titles and screens tell its status.
const statusAgent = `{"id":"probe","name":"Probe","command":"probe",
 "titleStatus":{"working":["^\\* "],"attention":["^! "]},
 "ready":{"screen":["READY"]}}`

// becomes follows a session's events until its state is another than from,
// which must be to. A state may be told again, with a better question.
func becomes(t *testing.T, c *hostproto.Client, from, to string) {
	t.Helper()
	for {
		m, err := c.Next(testContext(t))
		if err != nil {
			t.Fatalf("from %s to %s: %v", from, to, err)
		}
		if m.Event.Type != hostproto.EventStatus || m.Event.Status.State == from {
			continue
		}
		if got := m.Event.Status.State; got != to {
			t.Fatalf("from %s came %s, want %s", from, got, to)
		}
		return
	}
}

func TestTitlesBecomeStatus(t *testing.T) {
	spec := testSpec(t, `printf READY; read a; printf '\033]0;* thinking\007'; read a; printf '\033]0;! allow?\007Run rm? '; read a; printf '\033]0;* more\007'; read a; printf '\033]0;ready\007'; read a`)
	spec.Record.Agent, spec.Manifest = "probe", []byte(statusAgent)
	h := startHost(t, spec)
	c := h.control()
	info, err := c.Subscribe(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	if info.Status.State != "idle" {
		t.Errorf("at first %q", info.Status.State)
	}
	enter := func() {
		t.Helper()
		call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Enter: true})
	}
	waitScreen(t, c, "READY", contains("READY"))
	enter()
	becomes(t, c, "idle", "working")
	enter()
	becomes(t, c, "working", "needs-you")
	if q := call[hostproto.Info](t, c, hostproto.OpInfo, nil).Status; q.Cause.Channel != "title" || q.Cause.Rule != "titleStatus.attention[0]" {
		t.Errorf("cause %+v", q.Cause)
	}
	enter()
	becomes(t, c, "needs-you", "working")
	enter()
	becomes(t, c, "working", "done")
	if s := call[hostproto.Info](t, c, hostproto.OpSeen, nil).Status.State; s != "idle" {
		t.Errorf("after being seen: %q", s)
	}
	trace := call[hostproto.TraceReply](t, c, hostproto.OpTrace, nil).Changes
	var states []string
	for _, ch := range trace {
		states = append(states, ch.To)
	}
	if got := strings.Join(states, " "); !strings.HasSuffix(got, "working needs-you working done idle") {
		t.Errorf("trace %v", got)
	}
}

func TestProgramStatusIsAnsweredAndBelieved(t *testing.T) {
	// The program asks whether OSC 7501 is understood before it says a word.
	spec := testSpec(t, `stty raw -echo; printf '\033]7501;?\033\\'; dd bs=1 count=10 2>/dev/null >got; printf '\033]7501;state=blocked:kind=question:msg=V2hpY2g/\033\\READY'; cat`)
	spec.Record.Agent, spec.Manifest = "probe", []byte(statusAgent)
	h := startHost(t, spec)
	c := h.control()
	waitScreen(t, c, "READY", contains("READY"))
	st := call[hostproto.Info](t, c, hostproto.OpInfo, nil).Status
	if st.State != "needs-you" || st.Question != "Which?" || st.Cause.Channel != "osc7501" {
		t.Errorf("status %+v", st)
	}
}

func TestBellAsksToBeSeen(t *testing.T) {
	h := startHost(t, testSpec(t, `printf '\007READY'; read x`))
	c := h.control()
	if _, err := c.Subscribe(testContext(t)); err != nil {
		t.Fatal(err)
	}
	waitScreen(t, c, "READY", contains("READY"))
	st := call[hostproto.Info](t, c, hostproto.OpInfo, nil)
	if st.Status.State != "needs-you" || st.Status.Cause.Channel != "bell" {
		t.Errorf("after a bell: %+v", st.Status)
	}
	if r := readRecord(t, h.spec); r.State == "" || r.HostPID != h.cmd.Process.Pid || hostproto.Gone(r.HostPID, r.HostBoot) {
		t.Errorf("record %+v", r)
	}
}
