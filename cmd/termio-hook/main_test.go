//go:build unix

package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

// programs are the reporter and a host, built once.
var programs string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "th") // short, for the sockets' paths
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := 1
	if out, err := exec.Command("go", "build", "-o", dir+"/", ".", "../termio-host").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
	} else {
		programs = dir
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// ear is a host that keeps the reports that it gets.
type ear struct {
	path    string
	l       net.Listener
	silent  bool // never answers
	mu      sync.Mutex
	reports []hostproto.Report
	conns   int
}

func listen(t *testing.T, silent bool) *ear {
	t.Helper()
	dir, err := os.MkdirTemp("", "th")
	if err != nil {
		t.Fatal(err)
	}
	e := &ear{path: filepath.Join(dir, "s"), silent: silent}
	if e.l, err = net.Listen("unix", e.path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.l.Close(); os.RemoveAll(dir) })
	go func() {
		for {
			c, err := e.l.Accept()
			if err != nil {
				return
			}
			e.mu.Lock()
			e.conns++
			e.mu.Unlock()
			go e.serve(c)
		}
	}()
	return e
}

func (e *ear) serve(c net.Conn) {
	defer c.Close()
	for r := hostproto.NewReader(c); ; {
		_, p, err := r.Next()
		if err != nil {
			return
		}
		var q hostproto.Request
		var rep hostproto.Report
		if json.Unmarshal(p, &q) != nil {
			return
		}
		if q.Op == hostproto.OpReport && json.Unmarshal(q.Body, &rep) == nil {
			e.mu.Lock()
			e.reports = append(e.reports, rep)
			e.mu.Unlock()
		}
		if e.silent {
			continue
		}
		b, _ := hostproto.AppendJSON(nil, hostproto.FrameReply, hostproto.Reply{ID: q.ID})
		if _, err := c.Write(b); err != nil {
			return
		}
	}
}

func (e *ear) got() ([]hostproto.Report, int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.reports), e.conns
}

type run struct {
	args  string
	stdin io.Reader // nil is a closed one
	env   []string
}

// result checks what must always hold: success, in good time, in silence.
func (r run) result(t *testing.T) string {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(filepath.Join(programs, "termio-hook"), strings.Fields(r.args)...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, r.env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r.stdin, &out, &errs
	begun := time.Now()
	err := cmd.Start()
	if err == nil {
		// Not cmd.Wait: it waits for a stdin that never ends.
		var st *os.ProcessState
		if st, err = cmd.Process.Wait(); err == nil && st.ExitCode() != 0 {
			err = fmt.Errorf("exit %d", st.ExitCode())
		}
	}
	took := time.Since(begun)
	if c, ok := r.stdin.(io.Closer); ok {
		c.Close()
	}
	cmd.Wait() // the copies of its output are complete
	if err != nil || errs.Len() > 0 {
		t.Errorf("%q: %v, on standard error %q", r.args, err, errs.String())
	}
	// The machine may be busy: what counts is that it does not hang.
	if limit := 150 * time.Millisecond; took > limit && took > 3*limit {
		t.Errorf("%q took %v, at most %v", r.args, took, limit)
	}
	return out.String()
}

func session(path string) []string {
	return []string{"TERMIO_SESSION=x", "TERMIO_SOCK=" + path, "TERMIO_TOKEN=secret", "PWD=/work"}
}

func TestReports(t *testing.T) {
	e := listen(t, false)
	payload := `{"session_id":"s-1","transcript_path":"/t.jsonl","tool_name":"Bash","prompt":"fix it","tool_input":{"session_id":"no"}}`
	args := "working --event PreToolUse --transcript --conversation-from session_id --tool-from tool_name --prompt-title-from prompt"
	if out := (run{args, strings.NewReader(payload), session(e.path)}).result(t); out != "" {
		t.Errorf("it printed %q", out)
	}
	want := hostproto.Report{
		State: "working", Token: "secret", Event: "PreToolUse", Conversation: "s-1", Transcript: "/t.jsonl",
		Tool: "Bash", PromptTitle: "fix it", Cwd: "/work",
	}
	if got, _ := e.got(); len(got) != 1 || got[0] != want {
		t.Errorf("reports %+v", got)
	}
	(run{"done --conversation abc", nil, session(e.path)}).result(t)
	if got, _ := e.got(); len(got) != 2 || got[1].State != "done" || got[1].Conversation != "abc" || got[1].Tool != "" {
		t.Errorf("reports %+v", got)
	}
}

// A payload that is too long is read to its end, so that the agent finds no
// broken pipe, and what stands before the limit counts.
func TestALongPayload(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: 5 MiB within the reporter's 150 ms needs a machine that is not busy with other tests")
	}
	e := listen(t, false)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := io.WriteString(w, `{"session_id":"s-1","content":"`+strings.Repeat("x", 5<<20)+`","tool_name":"late"}`)
		w.Close()
		failed <- err
	}()
	(run{"working --conversation-from session_id --tool-from tool_name", r, session(e.path)}).result(t)
	if err := <-failed; err != nil {
		t.Errorf("the agent could not write its payload: %v", err)
	}
	if got, _ := e.got(); len(got) != 1 || got[0].Conversation != "s-1" || got[0].Tool != "" {
		t.Errorf("reports %+v", got)
	}
}

// An agent that leaves its end open is not waited for once the object is whole,
// and not for long when it is not.
func TestAnOpenPipe(t *testing.T) {
	for payload, want := range map[string]string{`{"id":"s-1"}` + "\n": "s-1", `{"id":"s-1","x":{`: "s-1", `{"id":"s-`: "", "": ""} {
		e := listen(t, false)
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, payload)
		(run{"working --conversation-from id", r, session(e.path)}).result(t)
		w.Close()
		if got, _ := e.got(); len(got) != 1 || got[0].Conversation != want {
			t.Errorf("%q: reports %+v", payload, got)
		}
	}
}

func TestNothingToDo(t *testing.T) {
	e := listen(t, false)
	for _, c := range []run{
		{"working", nil, []string{"TERMIO_SOCK=" + e.path, "TERMIO_TOKEN=x"}}, // no session
		{"working", nil, []string{"TERMIO_SESSION=", "TERMIO_SOCK=" + e.path}},
		{"working", nil, []string{"TERMIO_SESSION=x"}},
		{"", nil, session(e.path)},
		{"busy", nil, session(e.path)},
		{"working --bogus", nil, session(e.path)},
		{"working --tool-from", nil, session(e.path)},
		{"working", nil, session(e.path + "-not-there")},
		{"working", nil, session(strings.Repeat("/long", 100))},
		{"working", nil, session("/dev/null")},
	} {
		if out := c.result(t); out != "" {
			t.Errorf("%q printed %q", c.args, out)
		}
	}
	if got, conns := e.got(); len(got) > 0 || conns > 0 {
		t.Errorf("%d connections, reports %+v", conns, got)
	}
}

func TestReply(t *testing.T) {
	e := listen(t, false)
	for _, c := range []run{
		{"working --reply", nil, session(e.path)},
		{"working --reply", nil, nil},
		{"working --reply --bogus", nil, session(e.path)},
		{"working --reply", nil, session(e.path + "-not-there")},
	} {
		if out := c.result(t); out != "{}\n" {
			t.Errorf("%q printed %q", c.args, out)
		}
	}
}

// A host that takes the connection and says nothing, and one that does not
// even take it, cost no more than the limit.
func TestAStuckHost(t *testing.T) {
	e := listen(t, true)
	(run{"working", nil, session(e.path)}).result(t)
	if got, _ := e.got(); len(got) != 1 {
		t.Errorf("reports %+v", got)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	// Nobody accepts; with a full backlog connect itself waits.
	var conns []net.Conn
	for range 5000 {
		c, err := net.DialTimeout("unix", path, 20*time.Millisecond)
		if err != nil {
			break
		}
		conns = append(conns, c)
	}
	(run{"working", nil, session(path)}).result(t)
	for _, c := range conns {
		c.Close()
	}
}
