package shellenv

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Bounds of the probe.
const (
	probeTimeout = 3 * time.Second
	maxProbe     = 4 << 20   // bytes of output
	maxAge       = time.Hour // of an answer, whatever the files say
	retryAfter   = 15 * time.Second
)

// Login is the environment that the user's login shell makes. The shell is
// asked at the first use and again when one of its start-up files changed. It
// is safe for concurrent use.
type Login struct {
	shell string
	base  []string // what the shell starts from
	now   func() time.Time
	probe func(ctx context.Context, shell string, env []string) ([]string, error)

	mu      sync.Mutex
	current *answer // the newest; it may not be there yet
}

// answer is what the shell said, once done is closed.
type answer struct {
	done  chan struct{}
	at    time.Time
	stamp string
	env   []string
	err   error
}

// NewLogin returns the environment of shell, which starts from env.
func NewLogin(shell string, env []string) *Login {
	return &Login{shell: shell, base: Scrub(env), now: time.Now, probe: probe}
}

// Shell is the login shell.
func (l *Login) Shell() string { return l.shell }

// Env is the environment of the login shell. It can always be used: where the
// shell could not be asked it is the one it would have started from, and the
// error says why.
func (l *Login) Env(ctx context.Context) ([]string, error) {
	return l.wait(ctx, l.ask(maxAge))
}

// fresh is Env, asked anew unless the answer is recent.
func (l *Login) fresh(ctx context.Context) ([]string, error) {
	return l.wait(ctx, l.ask(retryAfter))
}

// Warm asks the shell without waiting for the answer.
func (l *Login) Warm() { l.ask(maxAge) }

// answered reports whether an answer is there already.
func (l *Login) answered() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current == nil {
		return false
	}
	select {
	case <-l.current.done:
		return true
	default:
		return false
	}
}

// ask returns an answer not older than age, starting the shell for it if need
// be.
func (l *Login) ask(age time.Duration) *answer {
	stamp := l.stamp()
	l.mu.Lock()
	defer l.mu.Unlock()
	if a := l.current; a != nil && a.stamp == stamp && l.now().Sub(a.at) < age {
		return a
	}
	a := &answer{done: make(chan struct{}), at: l.now(), stamp: stamp}
	l.current = a
	go func() {
		defer close(a.done)
		// Not the caller's context: others wait for the same answer.
		ctx, cancel := context.WithTimeoutCause(context.Background(), probeTimeout,
			fmt.Errorf("it did not answer in %v", probeTimeout))
		defer cancel()
		if a.env, a.err = l.probe(ctx, l.shell, l.base); a.err != nil {
			a.env = l.base
			a.err = fmt.Errorf("ask the login shell %s for its environment: %w", l.shell, a.err)
		}
	}()
	return a
}

func (l *Login) wait(ctx context.Context, a *answer) ([]string, error) {
	select {
	case <-a.done:
		return a.env, a.err
	case <-ctx.Done():
		return l.base, ctx.Err()
	}
}

// startupFiles are what the known shells read, below the home directory.
var startupFiles = []string{
	".profile", ".bash_profile", ".bash_login", ".bashrc",
	".zshenv", ".zprofile", ".zshrc", ".zlogin",
	".config/fish/config.fish", ".config/environment.d", ".cshrc", ".tcshrc", ".login",
}

// systemFiles are those of the whole system.
var systemFiles = []string{
	"/etc/profile", "/etc/profile.d", "/etc/bash.bashrc", "/etc/bashrc", "/etc/zshenv", "/etc/zprofile",
	"/etc/zshrc", "/etc/zsh/zshenv", "/etc/zsh/zprofile", "/etc/zsh/zshrc", "/etc/environment", "/etc/paths", "/etc/paths.d",
}

// stamp changes when a start-up file does.
func (l *Login) stamp() string {
	var b strings.Builder
	home := Get(l.base, "HOME")
	note := func(path string) {
		if st, err := os.Stat(path); err == nil {
			fmt.Fprintf(&b, "%s %d %d\n", path, st.Size(), st.ModTime().UnixNano())
		}
	}
	for _, f := range startupFiles {
		note(filepath.Join(home, f))
	}
	for _, f := range systemFiles {
		note(f)
	}
	return b.String()
}

// The markers around the environment in the shell's output, so that whatever
// start-up files print does no harm.
const (
	beginMark = "\x00termio-env-begin\x00"
	endMark   = "\x00termio-env-end\x00"
)

// probeScript prints the environment between the markers. It is good for
// POSIX shells and fish; an env without -0 is asked for lines.
const probeScript = `printf '\000termio-env-begin\000'; env -0 2>/dev/null || env; printf '\000termio-env-end\000'`

// parseProbe takes the environment out of the shell's output.
func parseProbe(out string) ([]string, bool) {
	_, out, ok := strings.Cut(out, beginMark)
	if !ok {
		return nil, false
	}
	out, _, ok = strings.Cut(out, endMark)
	if !ok {
		return nil, false
	}
	sep := "\x00"
	if !strings.Contains(out, sep) {
		sep = "\n"
	}
	var env []string
	for _, kv := range strings.Split(out, sep) {
		if name, _, ok := strings.Cut(kv, "="); ok && name != "" {
			env = append(env, kv)
		}
	}
	return env, Get(env, "PATH") != ""
}
