package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/orchestrate"
	"github.com/termio-sh/termio/internal/shellenv"
)

// stallWindowEnv overrides the detector's window, for trials: seconds.
const stallWindowEnv = "TERMIO_STALL_WINDOW_SECONDS"

// gitTime bounds one question to git.
const gitTime = 10 * time.Second

// stalls looks for turns that seem stuck, while somebody wants to hear of them:
// on a goroutine of its own, since git can be slow.
type stalls struct {
	run    func(ctx context.Context) // until ctx ends
	within context.Context

	mu     sync.Mutex
	wanted int
	stop   context.CancelFunc
	over   chan struct{}
}

// want asks for it until the function that it returns is called.
func (s *stalls) want() func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wanted++; s.wanted == 1 {
		ctx, cancel := context.WithCancel(s.within)
		before, over := s.over, make(chan struct{})
		s.stop, s.over = cancel, over
		go func() {
			defer close(over)
			if before != nil {
				<-before
			}
			s.run(ctx)
		}()
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.wanted--; s.wanted == 0 {
			s.stop()
		}
	}
}

// stallWindow is the window that the environment asks for, 0 for the usual one.
func stallWindow(env []string) time.Duration {
	n, err := strconv.ParseFloat(shellenv.Get(env, stallWindowEnv), 64)
	if err != nil || n <= 0 {
		return 0
	}
	return time.Duration(n * float64(time.Second))
}

// watchStalls measures the sessions that work, each when its detector says so.
func (d *Daemon) watchStalls(ctx context.Context) {
	window := stallWindow(d.o.Env)
	pace := orchestrate.StallWindow / 40
	if window > 0 {
		pace = max(window/40, 50*time.Millisecond)
	}
	look := time.NewTicker(pace)
	defer look.Stop()
	probes := map[string]*orchestrate.Stall{}
	for {
		live := map[string]bool{}
		for _, s := range d.roster.all(everything, true) {
			id := s.record.ID
			live[id] = true
			if probes[id] == nil {
				probes[id] = &orchestrate.Stall{Window: window}
			}
			p := probes[id]
			p.See(s.status.State == orchestrate.Working, s.status.Since, time.Now())
			if !p.Due(time.Now()) {
				continue
			}
			if m, ok := d.measure(ctx, s); ok {
				if evidence, stalled := p.Measured(m, time.Now()); stalled {
					d.roster.stalled(id, evidence)
				}
			}
		}
		for id := range probes {
			if !live[id] {
				delete(probes, id)
			}
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}

// measure looks how far a session is. It reports false when that cannot be
// told now.
func (d *Daemon) measure(ctx context.Context, s session) (orchestrate.Measure, bool) {
	var info hostproto.Info
	if err := d.ask(ctx, s, askTime, hostproto.OpInfo, nil, &info); err != nil {
		return orchestrate.Measure{}, false
	}
	m := orchestrate.Measure{Output: info.Output, Lines: -1}
	if _, lines := d.cursor(&s); lines != nil {
		m.Lines = *lines
	}
	dir := s.record.Dir // the same for the whole window, wherever its shell goes
	repo, err := repoState(ctx, dir)
	if err != nil {
		d.log.Info("a repository cannot be asked", "session", s.record.ID, "dir", dir, "why", err.Error())
		return m, ctx.Err() == nil
	}
	m.Repo = repo
	return m, true
}

// repoState stands for the state of the repository that dir is in: its commit,
// and which files differ from it, with their sizes and times. It is "" where
// there is no repository. git takes no lock for it.
func repoState(ctx context.Context, dir string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	git := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
		cmd.WaitDelay = time.Second
		out, err := cmd.Output()
		return string(out), err
	}
	top, err := git("rev-parse", "--show-toplevel")
	if err != nil {
		if ctx.Err() != nil {
			return "", fmt.Errorf("ask git: %w", ctx.Err())
		}
		return "", nil
	}
	head, err := git("rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil {
		head = "none yet"
	}
	changed, err := git("status", "--porcelain", "-z", "--no-renames")
	if err != nil {
		return "", fmt.Errorf("ask git: %w", err)
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s\n", head, changed)
	for _, entry := range strings.Split(changed, "\x00") {
		if len(entry) < 4 {
			continue
		}
		if st, err := os.Lstat(filepath.Join(strings.TrimSpace(top), entry[3:])); err == nil {
			fmt.Fprintf(sum, "%d %d\n", st.Size(), st.ModTime().UnixNano())
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
