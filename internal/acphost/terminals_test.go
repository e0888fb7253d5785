//go:build unix

package acphost

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/termio-sh/termio/internal/acp"
)

// realProcess runs programs as the host does.
type realProcess struct {
	cmd  *exec.Cmd
	done chan struct{}
}

func launchReal(argv, env []string, dir string, in, out, errs *os.File) (Process, error) {
	p := &realProcess{cmd: &exec.Cmd{
		Path: argv[0], Args: argv, Env: env, Dir: dir, Stdin: in, Stdout: out, Stderr: errs, SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}, done: make(chan struct{})}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

func (p *realProcess) Exited() <-chan struct{} { return p.done }

func (p *realProcess) Exit() (int, string) {
	ws := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		return -1, ws.Signal().String()
	}
	return ws.ExitStatus(), ""
}

func (p *realProcess) Kill() { syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }

func newTerminals(t *testing.T) *terminals {
	ts := &terminals{launch: launchReal, env: []string{"PATH=/usr/bin:/bin", "A=agent"}, dir: t.TempDir(), allow: true}
	t.Cleanup(ts.close)
	return ts
}

func (ts *terminals) run(t *testing.T, r acp.CreateTerminalRequest) (*terminal, acp.TerminalOutputResponse) {
	t.Helper()
	id, failure := ts.create(r)
	if failure != nil {
		t.Fatal(failure)
	}
	term, failure := ts.get(acp.TerminalId(id))
	if failure != nil {
		t.Fatal(failure)
	}
	<-term.done
	return term, term.output()
}

// Rows 114, 126, 127: what runs, where, and how its output is kept.
func TestRow126TerminalCommands(t *testing.T) {
	ts := newTerminals(t)
	for _, c := range []struct {
		r    acp.CreateTerminalRequest
		want string
		code int64
	}{
		{acp.CreateTerminalRequest{Command: "pwd"}, ts.dir + "\n", 0},
		{acp.CreateTerminalRequest{Command: "echo a && echo b"}, "a\nb\n", 0},
		{acp.CreateTerminalRequest{Command: "printf", Args: []string{"%s|", "a b", "c"}}, "a b|c|", 0},
		{acp.CreateTerminalRequest{Command: "echo out; echo err >&2; exit 7"}, "out\nerr\n", 7},
		{acp.CreateTerminalRequest{Command: "echo $A $B", Env: []acp.EnvVariable{{Name: "B", Value: "own"}, {Name: "A", Value: "wins"}}}, "wins own\n", 0},
		{acp.CreateTerminalRequest{Command: "cat; echo end"}, "end\n", 0}, // its input is at its end
		{acp.CreateTerminalRequest{Command: "pwd", Cwd: "/"}, "/\n", 0},
	} {
		_, out := ts.run(t, c.r)
		if out.Output != c.want || out.ExitStatus == nil || out.ExitStatus.ExitCode == nil || *out.ExitStatus.ExitCode != c.code || out.Truncated {
			t.Errorf("%q: %+v", c.r.Command, out)
		}
	}
	if _, failure := ts.create(acp.CreateTerminalRequest{Command: "no-such-program", Args: []string{"x"}}); failure == nil {
		t.Error("a program that is not there was started")
	}
	if _, failure := (&terminals{}).create(acp.CreateTerminalRequest{Command: "true"}); failure == nil {
		t.Error("started without leave")
	}
}

func TestRow114TerminalTail(t *testing.T) {
	ts := newTerminals(t)
	limit := func(n int64) *int64 { return &n }
	_, out := ts.run(t, acp.CreateTerminalRequest{Command: "printf 'ééééé'", OutputByteLimit: limit(5)})
	if out.Output != "éé" || !out.Truncated {
		t.Errorf("%+v", out)
	}
	_, out = ts.run(t, acp.CreateTerminalRequest{Command: "printf x", OutputByteLimit: limit(0)})
	if out.Output != "" || !out.Truncated {
		t.Errorf("%+v", out)
	}
	_, out = ts.run(t, acp.CreateTerminalRequest{Command: `printf '\377\376tail'`, OutputByteLimit: limit(5)})
	if !strings.HasSuffix(out.Output, "tail") || !utf8.ValidString(out.Output) {
		t.Errorf("%q", out.Output)
	}
	_, out = ts.run(t, acp.CreateTerminalRequest{Command: "seq 1 100000", OutputByteLimit: limit(1000)})
	if len(out.Output) != 1000 || !strings.HasSuffix(out.Output, "99999\n100000\n") {
		t.Errorf("%d bytes: …%q", len(out.Output), out.Output[max(0, len(out.Output)-20):])
	}
}

// A grandchild that holds the output does not hold up the exit; kill takes the
// group, and the id stays.
func TestRow110TerminalEnds(t *testing.T) {
	ts := newTerminals(t)
	began := time.Now()
	_, out := ts.run(t, acp.CreateTerminalRequest{Command: "sleep 30 & echo hi"})
	if took := time.Since(began); took > 5*time.Second || out.Output != "hi\n" {
		t.Errorf("%v, %+v", took, out)
	}
	id, failure := ts.create(acp.CreateTerminalRequest{Command: "sleep 30 | sleep 31"})
	if failure != nil {
		t.Fatal(failure)
	}
	term, _ := ts.get(acp.TerminalId(id))
	if out := term.output(); out.ExitStatus != nil {
		t.Errorf("%+v", out)
	}
	term.process.Kill()
	<-term.done
	if s := term.exit(); s.Signal == "" || s.ExitCode != nil {
		t.Errorf("%+v", s)
	}
	if _, failure := ts.get(acp.TerminalId(id)); failure != nil {
		t.Error("killed, it is gone")
	}
	ts.release(acp.TerminalId(id))
	ts.release("term-99")
	if _, failure := ts.get(acp.TerminalId(id)); failure == nil || failure.Code != acp.CodeBadParams {
		t.Error("released, it is there")
	}
}
