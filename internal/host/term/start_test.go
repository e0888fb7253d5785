//go:build unix

package term

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/host"
	"github.com/termio-sh/termio/internal/hostproto"
)

func readRecord(t *testing.T, spec hostproto.Spec) hostproto.Record {
	t.Helper()
	var r hostproto.Record
	data, err := os.ReadFile(filepath.Join(spec.SessionDir, "record.json"))
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestStartSaysWhatIsWrong(t *testing.T) {
	for name, tc := range map[string]struct {
		spoil func(*hostproto.Spec)
		says  []string
	}{
		"directory gone": {func(s *hostproto.Spec) { s.Record.Dir += "/gone" }, []string{"/gone is gone", "one that exists"}},
		"directory a file": {func(s *hostproto.Spec) {
			s.Record.Dir += "/file"
			os.WriteFile(s.Record.Dir, nil, 0o600)
		}, []string{"not a directory"}},
		"socket path too long": {func(s *hostproto.Spec) {
			s.Record.Socket = filepath.Dir(s.Record.Socket) + "/" + strings.Repeat("x", 120)
		}, []string{"bytes", "shorter", "TERMIO_HOME"}},
		"shell missing":          {func(s *hostproto.Spec) { s.Record.Shell = "/nowhere/sh" }, []string{"/nowhere/sh", "no such file", "SHELL"}},
		"no shell":               {func(s *hostproto.Spec) { s.Record.Shell = "" }, []string{"shell", "not an absolute path"}},
		"session dir not there":  {func(s *hostproto.Spec) { s.SessionDir = "/dev/null/x" }, []string{"/dev/null", "TERMIO_HOME"}},
		"session dir a bad path": {func(s *hostproto.Spec) { s.SessionDir = "here" }, []string{"not an absolute path"}},
		"manifest wrong":         {func(s *hostproto.Spec) { s.Manifest = []byte(`{"id":7}`) }, []string{"manifest"}},
		"no id":                  {func(s *hostproto.Spec) { s.Record.ID = "" }, []string{"no id"}},
	} {
		t.Run(name, func(t *testing.T) {
			spec := testSpec(t, "")
			tc.spoil(&spec)
			h := launch(t, spec)
			if h.started.OK || h.started.Error == nil || h.started.Error.Code != hostproto.CodeStartFailed {
				t.Fatalf("answer: %+v", h.started)
			}
			for _, part := range tc.says {
				if !strings.Contains(h.started.Error.Message, part) {
					t.Errorf("%q does not say %q", h.started.Error.Message, part)
				}
			}
			h.waitGone()
			if _, err := os.Stat(spec.Record.Socket); err == nil {
				t.Error("the socket was left behind")
			}
		})
	}
}

func TestSocketTaken(t *testing.T) {
	first := startHost(t, testSpec(t, ""))
	spec := testSpec(t, "")
	spec.Record.Socket = first.spec.Record.Socket
	second := launch(t, spec)
	if second.started.OK || !strings.Contains(second.started.Error.Message, "in use") {
		t.Errorf("answer: %+v", second.started)
	}
	call[hostproto.Info](t, first.control(), hostproto.OpInfo, nil)
}

func TestStaleSocketIsReplaced(t *testing.T) {
	spec := testSpec(t, "")
	if err := os.WriteFile(spec.Record.Socket, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h := startHost(t, spec)
	call[hostproto.Info](t, h.control(), hostproto.OpInfo, nil)
	st, err := os.Stat(spec.Record.Socket)
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("socket: %v, %v", st.Mode(), err)
	}
}

func TestBootFailure(t *testing.T) {
	spec := testSpec(t, `echo "cannot find the model"; exit 7`)
	spec.Prompt = &hostproto.SendRequest{Text: "never typed", Enter: true}
	h := startHost(t, spec)
	h.waitGone()
	c := readRecord(t, spec).Closed
	if c == nil || c.Reason != hostproto.ReasonBootFailed || c.ExitCode == nil || *c.ExitCode != 7 || c.LastLines != "cannot find the model" {
		t.Errorf("closed: %+v", c)
	}
}

func TestMissingCommandIsABootFailure(t *testing.T) {
	spec := testSpec(t, `no-such-agent --flag`)
	h := startHost(t, spec)
	h.waitGone()
	c := readRecord(t, spec).Closed
	if c == nil || c.Reason != hostproto.ReasonBootFailed || *c.ExitCode != 127 || !strings.Contains(c.LastLines, "not found") {
		t.Errorf("closed: %+v", c)
	}
}

func TestExitIsSeenAndTheHostGoesSoon(t *testing.T) {
	h := startHost(t, testSpec(t, `printf READY; read x`))
	c := h.control()
	if _, err := c.Subscribe(testContext(t)); err != nil {
		t.Fatal(err)
	}
	waitScreen(t, c, "READY", contains("READY"))
	call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Keys: []string{"enter"}})
	begin := time.Now()
	var last hostproto.Event
	for {
		m, err := c.Next(testContext(t))
		if err != nil {
			break
		}
		if m.Event.Seq <= last.Seq {
			t.Errorf("event %d after %d", m.Event.Seq, last.Seq)
		}
		last = *m.Event
	}
	if last.Type != hostproto.EventExited || last.Closed == nil || last.Closed.Reason != hostproto.ReasonExited {
		t.Errorf("the last event: %+v", last)
	}
	h.waitGone()
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("the host went %v after its program", took)
	}
	if r := readRecord(t, h.spec); r.Closed == nil || r.Title() != "Terminal" {
		t.Errorf("record %+v", r)
	}
}

func TestTitleRenameAndCwd(t *testing.T) {
	h := startHost(t, testSpec(t, `printf '\033]0;✳ Fix the tests\007\033]7;file:///some/where\007READY'; read x; printf '\033]0;~/work\007gone'; read x`))
	c := h.control()
	if _, err := c.Subscribe(testContext(t)); err != nil {
		t.Fatal(err)
	}
	waitScreen(t, c, "READY", contains("READY"))
	r := call[hostproto.Info](t, c, hostproto.OpInfo, nil).Record
	if r.Title() != "Fix the tests" || r.Cwd != "/some/where" {
		t.Errorf("title %q, cwd %q", r.Title(), r.Cwd)
	}
	if r := call[hostproto.Info](t, c, hostproto.OpRename, hostproto.RenameRequest{Title: " my \x1b[31mjob "}).Record; r.Title() != "my  [31mjob" {
		t.Errorf("renamed to %q", r.Title())
	}
	if r := call[hostproto.Info](t, c, hostproto.OpRename, hostproto.RenameRequest{}).Record; r.Title() != "Fix the tests" {
		t.Errorf("the program's title is not back: %q", r.Title())
	}
	call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Keys: []string{"enter"}})
	waitScreen(t, c, "the second title", contains("gone"))
	if r := call[hostproto.Info](t, c, hostproto.OpInfo, nil).Record; r.Title() != "Terminal" {
		t.Errorf("a path became a title: %q", r.Title())
	}
}

func TestDiskFullDoesNotEndTheSession(t *testing.T) {
	spec := testSpec(t, "")
	h := startHost(t, spec)
	c := h.control()
	if _, err := c.Subscribe(testContext(t)); err != nil {
		t.Fatal(err)
	}
	waitScreen(t, c, "the prompt", func(s string) bool { return s != "" })
	// A record that is a folder cannot be replaced, whoever tries.
	path := filepath.Join(spec.SessionDir, "record.json")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(path, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{"a", "b", "c"} {
		call[hostproto.Info](t, c, hostproto.OpRename, hostproto.RenameRequest{Title: title})
	}
	call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Text: "echo go''es", Enter: true})
	waitScreen(t, c, "the shell, alive", contains("\ngoes"))
	log := ""
	waitFor(t, func() string { return "the failure in the log" }, func() bool {
		data, _ := os.ReadFile(filepath.Join(spec.SessionDir, host.LogName))
		log = string(data)
		return strings.Contains(log, "the session goes on")
	})
	if n := strings.Count(log, "the session goes on"); n != 1 {
		t.Errorf("logged %d times:\n%s", n, log)
	}
	// How it ended is written as soon as there is room again.
	call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Text: "exit 7", Enter: true})
	for {
		m, err := c.Next(testContext(t))
		if err != nil || m.Event != nil && m.Event.Type == hostproto.EventExited {
			break
		}
	}
	select {
	case <-h.gone:
		t.Fatal("the host ended with the end of its session untold")
	case <-time.After(2 * linger):
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	h.waitGone()
	if r := readRecord(t, spec); r.Closed == nil || r.Closed.Reason != hostproto.ReasonExited || r.Closed.ExitCode == nil || *r.Closed.ExitCode != 7 {
		t.Errorf("record: %+v", r.Closed)
	}
}
