package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/creack/pty"

	"github.com/termio-sh/termio/internal/testkit/corpus"
)

const drainSize = 16 << 20

// viewer is an attached client on a terminal of its own whose output is read
// and thrown away.
type viewer struct {
	cmd *exec.Cmd
	tty *os.File
}

func view(env []string, name string, args ...string) (*viewer, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(append(os.Environ(), "TERM=xterm-256color"), env...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: corpus.Cols, Rows: corpus.Rows})
	if err != nil {
		return nil, err
	}
	go func() {
		buf := make([]byte, 64<<10)
		for {
			if _, err := tty.Read(buf); err != nil {
				return
			}
		}
	}()
	return &viewer{cmd, tty}, nil
}

func (v *viewer) stop()  { v.cmd.Process.Signal(syscall.SIGSTOP) }
func (v *viewer) close() { v.cmd.Process.Kill(); v.tty.Close(); v.cmd.Wait() }

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (l *lab) dtachDrain(in, note string, size int) (float64, error) {
	sock := l.path("dtach.sock")
	os.Remove(sock)
	if _, err := run(nil, "dtach", "-n", sock, "-E", l.self, "payload", in, note); err != nil {
		return 0, err
	}
	return await(note, size)
}

// termioDrain starts a session, attaches what the mode says, and drains.
func (l *lab) termioDrain(t *termio, mode, in, note string, size int) (float64, error) {
	go1, cmd := l.path("go"), ""
	os.Remove(go1)
	// The payload waits for the gate file, so that a viewer is attached first.
	cmd = "while [ ! -e " + quote(go1) + " ]; do sleep 0.02; done; " + quote(l.self) + " payload " + quote(in) + " " + quote(note) + "; exit"
	link, err := t.session(cmd)
	if err != nil {
		return 0, err
	}
	defer t.do("sessions", "close", link)
	if mode != "detached" {
		v, err := view(t.env(), l.termio, "sessions", "attach", link)
		if err != nil {
			return 0, err
		}
		defer v.close()
		settle()
		if mode == "stopped" {
			v.stop()
		}
	} else {
		settle()
	}
	if err := os.WriteFile(go1, nil, 0o600); err != nil {
		return 0, err
	}
	return await(note, size)
}

func (l *lab) tmuxAttached(in, note string, size int) (float64, error) {
	t, err := l.tmux()
	if err != nil {
		return 0, err
	}
	defer t.kill()
	gate := l.path("go")
	os.Remove(gate)
	cmd := "while [ ! -e " + quote(gate) + " ]; do sleep 0.02; done; " + quote(l.self) + " payload " + quote(in) + " " + quote(note)
	if _, err := t.do("new-session", "-d", "-s", "drain", "-x", "200", "-y", "50", "sh", "-c", cmd); err != nil {
		return 0, err
	}
	v, err := view(nil, "tmux", "-S", t.sock, "attach", "-t", "drain")
	if err != nil {
		return 0, err
	}
	defer v.close()
	settle()
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		return 0, err
	}
	return await(note, size)
}

func drains(l *lab) error {
	term := l.home("d")
	defer term.close()
	t := table{title: "Drain through a host, MB/s, 200×50"}
	t.row("corpus", "termio", "dtach", "tmux", "÷ dtach", "÷ tmux", "one viewer", "tmux, one client", "÷ tmux", "stopped viewer", "time ÷ without")
	for _, c := range corpus.All {
		data := c.Bytes(drainSize)
		in, note := l.path("in"), l.path("note")
		if err := os.WriteFile(in, data, 0o600); err != nil {
			return err
		}
		var ours, dt, tm, viewed, tmViewed, stopped series
		add := func(s *series, f func() (float64, error)) error {
			v, err := f()
			if err == nil {
				*s = append(*s, v)
			}
			return err
		}
		for range l.rounds {
			steps := []struct {
				s *series
				f func() (float64, error)
			}{
				{&ours, func() (float64, error) { return l.termioDrain(term, "detached", in, note, len(data)) }},
				{&dt, func() (float64, error) { return l.dtachDrain(in, note, len(data)) }},
				{&tm, func() (float64, error) { return l.tmuxDrain("in", data) }},
				{&viewed, func() (float64, error) { return l.termioDrain(term, "viewed", in, note, len(data)) }},
				{&tmViewed, func() (float64, error) { return l.tmuxAttached(in, note, len(data)) }},
				{&stopped, func() (float64, error) { return l.termioDrain(term, "stopped", in, note, len(data)) }},
			}
			for _, s := range steps {
				if s.s == &dt && !have("dtach") || (s.s == &tm || s.s == &tmViewed) && !have("tmux") {
					continue
				}
				if err := add(s.s, s.f); err != nil {
					return err
				}
			}
		}
		want := 0.0
		if c.Name == "colour" || c.Name == "fullscreen" || c.Name == "unicode" {
			want = 4
		}
		t.row(c.Name, ours.String(), dt.String(), tm.String(),
			overs(ours.median(), dt.median(), 0.8), overs(ours.median(), tm.median(), want),
			viewed.String(), tmViewed.String(), overs(viewed.median(), tmViewed.median(), 3),
			stopped.String(), ratio{ours.median() / stopped.median(), 1.1, true}.String())
	}
	t.print()
	return nil
}
