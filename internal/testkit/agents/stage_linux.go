package agents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/testkit/console"
	"github.com/termio-sh/termio/internal/testkit/fakemodel"
	"github.com/termio-sh/termio/internal/testkit/netns"
)

// hangUp is how long an agent may take to leave once its terminal is gone.
// Gemini CLI sometimes stays for good after a turn; it is killed then.
const hangUp = 3 * time.Second

// A Stage is what a test with real agents stands on: a sealed network
// namespace, a model server inside it, a home that is prepared for the agents,
// and a project that they trust.
type Stage struct {
	NS    *netns.Namespace
	Model *fakemodel.Server
	Home  *Home
	// HomeDir and Project are short absolute paths: sockets below them fit.
	HomeDir, Project string
	// Env is the environment of Command; a test adds to it.
	Env []string
}

// NewStage prepares a stage for the named agents. It skips the test, saying
// why, when one is not installed or the machine allows no namespaces. At the
// test's end a process that is left in the namespace fails the test.
func NewStage(t testing.TB, names ...string) *Stage {
	t.Helper()
	root, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	pins, err := Select(names...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pins {
		if err := Installed(root, p); err != nil {
			t.Skipf("skipped: the real %s is not here: %v", p.Name, err)
		}
	}
	base, err := os.MkdirTemp("", "ta")
	if err != nil {
		t.Fatal(err)
	}
	// Registered first, so that it runs last, when every process is gone.
	t.Cleanup(func() {
		if err := os.RemoveAll(base); err != nil {
			t.Errorf("remove the stage: %v", err)
		}
	})
	s := &Stage{NS: netns.New(t), HomeDir: filepath.Join(base, "h"), Project: filepath.Join(base, "proj")}
	if err := os.Mkdir(s.Project, 0o755); err != nil {
		t.Fatal(err)
	}
	l, err := s.NS.Listen()
	if err != nil {
		t.Fatal(err)
	}
	s.Model = fakemodel.Serve(l, fakemodel.Config{Dir: s.Project})
	t.Cleanup(func() { s.Model.Close() })
	s.Home, err = NewHome(HomeConfig{
		Root: root, Dir: s.HomeDir, Projects: []string{s.Project}, ModelURL: s.Model.URL(), Plugins: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := s.Home.Add(name); err != nil {
			t.Fatal(err)
		}
	}
	s.Env = s.Home.Env()
	return s
}

// Command is a program to be started on the stage (NS.Start, Console, Run), in
// the project and with the home's environment.
func (s *Stage) Command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = s.Project, s.Env
	return cmd
}

// Run runs a program to its end and returns what it printed and its exit code.
func (s *Stage) Run(ctx context.Context, cmd *exec.Cmd) (stdout, stderr string, code int, err error) {
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	// A program that leaves others behind must not hold up its caller: they
	// may keep its output open.
	cmd.WaitDelay = time.Second
	if err := s.NS.Start(cmd); err != nil {
		return "", "", 0, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	stop := context.AfterFunc(ctx, func() { cmd.Process.Kill() })
	defer stop()
	err = cmd.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return out.String(), errs.String(), -1, fmt.Errorf("run %s: %w", cmd.Path, cause)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) || errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode(), err
}

// Console starts a program on a PTY. At the test's end its terminal is closed;
// a program that does not leave then is killed, with all that it started.
func (s *Stage) Console(t testing.TB, cmd *exec.Cmd, o console.Options) *console.Console {
	t.Helper()
	o.Start = s.NS.Start
	c, err := console.Start(cmd, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), hangUp)
		defer cancel()
		if err := c.Close(ctx); err == nil {
			return
		}
		t.Logf("%s outlived its terminal and was killed", cmd.Path)
		if _, err := s.NS.Kill(); err != nil {
			t.Error(err)
		}
	})
	return c
}
