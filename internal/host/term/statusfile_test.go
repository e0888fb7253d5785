//go:build unix

package term

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/status"
)

var filed = &atp.Manifest{
	ConfigHome: &atp.ConfigHome{Env: "PROBE_HOME", Path: "~/.probe"},
	SessionFile: &atp.SessionFile{
		Path: "~/.probe/sessions/{pid}.json", State: "now.status", Detail: "waitingFor",
		States: map[string]atp.State{"busy": atp.StateWorking, "waiting": atp.StateAttention, "idle": atp.StateIdle},
	},
}

// TestStatusFileIsRead: what is news, whose file it is, and what a file that is
// half written, unknown or gone says.
func TestStatusFileIsRead(t *testing.T) {
	home := t.TempDir()
	launched := time.Now().Add(-time.Minute)
	f := newStatusFile(filed, hostproto.LaunchNotes{UserHome: "/nowhere", ConfigHome: home, Launched: launched})
	if err := os.Mkdir(filepath.Join(home, "sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	write := func(pid, text string, at time.Time) {
		t.Helper()
		path := filepath.Join(home, "sessions", pid+".json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	all := []int{7, 42}
	says := func(news bool, class status.Class, rule, text string) {
		t.Helper()
		now = now.Add(fileScanEvery)
		ev, changed := f.read(now, []int{0, 7}, func() []int { return all })
		if changed != news || ev.Class != class || ev.Rule != rule || ev.Text != text {
			t.Errorf("news %v %+v, want news %v: %v %q %q", changed, ev, news, class, rule, text)
		}
	}
	says(false, 0, "", "")
	write("7", `{"now":{"status":"busy"}}`, launched.Add(-time.Hour)) // another process of that number
	says(false, 0, "", "")
	write("42", `{"now":{"status":"busy"}}`, now)
	says(true, status.ClassWorking, "busy", "")
	says(false, 0, "", "")
	write("42", `{"now":{"sta`, now.Add(time.Second))
	says(false, 0, "", "")
	write("42", `{"now":{"status":"waiting"},"waitingFor":"permission prompt"}`, now.Add(2*time.Second))
	says(true, status.ClassAttention, "waiting", "permission prompt")
	write("42", `{"now":{"status":"dreaming"}}`, now.Add(3*time.Second))
	says(true, status.ClassNone, "dreaming", "")
	write("42", `{"now":{"status":"idle"}}`, now.Add(4*time.Second))
	says(true, status.ClassIdle, "idle", "")
	if err := os.Remove(filepath.Join(home, "sessions", "42.json")); err != nil {
		t.Fatal(err)
	}
	says(true, status.ClassNone, "", "")
	says(false, 0, "", "")
}

// TestStatusFileBecomesStatus: a program that only writes its file is told.
func TestStatusFileBecomesStatus(t *testing.T) {
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".probe/sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	say := `say() { echo "{\"status\":\"$1\"}" >"` + home + `/.probe/sessions/$$.json"; echo "$1."; }; `
	spec := testSpec(t, say+`printf READY; read a; say busy; read a; say waiting; read a; say busy; read a; say idle; read a`)
	spec.Record.UserHome = home
	spec.Record.Agent, spec.Manifest = "probe", []byte(`{"id":"probe","name":"Probe","command":"probe",
 "sessionFile":{"path":"~/.probe/sessions/{pid}.json","state":"status","states":{"busy":"working","waiting":"attention","idle":"idle"}}}`)
	h := startHost(t, spec)
	c := h.control()
	if _, err := c.Subscribe(testContext(t)); err != nil {
		t.Fatal(err)
	}
	waitScreen(t, c, "READY", contains("READY"))
	from := "idle"
	for _, to := range []string{"working", "needs-you", "working", "done"} {
		call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Enter: true})
		becomes(t, c, from, to)
		from = to
	}
	if cause := call[hostproto.Info](t, c, hostproto.OpInfo, nil).Status.Cause; cause.Channel != "file" || cause.Rule != "idle" {
		t.Errorf("cause %+v", cause)
	}
}
