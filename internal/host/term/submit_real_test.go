//go:build unix

package term

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/testkit/scriptagent"
)

// scripted is an agent whose titles tell its turns.
const scripted = `{"id":"probe","name":"Probe","command":"probe",
 "titleStatus":{"working":["^◐ "]},
 "ready":{"bracketedPaste":true,"screen":["is ready"]},"input":{"clear":["ctrl+u"]}}`

// startScripted starts a host with a scripted agent of that temper.
func startScripted(t *testing.T, prompt string, temper ...string) (*testHost, *hostproto.Client) {
	t.Helper()
	agent := scriptagent.Build(t)
	spec := testSpec(t, strings.Join(append([]string{agent, "-titles", "-paste", "-record", "got"}, temper...), " "))
	spec.Record.Agent, spec.Manifest = "probe", []byte(scripted)
	if prompt != "" {
		spec.Prompt = &hostproto.SendRequest{Text: prompt, Enter: true}
	}
	h := startHost(t, spec)
	return h, h.control()
}

func (h *testHost) enters() int {
	h.t.Helper()
	data, err := os.ReadFile(filepath.Join(h.spec.Record.Dir, "got"))
	if err != nil {
		h.t.Fatal(err)
	}
	return strings.Count(string(data), "\r")
}

func TestSwallowedEnterIsPressedAgain(t *testing.T) {
	for name, tc := range map[string]struct {
		temper []string
		enters int
	}{
		"agreeable":         {nil, 1},
		"eats one":          {[]string{"-eat-enter", "1"}, 2},
		"breaks the line":   {[]string{"-break-enter", "1"}, 2},
		"eats one, redraws": {[]string{"-eat-enter", "1", "-alt", "-redraw", "20"}, 2},
		"slow":              {[]string{"-slow", "700ms"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, c := startScripted(t, "", tc.temper...)
			r := call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Text: "work 300", Enter: true})
			if deref(r.Submitted) != true || !r.Verified {
				t.Errorf("reply %+v, submitted %v", r, deref(r.Submitted))
			}
			waitScreen(t, c, "the answer", contains("worked 300 ms"))
			if n := h.enters(); n != tc.enters {
				t.Errorf("Enter was pressed %d times, want %d", n, tc.enters)
			}
		})
	}
}

func TestUnsentTextIsAnError(t *testing.T) {
	h, c := startScripted(t, "", "-eat-enter", "100")
	if _, err := c.Subscribe(testContext(t)); err != nil {
		t.Fatal(err)
	}
	var failure *hostproto.Error
	err := c.Call(testContext(t), hostproto.OpSend, hostproto.SendRequest{Text: "work 300", Enter: true}, nil)
	if !errors.As(err, &failure) || failure.Code != hostproto.CodeNotDelivered || !strings.Contains(failure.Message, "stands in the prompt unsent") {
		t.Errorf("%v", err)
	}
	if n := h.enters(); n != 2 {
		t.Errorf("Enter was pressed %d times", n)
	}
	for {
		m, err := c.Next(testContext(t))
		if err != nil {
			t.Fatal(err)
		}
		if m.Event.Type == hostproto.EventDelivery {
			if d := m.Event.Delivery; deref(d.Submitted) != false || d.Error == nil {
				t.Errorf("event %+v", d)
			}
			break
		}
	}
	if st := call[hostproto.Info](t, c, hostproto.OpInfo, nil).Status; st.Error != "" {
		t.Errorf("who sent it was told, the status says it too: %+v", st)
	}
}

func TestUnsentPromptShows(t *testing.T) {
	_, c := startScripted(t, "work 300", "-eat-enter", "2")
	var st hostproto.Status
	waitFor(t, func() string { return "the error in the status" }, func() bool {
		st = call[hostproto.Info](t, c, hostproto.OpInfo, nil).Status
		return st.Error != ""
	})
	if !strings.HasPrefix(st.Error, "the prompt was not delivered: ") || st.State != "idle" {
		t.Errorf("status %+v", st)
	}
	trace := call[hostproto.TraceReply](t, c, hostproto.OpTrace, nil).Changes
	if last := trace[len(trace)-1]; last.Cause.Channel != "delivery" || last.Cause.Rule != hostproto.CodeNotDelivered || last.From != last.To {
		t.Errorf("trace %+v", last)
	}
	call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Keys: []string{"enter"}})
	waitScreen(t, c, "the answer", contains("worked 300 ms"))
	waitFor(t, func() string { return "no error" }, func() bool {
		return call[hostproto.Info](t, c, hostproto.OpInfo, nil).Status.Error == ""
	})
}

// TestPromptSwallowedAtTheStart: the agent shows that it is ready, and is not.
func TestPromptSwallowedAtTheStart(t *testing.T) {
	for name, temper := range map[string][]string{
		"at rest": {"-deaf", "2s"},
		"redraws": {"-deaf", "2s", "-alt", "-redraw", "20"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, c := startScripted(t, "work 300", temper...)
			waitScreen(t, c, "the answer", contains("worked 300 ms"))
		})
	}
}

// TestReportEndsTheCheck at once, although nothing moves on the screen.
func TestReportEndsTheCheck(t *testing.T) {
	spec := testSpec(t, `stty raw -echo; printf '\033[?2004hREADY\r\n> fix it'; cat >got`)
	spec.Record.Agent, spec.Manifest = "probe", []byte(statusAgent)
	spec.Env = append(spec.Env, "TERMIO_TOKEN=secret")
	h := startHost(t, spec)
	c, other := h.control(), h.control()
	waitScreen(t, c, "READY", contains("READY"))
	ended := make(chan time.Time, 1)
	go func() {
		if r := call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Text: "fix it", Enter: true}); deref(r.Submitted) != true {
			t.Errorf("submitted %v", deref(r.Submitted))
		}
		ended <- time.Now()
	}()
	waitFor(t, func() string { return "Enter" }, func() bool {
		data, _ := os.ReadFile(filepath.Join(h.spec.Record.Dir, "got"))
		return strings.HasSuffix(string(data), "\r")
	})
	call[struct{}](t, other, hostproto.OpReport, hostproto.Report{State: "working", Token: "secret"})
	begun := time.Now()
	if took := (<-ended).Sub(begun); took > effectTime/2 {
		t.Errorf("the delivery ended %v after the report", took)
	}
}
