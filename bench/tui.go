package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/creack/pty"

	"github.com/termio-sh/termio/internal/testkit/corpus"
)

// welcomed keeps the page that a new user sees from coming up.
func (t *termio) welcomed() error {
	dir := filepath.Join(t.home, "state")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "tui.json"), []byte(`{"welcomed":true}`), 0o600)
}

func face(l *lab) error {
	for _, f := range []func(*lab) error{faceEcho, facePaint, faceIdle} {
		if err := f(l); err != nil {
			return err
		}
	}
	return nil
}

// faceEcho measures a key press to its echo through the face, beside attach and
// tmux: alone, and with a flood in the pane beside it.
func faceEcho(l *lab) error {
	tm, err := l.tmux()
	if err != nil {
		return err
	}
	defer tm.kill()
	t := table{title: "Key press to echo through the face, ms"}
	t.row("beside it", "face p50", "p99", "attach p50", "p99", "tmux p50", "p99", "face ÷ tmux p50", "p99")
	for _, beside := range []string{"nothing", "a flood"} {
		var got [6]series
		for i := range l.rounds {
			if err := faceRound(l, tm, beside, i, &got); err != nil {
				return err
			}
		}
		cells := []string{beside}
		for _, s := range got {
			cells = append(cells, s.String())
		}
		t.row(append(cells, num(got[0].median()/got[4].median()), num(got[1].median()/got[5].median()))...)
	}
	t.print()
	return nil
}

func faceRound(l *lab, tm *tmux, beside string, round int, got *[6]series) error {
	term := l.home(fmt.Sprintf("f%c%d", beside[0], round))
	defer term.close()
	if err := term.welcomed(); err != nil {
		return err
	}
	const keys = 200
	link, err := term.session("exec " + quote(l.self) + " echoer")
	if err != nil {
		return err
	}
	first := "\r" // into the first session
	if beside != "nothing" {
		if _, err := term.session("yes termio"); err != nil {
			return err
		}
		// The other one to the right, then back and in.
		first = "vH"
	}
	settle()
	took, err := typistAfter(term.env(), keys, first, l.termio)
	if err != nil {
		return fmt.Errorf("the face: %w", err)
	}
	got[0], got[1] = append(got[0], took.median()), append(got[1], took.quantile(0.99))
	if took, err = typist(term.env(), keys, l.termio, "sessions", "attach", link); err != nil {
		return fmt.Errorf("attach: %w", err)
	}
	got[2], got[3] = append(got[2], took.median()), append(got[3], took.quantile(0.99))
	name := fmt.Sprintf("f%c%d", beside[0], round)
	if _, err := tm.do("new-session", "-d", "-s", name, "-x", "200", "-y", "50", l.self, "echoer"); err != nil {
		return err
	}
	if beside != "nothing" {
		if _, err := tm.do("split-window", "-d", "-h", "-t", name, "yes", "termio"); err != nil {
			return err
		}
	}
	settle()
	took, err = typist(nil, keys, "tmux", "-S", tm.sock, "attach", "-t", name)
	if err != nil {
		return fmt.Errorf("tmux: %w", err)
	}
	tm.do("kill-session", "-t", name)
	got[4], got[5] = append(got[4], took.median()), append(got[5], took.quantile(0.99))
	return nil
}

// facePaint measures from the process's start to the first session's screen,
// with many sessions in the list.
func facePaint(l *lab) error {
	term := l.home("fp")
	defer term.close()
	if err := term.welcomed(); err != nil {
		return err
	}
	const mark = "here-it-is"
	if _, err := term.fill(l.sessions, "echo here-it'-'is; exec cat"); err != nil {
		return err
	}
	settle()
	var took series
	for range l.rounds * 4 {
		v, err := shown(term.env(), mark, l.termio)
		if err != nil {
			return err
		}
		took = append(took, v)
	}
	t := table{title: fmt.Sprintf("The face with %d sessions, from the process's start to the list and a session's screen, ms", l.sessions)}
	t.row(took.String(), "p99 "+num(took.quantile(0.99)), ratio{took.median(), 150, true}.String())
	t.print()
	return nil
}

// faceIdle measures what the face takes while nothing happens.
func faceIdle(l *lab) error {
	term := l.home("fi")
	defer term.close()
	if err := term.welcomed(); err != nil {
		return err
	}
	if _, err := term.fill(50, "exec cat"); err != nil {
		return err
	}
	cmd := exec.Command(l.termio)
	cmd.Env = append(append(os.Environ(), "TERM=xterm-256color"), term.env()...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: corpus.Cols, Rows: corpus.Rows})
	if err != nil {
		return err
	}
	defer func() { cmd.Process.Signal(syscall.SIGTERM); cmd.Wait(); tty.Close() }()
	go func() {
		for buf := make([]byte, 64<<10); ; {
			if _, err := tty.Read(buf); err != nil {
				return
			}
		}
	}()
	time.Sleep(5 * time.Second)
	const span = 20
	before := cpu(cmd.Process.Pid) // it became the face, by exec
	time.Sleep(span * time.Second)
	share := float64(cpu(cmd.Process.Pid)-before) / (span * 100) * 100
	t := table{title: "The face, idle with 50 sessions, % of a core"}
	t.row(num(share), ratio{share + 1e-9, 0.5, true}.String())
	t.print()
	return nil
}
