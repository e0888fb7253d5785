package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/testkit/acpagent"
)

// timesHeard counts how often the scripted agents were asked something.
func (f *fleet) timesHeard(method string) int {
	return strings.Count("\n"+f.heard(), "\n"+method+" ")
}

// warm has an agent wait, and gives its host's pid.
func (f *fleet) warm(args ...string) int {
	f.t.Helper()
	r := must[api.ACPWarmReply](f, append([]string{"acp", "warm", "--json", "--agent", "fake"}, args...)...)
	if len(r.Warm) == 0 || !r.Warm[len(r.Warm)-1].Ready || r.Warm[len(r.Warm)-1].PID == 0 {
		f.t.Fatalf("nothing is warm: %+v", r)
	}
	return r.Warm[len(r.Warm)-1].PID
}

// childOf is a process's one child.
func childOf(t *testing.T, pid int) int {
	t.Helper()
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		data, _ := os.ReadFile(task)
		for word := range strings.FieldsSeq(string(data)) {
			if n, err := strconv.Atoi(word); err == nil {
				return n
			}
		}
	}
	t.Fatalf("the host %d has no agent", pid)
	return 0
}

// nothingWarm waits until no warm host has left anything on disk.
func (f *fleet) nothingWarm() {
	f.t.Helper()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		dirs, _ := filepath.Glob(filepath.Join(f.home, "state", "warm", "*"))
		sockets, _ := filepath.Glob(filepath.Join(f.home, "run", "w", "*"))
		if len(dirs)+len(sockets) == 0 {
			return
		}
		if time.Now().After(end) {
			f.t.Errorf("warm hosts have left %v %v", dirs, sockets)
			return
		}
	}
}

// A session and a run take the agent that waits for them, and are like any
// other: the id in their environment, their journal, their end.
func TestACPWarm(t *testing.T) {
	child := filepath.Join(t.TempDir(), "pid")
	f := acpFleet(t, acpagent.Config{Caps: []string{"delete", "load"}, Child: child})
	f.warm()
	if n := f.timesHeard("session/new"); n != 1 || len(f.list()) != 0 {
		t.Errorf("%d session/new; in the roster: %+v", n, f.list())
	}
	must[api.ACPModelsReply](f, "acp", "models", "--agent", "fake", "--json")
	f.warm() // it is there
	w := must[api.WaitReply](f, "sessions", "spawn", "--acp", "--agent", "fake", "--wait", "--json", "run echo id=$TERMIO_SESSION sock=$TERMIO_SOCK")
	if n := f.timesHeard("initialize"); n != 1 {
		t.Errorf("%d agents were started", n)
	}
	id := strings.TrimPrefix(w.Target, "termio://session/")
	if text := f.screen(w.Target); w.Status != "done" || !strings.Contains(text, "id="+id) || !strings.Contains(strings.ReplaceAll(text, "\n", ""), ".sock (exit 0)") {
		t.Errorf("%+v\n%s", w, text)
	}
	if _, err := os.Stat(filepath.Join(f.home, "state", "sessions", id, "journal.jsonl")); err != nil {
		t.Error(err)
	}
	f.nothingWarm()
	w = must[api.WaitReply](f, "sessions", "send", w.Target, "say two", "--wait", "--json")
	if w.Status != "done" || f.timesHeard("initialize") != 1 {
		t.Errorf("%+v", w)
	}
	must[api.CloseReply](f, "sessions", "close", w.Target, "--json")
	processEnds(t, pidIn(t, child), 3*time.Second)
	again := must[api.ReopenReply](f, "sessions", "reopen", w.Target, "--json")
	if w = must[api.WaitReply](f, "sessions", "send", w.Target, "say three", "--wait", "--json"); w.Status != "done" || f.timesHeard("session/load") != 1 {
		t.Errorf("reopened %+v: %+v", again, w)
	}
	must[api.CloseReply](f, "sessions", "close", w.Target, "--json")

	before := f.timesHeard("initialize")
	f.warm("--permissions", "restricted")
	events, end, code := f.acpRun("--agent", "fake", "say Hello")
	if code != 0 || end.StopReason != "end_turn" || *end.Content != "Hello" || streamed(events) != "Hello" || end.ProviderSessionID == "" || f.timesHeard("initialize") != before+1 {
		t.Errorf("exit %d, %+v", code, end)
	}
	processEnds(t, pidIn(t, child), 3*time.Second)
	if left := f.list(); len(left) != 0 {
		t.Errorf("a session is left: %+v", left)
	}
	f.nothingWarm()
}

// What may do other things, or is started otherwise, is not taken.
func TestACPWarmIsForItsLikeOnly(t *testing.T) {
	f := acpFleet(t, acpagent.Config{Caps: []string{"delete"}})
	f.warm()
	f.acpRun("--agent", "fake", "say restricted")
	f.env = append(f.env, "ANOTHER=one")
	f.acpRun("--agent", "fake", "--permissions", "auto", "say other")
	if n := f.timesHeard("initialize"); n != 3 {
		t.Errorf("%d agents were started", n)
	}
	f.env = f.env[:len(f.env)-1]
	if f.acpRun("--agent", "fake", "--permissions", "auto", "say mine"); f.timesHeard("initialize") != 3 {
		t.Error("it was not taken")
	}
	f.warm()
	must[api.ACPWarmReply](f, "acp", "warm", "--end", "--json")
	f.nothingWarm()
	if f.timesHeard("session/delete") != 1 { // row 122
		t.Errorf("heard:\n%s", f.heard())
	}
}

// Whoever is killed: nothing is left, and the next session begins all the same.
func TestACPWarmSurvivesNobody(t *testing.T) {
	t.Run("coordinator", func(t *testing.T) {
		child := filepath.Join(t.TempDir(), "pid")
		f := acpFleet(t, acpagent.Config{Child: child, Linger: time.Minute})
		host := f.warm()
		syscall.Kill(must[api.DaemonReply](f, "daemon", "status", "--json").PID, syscall.SIGKILL)
		processEnds(t, host, 5*time.Second)
		processEnds(t, pidIn(t, child), time.Second)
		f.nothingWarm()
		if left := f.list(); len(left) != 0 {
			t.Errorf("in the roster: %+v", left)
		}
	})
	t.Run("host", func(t *testing.T) {
		child := filepath.Join(t.TempDir(), "pid")
		f := acpFleet(t, acpagent.Config{Child: child, Linger: time.Minute})
		host := f.warm()
		agent, pid := childOf(t, host), pidIn(t, child)
		syscall.Kill(host, syscall.SIGKILL)
		if _, end, code := f.acpRun("--agent", "fake", "--permissions", "auto", "say x"); code != 0 || *end.Content != "x" {
			t.Errorf("exit %d, %+v", code, end)
		}
		processEnds(t, agent, 6*time.Second)
		processEnds(t, pid, 6*time.Second)
		f.nothingWarm()
	})
	t.Run("agent", func(t *testing.T) {
		f := acpFleet(t, acpagent.Config{})
		host := f.warm()
		syscall.Kill(childOf(t, host), syscall.SIGKILL)
		w := must[api.WaitReply](f, "sessions", "spawn", "--acp", "--agent", "fake", "--wait", "--json", "say x")
		if w.Status != "done" || !strings.Contains(f.screen(w.Target), "x") {
			t.Errorf("%+v", w)
		}
		processEnds(t, host, 5*time.Second)
		f.nothingWarm()
		if left := f.list(); len(left) != 1 {
			t.Errorf("in the roster: %+v", left)
		}
	})
	t.Run("both, and the next coordinator finds what is left", func(t *testing.T) {
		child := filepath.Join(t.TempDir(), "pid")
		f := acpFleet(t, acpagent.Config{Child: child, Linger: time.Minute})
		host := f.warm()
		agent := childOf(t, host)
		daemon := must[api.DaemonReply](f, "daemon", "status", "--json").PID
		syscall.Kill(daemon, syscall.SIGSTOP)
		syscall.Kill(host, syscall.SIGKILL)
		syscall.Kill(daemon, syscall.SIGKILL)
		f.list() // starts the next
		processEnds(t, agent, 6*time.Second)
		processEnds(t, pidIn(t, child), 6*time.Second)
		f.nothingWarm()
	})
}

// The setting: never, and always.
func TestACPWarmSetting(t *testing.T) {
	f := acpFleet(t, acpagent.Config{})
	f.termio("config", "set", "acp.warm", "never")
	if r := f.termio("acp", "warm", "--agent", "fake", "--json"); r.code == 0 || !strings.Contains(r.out+r.err, "acp.warm") {
		t.Errorf("%+v", r)
	}
	f.termio("config", "set", "acp.warm", "always")
	waits := func() bool {
		for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			if w := must[api.ACPWarmReply](f, "acp", "warm", "--list", "--json").Warm; len(w) == 1 && w[0].Ready {
				return true
			}
		}
		return false
	}
	for range 2 {
		w := must[api.WaitReply](f, "sessions", "spawn", "--acp", "--agent", "fake", "--wait", "--json", "say x")
		if w.Status != "done" || !waits() {
			t.Errorf("%+v; none waits for the next", w)
		}
		must[api.CloseReply](f, "sessions", "close", w.Target, "--json")
	}
	if n := f.timesHeard("initialize"); n != 3 {
		t.Errorf("%d agents were started", n)
	}
}

// Row 13: the log of session/load, of a session's host and of an errand.
func TestACPLoadRecord(t *testing.T) {
	f := acpFleet(t, acpagent.Config{Caps: []string{"load"}, Replay: []string{"user a", "say b"}})
	must[api.ACPLoadReply](f, "acp", "load", "old-1", "--agent", "fake", "--json")
	log, err := os.ReadFile(filepath.Join(f.home, "logs", "daemon.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, state := range []string{acphost.LoadStarted, acphost.LoadSuccess} {
		n := 0
		for line := range strings.Lines(string(log)) {
			if strings.Contains(line, `"acp session/load"`) && strings.Contains(line, `"agent":"fake"`) && strings.Contains(line, `"session":"old-1"`) && strings.Contains(line, `"state":"`+state+`"`) &&
				strings.Contains(line, `"budget_ms":60000`) && strings.Contains(line, `"elapsed_ms":`) == (state != acphost.LoadStarted) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d records of %s:\n%s", n, state, log)
		}
	}
	w := must[api.WaitReply](f, "sessions", "spawn", "--acp", "--agent", "fake", "--session", "old-2", "--wait", "--json", "say x")
	own, err := os.ReadFile(filepath.Join(f.home, "state", "sessions", strings.TrimPrefix(w.Target, "termio://session/"), "host.log"))
	if err != nil || strings.Count(string(own), `"acp session/load"`) != 2 || !strings.Contains(string(own), `"session":"old-2","state":"success","budget_ms":60000,"elapsed_ms":`) {
		t.Errorf("%v: %s", err, own)
	}
}

// Row 168: a tool that asks is a question of the session; its answer is a turn of
// its own, whose end is waited for.
func TestACPToolQuestion(t *testing.T) {
	f := acpFleet(t, acpagent.Config{})
	ask := `update {"sessionUpdate":"tool_call","toolCallId":"q1","title":"question","status":"pending","rawInput":{"questions":[{"question":"Which way?","options":[{"label":"Left"},{"label":"Right"}]}]}}` + "\nhang"
	w := must[api.WaitReply](f, "sessions", "spawn", "--acp", "--agent", "fake", "--wait", "--json", ask)
	if w.Status != "needs-you" || len(w.Options) != 2 || !strings.Contains(w.Prompt, "Which way?") {
		t.Fatalf("%+v", w)
	}
	w = must[api.WaitReply](f, "sessions", "send", w.Target, "Right", "--wait", "--json")
	if text := f.screen(w.Target); w.Status != "done" || !strings.Contains(text, "Answer: Right") || strings.Count(text, "Answer: Right") < 2 {
		t.Errorf("%+v\n%s", w, text)
	}
}
