//go:build unix

package shellenv

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAnswerIsKept(t *testing.T) {
	home := t.TempDir()
	asked := 0
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	l := NewLogin("/bin/sh", []string{"HOME=" + home, "TMUX=1"})
	l.now = func() time.Time { return now }
	l.probe = func(_ context.Context, _ string, env []string) ([]string, error) {
		asked++
		if Get(env, "TMUX") != "" {
			t.Error("the shell starts from an environment that was not cleaned")
		}
		return []string{"PATH=/p" + strconv.Itoa(asked)}, nil
	}
	expect := func(why string, n int) {
		t.Helper()
		env, err := l.Env(t.Context())
		if err != nil || Get(env, "PATH") != "/p"+strconv.Itoa(n) {
			t.Errorf("%s: %q, %v; want answer %d", why, env, err, n)
		}
	}
	expect("first", 1)
	expect("again", 1)
	if err := os.WriteFile(filepath.Join(home, ".bashrc"), []byte("export X=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	expect("a start-up file appeared", 2)
	now = now.Add(maxAge)
	expect("an old answer", 3)
	now = now.Add(retryAfter - 1)
	l.fresh(t.Context())
	expect("a recent answer is fresh enough", 3)
	now = now.Add(1)
	l.fresh(t.Context())
	expect("a miss asks anew", 4)
}

func TestFailedProbeIsUsable(t *testing.T) {
	l := NewLogin("/bin/sh", []string{"PATH=/base"})
	l.probe = func(context.Context, string, []string) ([]string, error) { return nil, errors.New("boom") }
	env, err := l.Env(t.Context())
	if Get(env, "PATH") != "/base" || err == nil || !strings.Contains(err.Error(), "/bin/sh") {
		t.Errorf("got %q, %v", env, err)
	}
}

// shells are those on this machine that the probe is for.
func shells(t *testing.T) []string {
	var found []string
	for _, name := range []string{"bash", "dash", "zsh", "fish", "ksh", "tcsh"} {
		if path, err := exec.LookPath(name); err == nil {
			found = append(found, path)
		}
	}
	if len(found) == 0 {
		t.Skip("no shell found")
	}
	return found
}

func TestRealShells(t *testing.T) {
	for _, shell := range shells(t) {
		t.Run(filepath.Base(shell), func(t *testing.T) {
			home := t.TempDir()
			noisy := "echo noise; export PATH=\"$PATH:/from-startup-file\"\nexport MULTI='a\nb'\n"
			for _, f := range []string{".profile", ".bash_profile", ".zprofile"} {
				if err := os.WriteFile(filepath.Join(home, f), []byte(noisy), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			env, err := probe(t.Context(), shell, []string{"HOME=" + home, "PATH=/usr/bin:/bin"})
			if err != nil {
				t.Fatal(err)
			}
			path := Get(env, "PATH")
			switch filepath.Base(shell) {
			case "fish", "tcsh":
				if !strings.Contains(path, "/usr/bin") {
					t.Errorf("PATH is %q", path)
				}
			default:
				if !strings.Contains(path, "/from-startup-file") || Get(env, "MULTI") != "a\nb" {
					t.Errorf("got %q", env)
				}
			}
		})
	}
}

// fakeShell is a script that takes the place of sh; its second argument is the
// command.
func fakeShell(t *testing.T, body string) (shell, home string) {
	t.Helper()
	home = t.TempDir()
	shell = filepath.Join(home, "sh")
	if err := os.WriteFile(shell, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return shell, home
}

func TestProbeOfAShellThatHangs(t *testing.T) {
	shell, home := fakeShell(t, `sleep 300 & echo $! > "$HOME/child"; wait`)
	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, errors.New("out of time"))
	defer cancel()
	_, err := probe(ctx, shell, []string{"HOME=" + home, "PATH=/usr/bin:/bin"})
	if err == nil || !strings.Contains(err.Error(), "out of time") {
		t.Errorf("got %v", err)
	}
	data, err := os.ReadFile(filepath.Join(home, "child"))
	if err != nil {
		t.Fatal(err)
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	awaitDeath(t, pid)
}

// awaitDeath fails unless a process that was killed is soon gone or a zombie.
func awaitDeath(t *testing.T, pid int) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for time.Now().Before(deadline) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil && syscall.Kill(pid, 0) != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(time.Millisecond)
	}
	syscall.Kill(pid, syscall.SIGKILL)
	t.Errorf("process %d was left behind", pid)
}

func TestProbeDoesNotWaitForWhatAStartupFileStarted(t *testing.T) {
	shell, home := fakeShell(t, `sleep 300 & echo $! > "$HOME/child"; eval "$2"; wait`)
	env, err := probe(t.Context(), shell, []string{"HOME=" + home, "PATH=/usr/bin:/bin"})
	if err != nil || Get(env, "PATH") == "" {
		t.Errorf("got %q, %v", env, err)
	}
	data, _ := os.ReadFile(filepath.Join(home, "child"))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	awaitDeath(t, pid)
}

func TestProbeOfAShellThatFloods(t *testing.T) {
	shell, home := fakeShell(t, `yes`)
	_, err := probe(t.Context(), shell, []string{"HOME=" + home, "PATH=/usr/bin:/bin"})
	if err == nil {
		t.Error("no error")
	}
}

func TestProbeOfAShellThatIsMissing(t *testing.T) {
	if _, err := probe(t.Context(), "/no/such/shell", nil); err == nil {
		t.Error("no error")
	}
}

func TestLoginShellRuns(t *testing.T) {
	shell := LoginShell(os.Getenv)
	if !isExecutable(shell) {
		t.Errorf("%s cannot be run", shell)
	}
}
