//go:build unix

package term

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/termio-sh/termio/atp"
	proc "github.com/termio-sh/termio/internal/host/process"
	"github.com/termio-sh/termio/internal/hostproto"
)

// The rules of recognition, scene by scene.
func TestRecognition(t *testing.T) {
	known := atp.Programs{"claude": "claudeCode", "codex": "codex", "pi": "pi"}
	const shell, job, other = 100, 200, 300
	at := func(pid int, argv ...string) proc.Someone {
		return proc.Someone{Process: proc.Process{PID: pid}, Argv: argv}
	}
	type step struct {
		what    string
		leader  proc.Someone
		members []proc.Someone
		stopped bool // the agent does not go on
		after   time.Duration
		want    string
	}
	sh := at(shell, "-bash")
	for name, steps := range map[string][]step{
		"an agent comes and goes": {
			{what: "the shell", leader: sh, want: ""},
			{what: "the agent", leader: at(job, "claude"), want: "claudeCode"},
			{what: "the shell again", leader: sh, stopped: true, want: ""},
		},
		"by its script": {
			{leader: at(job, "node", "--no-warnings", "/usr/lib/node_modules/@openai/codex/bin/codex.js"), want: "codex"},
		},
		"a name that is only in a folder of the user's": {
			{leader: at(job, "node", "/home/pi/server.js"), want: ""},
			{leader: at(job, "vim", "claude"), want: ""},
		},
		"before it has replaced the shell's copy": {
			{what: "forked", leader: at(job, "-bash"), want: ""},
			{what: "executed", leader: at(job, "codex"), want: "codex"},
		},
		"what cannot be read takes nothing away": {
			{leader: at(job, "claude"), want: "claudeCode"},
			{what: "no answer", leader: at(job), stopped: true, want: "claudeCode"},
			{what: "a title without a name", leader: at(job), want: "claudeCode"},
		},
		"what it starts in the foreground is not it": {
			{leader: at(job, "claude"), want: "claudeCode"},
			{what: "its editor", leader: at(other, "vim"), want: "claudeCode"},
			{what: "it is gone, its editor not", leader: at(other, "vim"), stopped: true, want: ""},
		},
		"suspended": {
			{leader: at(job, "claude"), want: "claudeCode"},
			{what: "Ctrl-Z", leader: sh, want: ""},
			{what: "fg", leader: at(job, "claude"), want: "claudeCode"},
		},
		"the leader of a pipeline is gone": {
			{leader: at(job), members: []proc.Someone{at(201, "cat"), at(202, "claude", "-p")}, want: "claudeCode"},
		},
		"a wrapper": {
			{what: "npx", leader: at(job, "npm exec codex"), members: []proc.Someone{at(201, "sh")}, want: ""},
			{what: "too soon", leader: at(job, "npm exec codex"), members: []proc.Someone{at(202, "codex")}, want: ""},
			{what: "after a while", after: scanEvery, leader: at(job, "npm exec codex"), members: []proc.Someone{at(202, "codex")}, want: "codex"},
		},
		"a program that is no wrapper": {
			{leader: at(job, "make"), members: []proc.Someone{at(201, "codex")}, want: ""},
		},
		"another agent": {
			{leader: at(job, "claude"), want: "claudeCode"},
			{leader: at(other, "codex"), want: "codex"},
		},
		"the shell became it": {
			{leader: at(shell, "claude"), want: "claudeCode"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var r recognition
			now := time.Unix(1000, 0)
			for _, s := range steps {
				now = now.Add(s.after)
				r = r.next(scene{
					now: now, group: s.leader.PID, shell: s.leader.PID == shell, leader: s.leader,
					members: func() []proc.Someone { return s.members },
					goesOn:  func(proc.Process) bool { return !s.stopped },
				}, known)
				if r.agent != s.want {
					t.Fatalf("%s: %q, want %q", s.what, r.agent, s.want)
				}
			}
		})
	}
}

// An agent that is started by hand makes the session that agent: its name, its
// rules and what it said before it was recognised. Its end makes it a terminal
// again, and turns go on counting.
func TestForegroundAgent(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("who is in the foreground is not known on this system")
	}
	spec := testSpec(t, "")
	dir := filepath.Dir(spec.SessionDir)
	agents, bin := filepath.Join(dir, "agents"), filepath.Join(dir, "bin")
	for _, d := range []string{agents, bin} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(agents, "faux.json"), `{"id":"faux","name":"Faux","command":"faux",
	 "titleStatus":{"working":["^busy"],"idle":["^rest"]}}`)
	write(filepath.Join(bin, "faux"), "#!/bin/sh\nprintf '\\033]0;busy with it\\007'; read a <one; printf '\\033]0;rest\\007'; read b <two; echo gone\n")
	for _, gate := range []string{"one", "two"} {
		if err := syscall.Mkfifo(filepath.Join(spec.Record.Dir, gate), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pass := func(gate string) {
		t.Helper()
		write(filepath.Join(spec.Record.Dir, gate), "on\n") // waits for its reader
	}
	spec.Programs, spec.AgentsDir = map[string]string{"faux": "faux"}, agents
	h := startHost(t, spec)
	c := h.control()
	call[hostproto.Info](t, c, hostproto.OpSubscribe, nil)
	events := make(chan hostproto.Event, 256)
	go func() {
		defer close(events)
		for {
			m, err := c.Next(testContext(t))
			if err != nil {
				return
			}
			if m.Event != nil && m.Event.Type == hostproto.EventAgent {
				events <- *m.Event
			}
		}
	}()
	asker := h.control()
	is := func(agent, state string) hostproto.Info {
		t.Helper()
		var i hostproto.Info
		waitFor(t, func() string { return agent + " " + state + "; it is " + i.Record.Agent + " " + i.Status.State }, func() bool {
			i = call[hostproto.Info](t, asker, hostproto.OpInfo, nil)
			return i.Record.Agent == agent && (state == "" || i.Status.State == state)
		})
		return i
	}
	told := func(id string, plain bool) {
		t.Helper()
		select {
		case ev := <-events:
			if ev.Agent == nil || ev.Agent.ID != id || ev.Agent.Plain != plain {
				t.Errorf("told %+v", ev.Agent)
			}
		case <-time.After(patience):
			t.Fatal("nobody was told")
		}
	}
	is("terminal", "")
	call[hostproto.SendReply](t, asker, hostproto.OpSend, hostproto.SendRequest{Text: filepath.Join(bin, "faux"), Enter: true})
	i := is("faux", "working") // its title came before it was recognised
	told("faux", true)
	if i.Record.AgentName != "Faux" || !i.Record.Plain || i.Status.Turn == 0 {
		t.Errorf("%+v %+v", i.Record, i.Status)
	}
	turn := i.Status.Turn
	pass("one")
	is("faux", "done")
	pass("two")
	i = is("terminal", "")
	told("terminal", false)
	if i.Record.AgentName != "Terminal" || i.Record.Plain || i.Status.State == "working" || i.Status.Turn < turn {
		t.Errorf("%+v %+v", i.Record, i.Status)
	}
	var found bool
	for _, c := range call[hostproto.TraceReply](t, asker, hostproto.OpTrace, nil).Changes {
		found = found || c.Cause.Channel == "foreground" && c.Cause.Rule == "faux"
	}
	if !found {
		t.Error("the trace does not say so")
	}
}
