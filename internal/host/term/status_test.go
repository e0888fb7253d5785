//go:build unix

package term

import (
	"os"
	"path/filepath"
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

// states follows a session's status events until the state is last, and gives
// them all.
func states(t *testing.T, c *hostproto.Client, last string) (all []hostproto.Status) {
	t.Helper()
	for {
		m, err := c.Next(testContext(t))
		if err != nil {
			t.Fatalf("after %+v: %v", all, err)
		}
		if m.Event.Type != hostproto.EventStatus {
			continue
		}
		if all = append(all, *m.Event.Status); m.Event.Status.State == last {
			return all
		}
	}
}

// TestAWholeTurnInOneReport is told as the two changes that it is.
func TestAWholeTurnInOneReport(t *testing.T) {
	spec := testSpec(t, `printf READY; read a; printf '\033]7501;state=done\033\\'; read a`)
	spec.Record.Agent, spec.Manifest = "probe", []byte(statusAgent)
	h := startHost(t, spec)
	c := h.control()
	waitScreen(t, c, "READY", contains("READY"))
	if _, err := c.Subscribe(testContext(t)); err != nil {
		t.Fatal(err)
	}
	call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Keys: []string{"enter"}})
	got := states(t, c, "done")
	if len(got) != 2 || got[0].State != "working" || got[0].Turn != 1 || got[0].Cause.Channel != "osc7501" || got[0].Since.IsZero() || got[1].Turn != 1 {
		t.Errorf("events %+v", got)
	}
}

// TestWhatAViewerTypesIsALook: keys say that somebody has seen what was done,
// reports of the mouse and the focus do not.
func TestWhatAViewerTypesIsALook(t *testing.T) {
	spec := testSpec(t, `stty raw -echo; printf READY; head -c 1 >/dev/null; printf '\033]7501;state=done\033\\'; cat >got`)
	spec.Record.Agent, spec.Manifest = "probe", []byte(statusAgent)
	h := startHost(t, spec)
	c := h.control()
	waitScreen(t, c, "READY", contains("READY"))
	if _, err := c.Subscribe(testContext(t)); err != nil {
		t.Fatal(err)
	}
	v := h.attach(hostproto.Hello{Role: hostproto.RoleInteract, Size: &hostproto.Size{Cols: 80, Rows: 24}})
	v.typeIn("x")
	if got := states(t, c, "done"); got[0].State != "working" {
		t.Errorf("events %+v", got)
	}
	reports := "\x1b[I\x1b[<0;5;5M\x1b[<0;5;5m\x1b[O"
	v.typeIn(reports)
	waitFor(t, func() string { return "the reports in the program" }, func() bool {
		data, _ := os.ReadFile(filepath.Join(h.spec.Record.Dir, "got"))
		return string(data) == reports
	})
	if st := call[hostproto.Info](t, c, hostproto.OpInfo, nil).Status; st.State != "done" {
		t.Errorf("after reports of mouse and focus: %+v", st)
	}
	v.typeIn("\x1b[A")
	if got := states(t, c, "idle"); len(got) != 1 || got[0].Cause.Channel != "seen" {
		t.Errorf("after a key: %+v", got)
	}
}
