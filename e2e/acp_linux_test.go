package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/testkit/acpagent"
)

// scripted builds the scripted agent once.
var scripted = sync.OnceValues(func() (string, error) {
	path := filepath.Join(bin, "acpagent")
	return path, acpagent.BuildTo(path)
})

// acpFleet is a fleet whose agent "fake" is the scripted one, of this temper.
func acpFleet(t *testing.T, c acpagent.Config) *fleet {
	t.Helper()
	path, err := scripted()
	if err != nil {
		t.Fatal(err)
	}
	f := newFleet(t)
	if c.Log == "" {
		c.Log = filepath.Join(f.home, "heard")
	}
	f.temper(c)
	f.manifest("fake", map[string]any{"command": path})
	t.Cleanup(func() {
		for _, line := range acpagent.Heard(c.Log) {
			if strings.HasPrefix(line, "INVALID") {
				t.Errorf("the agent was sent: %s", line)
			}
		}
	})
	return f
}

// temper changes the scripted agent's Config.
func (f *fleet) temper(c acpagent.Config) {
	kept := f.env[:0:0]
	for _, kv := range f.env {
		if !strings.HasPrefix(kv, acpagent.Variable+"=") {
			kept = append(kept, kv)
		}
	}
	f.env = append(kept, c.Env())
}

func (f *fleet) manifest(id string, server map[string]any) {
	f.t.Helper()
	dir := filepath.Join(f.home, "config", "agents")
	data, err := json.Marshal(map[string]any{"id": id, "name": "Fake " + id, "command": "true", "acp": server})
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, id+".json"), data, 0o600)
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fleet) heard() string {
	return strings.Join(acpagent.Heard(filepath.Join(f.home, "heard")), "\n")
}

// running is `termio acp run --json` at work.
type running struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines chan string
	out   strings.Builder
	err   strings.Builder
}

func (f *fleet) acpStart(args ...string) *running {
	f.t.Helper()
	r := &running{t: f.t, cmd: exec.Command(filepath.Join(bin, "termio"), append([]string{"acp", "run", "--json"}, args...)...), lines: make(chan string, 1000)}
	r.cmd.Dir, r.cmd.Env, r.cmd.Stderr = f.dir, f.env, &r.err
	out, err := r.cmd.StdoutPipe()
	if err == nil {
		err = f.start(r.cmd)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	go func() {
		defer close(r.lines)
		in := bufio.NewReader(out)
		for {
			line, err := in.ReadString('\n')
			if line != "" {
				r.lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	f.t.Cleanup(func() { r.cmd.Process.Kill() })
	return r
}

// until reads on to an event of a type.
func (r *running) until(kind string) acphost.Event {
	r.t.Helper()
	for line := range r.lines {
		r.out.WriteString(line)
		var ev acphost.Event
		if json.Unmarshal([]byte(line), &ev) == nil && ev.Type == kind {
			return ev
		}
	}
	r.t.Fatalf("there was no %s in\n%s%s", kind, r.out.String(), r.err.String())
	return acphost.Event{}
}

// end reads to the end: the last event and the exit code.
func (r *running) end() (acphost.Event, int) {
	r.t.Helper()
	for line := range r.lines {
		r.out.WriteString(line)
	}
	r.cmd.Wait()
	events := acpEvents(r.t, r.out.String())
	if len(events) == 0 {
		r.t.Fatalf("nothing was printed: %s", r.err.String())
	}
	return events[len(events)-1], r.cmd.ProcessState.ExitCode()
}

// processEnds waits until a process has ended.
func processEnds(t *testing.T, pid int, within time.Duration) {
	t.Helper()
	for end := time.Now().Add(within); ; time.Sleep(10 * time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		if time.Now().After(end) {
			t.Errorf("process %d still runs after %v: %s", pid, within, stat)
			syscall.Kill(pid, syscall.SIGKILL)
			return
		}
	}
}

func pidIn(t *testing.T, path string) int {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(data))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// Row 123: one turn, whole, and nothing is left, wrappers and grandchildren
// included.
func TestACPRunLeavesNothing(t *testing.T) {
	child := filepath.Join(t.TempDir(), "pid")
	f := acpFleet(t, acpagent.Config{Child: child, Noise: "warming up\n", Linger: time.Minute})
	events, end, code := f.acpRun("--agent", "fake", "say Hello\nthink hm\nsay  world\nother ANOTHER\n"+
		`update {"sessionUpdate":"galaxy","x":1}`+"\n"+`update {"sessionUpdate":"agent_message_chunk","content":{"type":"hologram","y":2}}`+"\nlate LATE\nstop max_tokens")
	if code != 0 || end.StopReason != "max_tokens" || *end.Content != "Hello world" || streamed(events) != "Hello world" || end.ProviderSessionID != "sess-1" {
		t.Errorf("exit %d, %+v", code, end)
	}
	processEnds(t, pidIn(t, child), 3*time.Second)
	noise := 0
	for _, ev := range events {
		if ev.Type == acphost.EventNoise {
			noise += ev.Count
		}
	}
	var raw []string
	for _, ev := range events {
		if ev.Type == acphost.EventRaw {
			raw = append(raw, string(ev.Update))
		}
	}
	if got := strings.Join(raw, " "); len(raw) != 2 || !strings.Contains(got, `"x":1`) || !strings.Contains(got, `"y":2`) {
		t.Errorf("what is not known: %s", got)
	}
	if noise != 1 {
		t.Errorf("%d lines of noise were told", noise)
	}
	if left := f.list(); len(left) != 0 {
		t.Errorf("a session is left: %+v", left)
	}
}

// What a failed run says, and that it is one line.
func TestACPRunFailures(t *testing.T) {
	f := acpFleet(t, acpagent.Config{})
	f.manifest("missing", map[string]any{"command": "/nonexistent/agent-server"})
	f.manifest("broken", map[string]any{"command": "/bin/sh", "args": []string{"-c", "echo cannot find module >&2; exit 9"}})
	for _, c := range []struct {
		name   string
		temper acpagent.Config
		args   []string
		word   string
		want   []string
	}{
		{"missing", acpagent.Config{}, []string{"--agent", "missing", "x"}, "start_failed", []string{"agent-server"}},
		{"dies at once", acpagent.Config{}, []string{"--agent", "broken", "x"}, acphost.FailGone, []string{"initialize", "exit code 9", "cannot find module"}},
		{"unknown agent", acpagent.Config{}, []string{"--agent", "nobody", "x"}, "bad_agent", []string{"nobody"}},
		{"no server", acpagent.Config{}, []string{"--agent", "terminal", "x"}, "bad_agent", []string{"fake"}},
		{"auth", acpagent.Config{Auth: []string{"oauth"}, Fail: map[string]*acp.Error{"session/new": acp.Errorf(-32000, "Authentication required")}}, []string{"--agent", "fake", "x"}, acphost.FailAuth, []string{"session/new", "oauth"}},
		{"version", acpagent.Config{Version: 9}, []string{"--agent", "fake", "x"}, acphost.FailProtocol, []string{"version 9"}},
		{"no way to continue", acpagent.Config{}, []string{"--agent", "fake", "--session", "old-7", "x"}, acphost.FailResume, []string{"old-7", "session/load"}},
		{"long line", acpagent.Config{Stderr: "big\n"}, []string{"--agent", "fake", "long 70000000"}, acphost.FailTooLong, []string{"session/prompt", "70000000 bytes", "big"}},
		{"died in the turn", acpagent.Config{}, []string{"--agent", "fake", "say a\ndie 4"}, acphost.FailGone, []string{"session/prompt", "exit code 4"}},
		{"an unknown reason", acpagent.Config{}, []string{"--agent", "fake", "say x\nstop tired"}, acphost.FailAgent, []string{"session/prompt", "tired"}},
		{"its own error", acpagent.Config{}, []string{"--agent", "fake", "fail -32603 no model"}, acphost.FailAgent, []string{"no model", "scripted"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.temper.Log = filepath.Join(f.home, "heard")
			f.temper(c.temper)
			_, end, code := f.acpRun(c.args...)
			if code != 1 || end.Type != acphost.EventFailed || end.Error != c.word {
				t.Fatalf("exit %d, %+v", code, end)
			}
			for _, w := range c.want {
				if !strings.Contains(end.Message, w) {
					t.Errorf("%q does not say %q", end.Message, w)
				}
			}
		})
	}
}

// SIGINT: what is said, and how soon.
func TestACPRunInterrupted(t *testing.T) {
	for _, c := range []struct {
		name   string
		temper acpagent.Config
		prompt string
		after  string // the event to wait for
		id     string
		within time.Duration
	}{
		{"in the set-up", acpagent.Config{Hang: []string{"session/new"}, Linger: time.Minute}, "x", acphost.EventStarting, "", 4 * time.Second},
		{"in a turn", acpagent.Config{}, "say part\nhang", acphost.EventStream, "sess-1", 6 * time.Second},
		{"ignored", acpagent.Config{IgnoreCancel: true}, "say part\nhang", acphost.EventStream, "sess-1", 8 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := acpFleet(t, c.temper)
			r := f.acpStart("--agent", "fake", c.prompt)
			r.until(c.after)
			began := time.Now()
			r.cmd.Process.Signal(os.Interrupt)
			end, code := r.end()
			if code != 0 || end.Type != acphost.EventCompleted || end.StopReason != "cancelled" || end.ProviderSessionID != c.id {
				t.Errorf("exit %d, %+v", code, end)
			}
			if took := time.Since(began); took > c.within {
				t.Errorf("it took %v", took)
			}
			if c.after == acphost.EventStream && *end.Content != "part" {
				t.Errorf("content %q", *end.Content)
			}
		})
	}
}

// The coordinator may die while a run prints: it goes on to its end. So does
// its question, which anybody answers.
func TestACPRunOutlivesTheCoordinator(t *testing.T) {
	f := acpFleet(t, acpagent.Config{})
	r := f.acpStart("--agent", "fake", "--permissions", "ask", "say before\npermit execute yes:Allow_once:allow_once no:Reject:reject_once\nsay after")
	q := r.until(acphost.EventQuestion)
	if q.Question == nil || len(q.Question.Pages) != 1 || len(q.Question.Pages[0].Choices) != 2 {
		t.Fatalf("%+v", q)
	}
	pid := must[api.DaemonReply](f, "daemon", "status", "--json").PID
	syscall.Kill(pid, syscall.SIGKILL)
	processEnds(t, pid, 5*time.Second)
	all := f.list() // by the next one
	if len(all) != 1 || all[0].Status != "needs-you" {
		t.Fatalf("%+v", all)
	}
	must[api.SendReply](f, "sessions", "send", all[0].Link, "allow once", "--json")
	end, code := r.end()
	if code != 0 || !strings.HasPrefix(*end.Content, "before") || !strings.Contains(*end.Content, `"optionId":"yes"`) || !strings.HasSuffix(*end.Content, "after") {
		t.Errorf("exit %d, %+v %q", code, end, *end.Content)
	}
}

// 100,000 chunks arrive complete and in order, through the host, its journal
// and the command.
func TestACPBurst(t *testing.T) {
	f := acpFleet(t, acpagent.Config{})
	const n = 100_000
	events, end, code := f.acpRun("--agent", "fake", fmt.Sprint("burst ", n))
	if code != 0 {
		t.Fatalf("exit %d, %+v", code, end)
	}
	var want strings.Builder
	for i := range n {
		fmt.Fprintf(&want, "%d ", i)
	}
	if *end.Content != want.String() || streamed(events) != want.String() {
		t.Errorf("%d bytes of content, %d streamed, want %d", len(*end.Content), len(streamed(events)), want.Len())
	}
	if len(events) > 5000 {
		t.Errorf("%d events: text is not gathered", len(events))
	}
}

// A session over ACP is a session: every verb, the questions, the agent's
// death, the coordinator's, and a reopening that goes on where it was.
func TestACPSession(t *testing.T) {
	store := t.TempDir()
	f := acpFleet(t, acpagent.Config{Caps: []string{"load"}, Store: store, Replay: []string{"user old", "say REPLAYED"}})
	spawned := must[api.SpawnReply](f, "sessions", "spawn", "--acp", "--agent", "fake", "say one", "--json")
	link := spawned.Target
	f.is(link, "done")
	if s := f.session(link); s.AgentID != "fake" || s.Title != "say one" {
		t.Errorf("%+v", s)
	}
	ask := must[api.WaitReply](f, "sessions", "send", link, "--wait", "--json",
		"permit edit a:Allow_once:allow_once r:Reject:reject_once\nform {\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"]}")
	if ask.Status != "needs-you" || !strings.Contains(ask.Prompt, "use edit") || !strings.Contains(ask.Prompt, "Allow once") || !strings.Contains(ask.Prompt, "Reject") {
		t.Fatalf("%+v", ask)
	}
	f.refused(api.CodeBadRequest, "sessions", "send", link, "perhaps")
	form := must[api.WaitReply](f, "sessions", "send", link, "2", "--wait", "--json")
	if form.Status != "needs-you" || form.PromptID == ask.PromptID {
		t.Errorf("%+v", form)
	}
	f.refused(api.CodePromptChanged, "sessions", "send", link, "1", "--answers", ask.PromptID)
	done := must[api.WaitReply](f, "sessions", "send", link, "42", "--answers", form.PromptID, "--wait", "--json")
	if done.Status != "done" || !strings.Contains(f.heard(), `"content":{"n":42}`) || !strings.Contains(f.heard(), `"optionId":"r"`) {
		t.Errorf("%+v\n%s", done, f.heard())
	}
	f.refused(api.CodeBadKey, "sessions", "send", link, "--key", "tab")

	// The agent dies in mid-turn: an error, and the next prompt goes on.
	f.refused(api.CodeAgentGone, "sessions", "send", link, "die 3", "--wait")
	back := must[api.WaitReply](f, "sessions", "send", link, "say BACK", "--wait", "--json")
	if back.Status != "done" || strings.Count(f.heard(), "session/load") != 1 || strings.Count(f.heard(), "session/new ") != 1 {
		t.Errorf("%+v\n%s", back, f.heard())
	}

	// Cancelled.
	must[api.SendReply](f, "sessions", "send", link, "say part\nhang", "--json")
	f.shows(link, "part")
	must[api.SendReply](f, "sessions", "send", link, "--key", "escape", "--json")
	f.is(link, "done")

	// The coordinator is killed in mid-turn, and nothing is lost.
	must[api.SendReply](f, "sessions", "send", link, "permit edit a:Allow_once:allow_once\nsay REST", "--json")
	f.is(link, "needs-you")
	pid := must[api.DaemonReply](f, "daemon", "status", "--json").PID
	syscall.Kill(pid, syscall.SIGKILL)
	processEnds(t, pid, 5*time.Second)
	f.is(link, "needs-you")
	must[api.WaitReply](f, "sessions", "send", link, "1", "--wait", "--json")
	f.shows(link, "REST")

	must[api.CloseReply](f, "sessions", "close", link, "--json")
	again := must[api.ReopenReply](f, "sessions", "reopen", link, "--json")
	if again.Reopened == nil || again.Reopened.Conversation != "sess-1" {
		t.Errorf("%+v", again)
	}
	must[api.WaitReply](f, "sessions", "send", link, "say AFTER", "--wait", "--json")
	text := must[api.ReadReply](f, "sessions", "read", link, "--lines", "500", "--json").Screen
	for _, w := range []string{"> say one", "one", "BACK", "part", "REST", "AFTER"} {
		if !strings.Contains(text, w) {
			t.Errorf("the conversation lacks %q:\n%s", w, text)
		}
	}
	if strings.Contains(text, "REPLAYED") {
		t.Errorf("history is read twice:\n%s", text)
	}
	if trace := f.termio("sessions", "trace", link, "--json"); !strings.Contains(trace.out, `"channel":"acp"`) {
		t.Errorf("trace: %s", trace.out)
	}
}

// The transcript of a session over ACP is its journal: the cursors of send, wait
// and watch count its lines, and it is there after the session has closed.
func TestACPTranscript(t *testing.T) {
	f := acpFleet(t, acpagent.Config{Caps: []string{"load"}, Replay: []string{"user old", "say REPLAYED"}})
	watch := f.acpWatch()
	link := must[api.SpawnReply](f, "sessions", "spawn", "--acp", "--agent", "fake", "say one", "--json").Target
	if e := watch.until(t, func(e api.WatchEvent) bool { return e.Status == "done" && !e.Snapshot }); e.Transcript == "" || e.CursorEnd == nil || *e.CursorEnd == 0 {
		t.Errorf("watch: %+v", e)
	}
	part := func(from, to *int) string {
		t.Helper()
		args := []string{"sessions", "transcript", link, "--json"}
		if from != nil {
			args = append(args, "--from", strconv.Itoa(*from), "--to", strconv.Itoa(*to))
		}
		var b strings.Builder
		for _, m := range must[api.TranscriptReply](f, args...).Messages {
			fmt.Fprintf(&b, "%s: %s|", m.Role, m.Text)
			if m.Tool != nil {
				fmt.Fprintf(&b, "tool %s|", m.Tool.Name)
			}
		}
		return b.String()
	}
	prompt := "say two\nthink hm\ntool t1 read Look\ntoolend t1\nsay  and three"
	two := must[api.WaitReply](f, "sessions", "send", link, prompt, "--wait", "--json")
	if two.Cursor == nil || two.CursorEnd == nil || *two.Cursor >= *two.CursorEnd {
		t.Fatalf("%+v", two)
	}
	want := "user: " + prompt + "|assistant: two|assistant: |tool Look|tool: |tool |assistant:  and three|"
	if got := part(two.Cursor, two.CursorEnd); got != want {
		t.Errorf("the turn is %q, want %q", got, want)
	}
	sent := must[api.SendReply](f, "sessions", "send", link, "say four", "--json")
	f.is(link, "done")
	if sent.Cursor == nil || *sent.Cursor < *two.CursorEnd {
		t.Fatalf("%+v after %+v", sent, two)
	}
	must[api.CloseReply](f, "sessions", "close", link, "--json")
	if got := part(nil, nil); !strings.HasPrefix(got, "user: say one|assistant: one|user: say two") || !strings.HasSuffix(got, "user: say four|assistant: four|") {
		t.Errorf("after closing: %q", got)
	}
	must[api.ReopenReply](f, "sessions", "reopen", link, "--json")
	must[api.WaitReply](f, "sessions", "send", link, "say five", "--wait", "--json")
	if got := part(nil, nil); strings.Contains(got, "REPLAYED") || !strings.HasSuffix(got, "user: say five|assistant: five|") {
		t.Errorf("after reopening: %q", got)
	}
}

// Rows 109–127: what the agent may do through its client, by the mode.
func TestACPClientCapabilities(t *testing.T) {
	f := acpFleet(t, acpagent.Config{})
	inside, outside := filepath.Join(f.dir, "in.txt"), filepath.Join(t.TempDir(), "out.txt")
	for _, path := range []string{inside, outside} {
		if err := os.WriteFile(path, []byte("one\ntwo\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(f.dir, "escape")); err != nil {
		t.Fatal(err)
	}
	prompt := strings.Join([]string{
		"read " + inside, "read " + outside, "read " + filepath.Join(f.dir, "..", "x"), "read " + filepath.Join(f.dir, "escape"),
		"write " + inside + " new", "write " + filepath.Join(f.dir, "sub/made.txt") + " x", "write " + filepath.Join(f.dir, "escape") + " x",
		"run echo a && pwd", "run exit 3",
	}, "\n")
	_, end, _ := f.acpRun("--agent", "fake", "--permissions", "auto", prompt)
	got := *end.Content
	for _, w := range []string{`read → {"content":"one\ntwo\n"}`, "outside of the session's directories", "write → {}", "a\n" + f.dir, "(exit 0)", "(exit 3)"} {
		if !strings.Contains(got, w) {
			t.Errorf("auto: no %q in\n%s", w, got)
		}
	}
	if strings.Count(got, "error: ") != 4 {
		t.Errorf("auto: %d refusals in\n%s", strings.Count(got, "error: "), got)
	}
	if data, _ := os.ReadFile(inside); string(data) != "new" {
		t.Errorf("written: %q", data)
	}
	if data, _ := os.ReadFile(outside); string(data) != "one\ntwo\n" {
		t.Errorf("a file outside was written: %q", data)
	}
	for _, mode := range []string{"restricted", "strict"} {
		_, end, _ = f.acpRun("--agent", "fake", "--permissions", mode, "write "+inside+" bad\nrun echo bad\nread "+inside)
		if got := *end.Content; strings.Count(got, "permissions do not let") != 2 || !strings.Contains(got, `{"content":"new"}`) {
			t.Errorf("%s: %s", mode, got)
		}
	}
}

// Rows 140–143, 138–139, 53: errands.
func TestACPErrands(t *testing.T) {
	f := acpFleet(t, acpagent.Config{})
	row := func(id, dir string) acp.SessionInfo {
		return acp.SessionInfo{SessionID: acp.SessionId(id), Cwd: dir, Title: id}
	}
	sub := filepath.Join(f.dir, "sub")
	f.temper(acpagent.Config{
		Log: filepath.Join(f.home, "heard"), Caps: []string{"list", "load"}, Auth: []string{"key"},
		Pages: []acpagent.Page{
			{Next: "1"},
			{Next: "2"},
			{Sessions: []acp.SessionInfo{row("a", f.dir), row("x", f.dir+"2")}, Next: "3"},
			{Sessions: []acp.SessionInfo{row("a", f.dir), row("b", sub)}, Next: "4"},
			{Fail: acp.Errorf(-32603, "broken page")},
		},
		Replay:     []string{"user hello", "think hm", "say No response requested.", "tool t1 read Read it", "toolend t1", "user more", "say answer"},
		ReplayLate: []string{"sleep 120ms", "say  and the rest"},
		Options:    json.RawMessage(`[{"id":"m","name":"Model","category":"model","type":"select","currentValue":"own","options":[{"value":"a","name":"A"},{"value":"a2","name":"a"},{"value":"b","name":"B"}]}]`),
	})
	list := must[api.ACPSessionsReply](f, "acp", "sessions", "--agent", "fake", "--json")
	if !list.Supported || len(list.Sessions) != 2 || list.Sessions[0].SessionID != "a" || list.Sessions[1].SessionID != "b" || list.NextCursor != "4" {
		t.Errorf("%+v", list)
	}
	loaded := must[api.ACPLoadReply](f, "acp", "load", "a", "--agent", "fake", "--json")
	if len(loaded.Lines) != 4 || loaded.Lines[0].Text != "hello" || loaded.Lines[1].Text != "" || loaded.Lines[1].Reasoning != "hm" ||
		len(loaded.Lines[1].Tools) != 1 || loaded.Lines[1].Tools[0].Status != "completed" || loaded.Lines[3].Text != "answer and the rest" {
		t.Errorf("%+v", loaded.Lines)
	}
	probe := must[api.ACPProbeReply](f, "acp", "probe", "fake", "--json")
	if probe.Name != "acpagent" || probe.Version != "1.2.3" || len(probe.AuthMethods) != 1 || !strings.Contains(string(probe.Capabilities), "loadSession") {
		t.Errorf("%+v", probe)
	}
	models := must[api.ACPModelsReply](f, "acp", "models", "--agent", "fake", "--json")
	if models.Current != "own" || len(models.Models) != 3 || models.Models[0].ID != "own" { // rows 179, 180
		t.Errorf("%+v", models)
	}
	f.temper(acpagent.Config{Log: filepath.Join(f.home, "heard")})
	if none := must[api.ACPSessionsReply](f, "acp", "sessions", "--agent", "fake", "--json"); none.Supported || none.Sessions == nil {
		t.Errorf("%+v", none)
	}
	before := strings.Count(f.heard(), "session/load")
	f.refused(api.CodeStartFailed, "acp", "load", "a", "--agent", "fake")
	if strings.Count(f.heard(), "session/load") != before {
		t.Error("an agent that cannot load was asked to")
	}
	if left := f.list(); len(left) != 0 {
		t.Errorf("errands are sessions: %+v", left)
	}
}

// watching is `termio sessions watch --json` at work.
type watching struct{ events chan api.WatchEvent }

func (f *fleet) acpWatch(more ...string) *watching {
	f.t.Helper()
	cmd := exec.Command(filepath.Join(bin, "termio"), append([]string{"sessions", "watch", "--all", "--json"}, more...)...)
	cmd.Dir, cmd.Env = f.dir, f.env
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = f.start(cmd)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	w := &watching{events: make(chan api.WatchEvent, 1000)}
	go func() {
		defer close(w.events)
		in := bufio.NewScanner(out)
		for in.Scan() {
			var e api.WatchEvent
			if json.Unmarshal(in.Bytes(), &e) == nil {
				w.events <- e
			}
		}
	}()
	f.t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return w
}

// until reads on to an event that fits.
func (w *watching) until(t *testing.T, fits func(api.WatchEvent) bool) api.WatchEvent {
	t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case e, ok := <-w.events:
			if !ok {
				t.Fatal("the watch ended")
			}
			if fits(e) {
				return e
			}
		case <-late:
			t.Fatal("not within a minute")
		}
	}
}
