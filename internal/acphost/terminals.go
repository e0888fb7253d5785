package acphost

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/termio-sh/termio/internal/acp"
)

// Bounds of an agent's terminals.
const (
	defaultTail = 1 << 20 // bytes of output kept, where the agent says nothing
	maxTail     = 16 << 20
	maxTerminal = 64 // at once
	// drainTime is how long the output of a program that has ended is waited
	// for: a grandchild may hold it open.
	drainTime = 250 * time.Millisecond
)

// Process is a program that a host has started.
type Process interface {
	Exited() <-chan struct{}
	// Exit is how it ended; the signal is empty unless one ended it.
	Exit() (code int, signal string)
	// Kill ends it and its process group.
	Kill()
}

// Launcher starts programs. The files are the program's; the caller closes its
// own copies.
type Launcher func(argv, env []string, dir string, in, out, errs *os.File) (Process, error)

// TerminalView is where one of the agent's terminals can be looked at. Its
// methods are called in order, and must not block.
type TerminalView interface {
	// Output takes what the program wrote.
	Output(p []byte)
	// Exited tells how it ended, when all of its output was given.
	Exited(code int, signal string)
	// Released tells that the agent is done with it, whether it has ended or not.
	Released()
}

// terminals are the programs that an agent runs through its client (§5, rows
// 109–114, 125–127).
type terminals struct {
	launch Launcher
	env    []string
	dir    string
	allow  bool
	show   func(command, dir string) TerminalView // may be nil

	mu   sync.Mutex
	next int
	byID map[string]*terminal
}

type terminal struct {
	process Process
	view    TerminalView  // nil where nobody looks
	done    chan struct{} // closed when it has ended and its output is read

	mu        sync.Mutex
	tail      []byte
	limit     int
	truncated bool
	ended     bool
	released  bool
}

func (t *terminals) create(r acp.CreateTerminalRequest) (string, *acp.Error) {
	if !t.allow {
		return "", acp.Errorf(acp.CodeInvalid, "this session's permissions do not let the agent run programs here")
	}
	dir := t.dir
	if r.Cwd != "" {
		dir = r.Cwd
	}
	env := withEnv(t.env, r.Env)
	argv := commandLine(r.Command, r.Args, dir, env)
	limit := defaultTail
	if r.OutputByteLimit != nil {
		limit = int(min(max(*r.OutputByteLimit, 0), maxTail))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.byID) >= maxTerminal {
		return "", acp.Errorf(acp.CodeInvalid, "%d terminals are open; release one", maxTerminal)
	}
	term, err := t.start(argv, env, dir, limit, strings.Join(append([]string{r.Command}, r.Args...), " "))
	if err != nil {
		return "", acp.Errorf(acp.CodeInternal, "%v", err)
	}
	t.next++
	id := fmt.Sprintf("term-%d", t.next)
	if t.byID == nil {
		t.byID = map[string]*terminal{}
	}
	t.byID[id] = term
	return id, nil
}

func (t *terminals) start(argv, env []string, dir string, limit int, command string) (*terminal, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, fmt.Errorf("start a terminal: %w", err)
	}
	defer null.Close()
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start a terminal: %w", err)
	}
	p, err := t.launch(argv, env, dir, null, w, w)
	w.Close()
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("start a terminal: %w", err)
	}
	term := &terminal{process: p, limit: limit, done: make(chan struct{})}
	if t.show != nil {
		term.view = t.show(command, dir)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		io.Copy(term, r)
	}()
	go func() {
		<-p.Exited()
		select {
		case <-read:
		case <-time.After(drainTime):
		}
		term.mu.Lock()
		term.ended = true
		if term.view != nil && !term.released {
			code, signal := p.Exit()
			term.view.Exited(code, signal)
		}
		term.mu.Unlock()
		close(term.done)
		r.Close()
	}()
	return term, nil
}

// Write keeps the end of the output.
func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return len(p), nil
	}
	if t.view != nil && !t.released {
		t.view.Output(p)
	}
	t.tail = append(t.tail, p...)
	if len(t.tail) > 2*t.limit+64<<10 { // not at each write: that would be quadratic
		t.truncated = true
		t.tail = append([]byte(nil), t.tail[len(t.tail)-t.limit-utf8.UTFMax:]...)
	}
	return len(p), nil
}

// output is what is kept of it, cut at a character's boundary.
func (t *terminal) output() acp.TerminalOutputResponse {
	t.mu.Lock()
	defer t.mu.Unlock()
	tail := t.tail
	if len(tail) > t.limit {
		t.truncated = true
		tail = tail[len(tail)-t.limit:]
		for i := 0; i < utf8.UTFMax-1 && len(tail) > 0 && !utf8.RuneStart(tail[0]); i++ {
			tail = tail[1:]
		}
	}
	if !t.ended { // the rest of a split character is still to come
		tail = wholeRunes(tail)
	}
	out := acp.TerminalOutputResponse{Output: strings.ToValidUTF8(string(tail), "\uFFFD"), Truncated: t.truncated}
	if t.ended {
		s := t.exit()
		out.ExitStatus = &s
	}
	return out
}

// wholeRunes drops the begin of a character at the end.
func wholeRunes(p []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(p); i++ {
		if c := p[len(p)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(p[len(p)-i:]) {
				return p[:len(p)-i]
			}
			break
		}
	}
	return p
}

func (t *terminal) exit() acp.TerminalExitStatus {
	code, signal := t.process.Exit()
	if signal != "" {
		return acp.TerminalExitStatus{Signal: signal}
	}
	n := int64(code)
	return acp.TerminalExitStatus{ExitCode: &n}
}

func (t *terminals) get(id acp.TerminalId) (*terminal, *acp.Error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if term := t.byID[string(id)]; term != nil {
		return term, nil
	}
	return nil, acp.Errorf(acp.CodeBadParams, "there is no terminal %q", id)
}

// release frees a terminal, whose program ends. One that is not there is
// released already.
func (t *terminals) release(id acp.TerminalId) {
	t.mu.Lock()
	term := t.byID[string(id)]
	delete(t.byID, string(id))
	t.mu.Unlock()
	if term != nil {
		term.release()
	}
}

// release ends its program, and whoever looks is told.
func (t *terminal) release() {
	t.mu.Lock()
	if t.view != nil && !t.released {
		t.view.Released()
	}
	t.released = true
	t.mu.Unlock()
	t.process.Kill()
}

// close releases all.
func (t *terminals) close() {
	t.mu.Lock()
	all := t.byID
	t.byID = nil
	t.mu.Unlock()
	for _, term := range all {
		term.release()
	}
}

// serve answers a terminal request. It never blocks: what waits does so on a
// goroutine of its own.
func (t *terminals) serve(m acp.Message, r *acp.Responder) {
	switch m.Method {
	case acp.MethodCreateTerminal:
		var q acp.CreateTerminalRequest
		if !decode(m, r, &q) {
			return
		}
		id, failure := t.create(q)
		answer(r, acp.CreateTerminalResponse{TerminalID: acp.TerminalId(id)}, failure)
		return
	case acp.MethodReleaseTerminal:
		var q acp.ReleaseTerminalRequest
		if decode(m, r, &q) {
			t.release(q.TerminalID)
			r.Result(acp.ReleaseTerminalResponse{})
		}
		return
	}
	var q acp.TerminalOutputRequest // the others have the same members
	if !decode(m, r, &q) {
		return
	}
	term, failure := t.get(q.TerminalID)
	if failure != nil {
		r.Fail(failure)
		return
	}
	switch m.Method {
	case acp.MethodTerminalOutput:
		r.Result(term.output())
	case acp.MethodKillTerminal:
		term.process.Kill()
		go func() {
			wait(r.Context(), term.done)
			r.Result(acp.KillTerminalResponse{})
		}()
	case acp.MethodWaitForTerminalExit:
		go func() {
			if wait(r.Context(), term.done) {
				s := term.exit()
				r.Result(acp.WaitForTerminalExitResponse{ExitCode: s.ExitCode, Signal: s.Signal})
			}
		}()
	}
}

func wait(ctx context.Context, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

// commandLine is what runs a terminal's command: the program and its
// arguments, or a shell for what is no program and has no arguments.
func commandLine(command string, args []string, dir string, env []string) []string {
	if path := lookup(command, dir, env); path != "" {
		return append([]string{path}, args...)
	}
	if len(args) == 0 {
		return []string{"/bin/sh", "-c", command}
	}
	return append([]string{command}, args...)
}

// lookup finds a program on the PATH of env; a path is taken from dir.
func lookup(command, dir string, env []string) string {
	if strings.Contains(command, "/") {
		if !filepath.IsAbs(command) {
			command = filepath.Join(dir, command)
		}
		if path, err := exec.LookPath(command); err == nil {
			return path
		}
		return ""
	}
	for _, d := range filepath.SplitList(valueOf(env, "PATH")) {
		if filepath.IsAbs(d) {
			if path, err := exec.LookPath(filepath.Join(d, command)); err == nil {
				return path
			}
		}
	}
	return ""
}

func valueOf(env []string, name string) string {
	value := ""
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}

// withEnv is env with the request's variables, which win.
func withEnv(env []string, more []acp.EnvVariable) []string {
	set := map[string]string{}
	for _, v := range more {
		set[v.Name] = v.Value
	}
	var out []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if _, ok := set[name]; !ok {
			out = append(out, kv)
		}
	}
	for name := range maps.Keys(set) {
		out = append(out, name+"="+set[name])
	}
	return out
}

// decode reads a request's parameters, or answers that they cannot be.
func decode(m acp.Message, r *acp.Responder, into any) bool {
	if err := acp.Decode(m.Params, into); err != nil {
		r.Fail(acp.Errorf(acp.CodeBadParams, "the parameters of %s cannot be read: %v", m.Method, err))
		return false
	}
	return true
}

func answer(r *acp.Responder, result any, failure *acp.Error) {
	if failure != nil {
		r.Fail(failure)
		return
	}
	r.Result(result)
}
