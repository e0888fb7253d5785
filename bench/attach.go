package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"time"

	"github.com/creack/pty"

	"github.com/termio-sh/termio/internal/testkit/corpus"
)

// shown starts a client on a terminal of its own and times it until the screen
// of its session, which holds mark, is painted.
func shown(env []string, mark string, name string, args ...string) (float64, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(append(os.Environ(), "TERM=xterm-256color"), env...)
	start := time.Now()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: corpus.Cols, Rows: corpus.Rows})
	if err != nil {
		return 0, err
	}
	defer func() { cmd.Process.Kill(); tty.Close(); cmd.Wait() }()
	late := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
	defer late.Stop()
	var seen []byte
	for buf := make([]byte, 64<<10); ; {
		n, err := tty.Read(buf)
		at := time.Now()
		if seen = append(seen, buf[:n]...); bytes.Contains(seen, []byte(mark)) {
			return ms(at.Sub(start)), nil
		}
		if err != nil {
			return 0, errors.New("the client showed nothing of its session")
		}
	}
}

// attaches measures how long a client takes from its start to its first paint.
func attaches(l *lab) error {
	term := l.home("t")
	defer term.close()
	tm, err := l.tmux()
	if err != nil {
		return err
	}
	defer tm.kill()
	const mark = "here-it-is"
	link, err := term.session("echo here-it'-'is; exec cat")
	if err != nil {
		return err
	}
	if _, err := tm.do("new-session", "-d", "-s", "a", "-x", "200", "-y", "50", "echo here-it'-'is; exec cat"); err != nil {
		return err
	}
	settle()
	var ours, them, bare series
	for range l.rounds * 10 {
		for _, m := range []struct {
			s *series
			f func() (float64, error)
		}{
			{&ours, func() (float64, error) { return shown(term.env(), mark, l.termio, "sessions", "attach", link) }},
			{&them, func() (float64, error) { return shown(nil, mark, "tmux", "-S", tm.sock, "attach", "-t", "a") }},
			{&bare, func() (float64, error) { return shown(nil, mark, "/bin/echo", mark) }},
		} {
			v, err := m.f()
			if err != nil {
				return err
			}
			*m.s = append(*m.s, v)
		}
	}
	t := table{title: "Attach, from the process's start to the session's screen, ms"}
	t.row("termio", "tmux", "a program that prints", "÷ tmux")
	t.row(ours.String(), them.String(), bare.String(), num(ours.median()/them.median()))
	t.print()
	return nil
}
