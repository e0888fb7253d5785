package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/termio-sh/termio/internal/testkit/corpus"
)

// settle lets a client that was just started finish drawing. There is no
// event that all systems under test give.
func settle() { time.Sleep(400 * time.Millisecond) }

// echoer is run inside a session: it puts its terminal into raw mode and
// writes back each byte it reads.
func echoer() {
	st, err := unix.IoctlGetTermios(0, unix.TCGETS)
	if err == nil {
		st.Lflag &^= unix.ICANON | unix.ECHO
		st.Cc[unix.VMIN], st.Cc[unix.VTIME] = 1, 0
		unix.IoctlSetTermios(0, unix.TCSETS, st)
	}
	os.Stdout.WriteString("ready\r\n")
	buf := make([]byte, 64)
	for {
		n, err := os.Stdin.Read(buf)
		if err != nil {
			return
		}
		os.Stdout.Write(buf[:n])
	}
}

// marks never occur in the control sequences that clients write.
const marks = "~@#&%!"

// typist types one mark at a time into an attached client and times its echo.
func typist(env []string, n int, name string, args ...string) (series, error) {
	return typistAfter(env, n, "", name, args...)
}

// typistAfter is typist after some keys, which bring the session up.
func typistAfter(env []string, n int, first, name string, args ...string) (series, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(append(os.Environ(), "TERM=xterm-256color"), env...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: corpus.Cols, Rows: corpus.Rows})
	if err != nil {
		return nil, err
	}
	defer func() { cmd.Process.Kill(); tty.Close(); cmd.Wait() }()
	type piece struct {
		at   time.Time
		data []byte
	}
	out := make(chan piece, 1024)
	go func() {
		defer close(out)
		buf := make([]byte, 64<<10)
		for {
			n, err := tty.Read(buf)
			if err != nil {
				return
			}
			out <- piece{time.Now(), bytes.Clone(buf[:n])}
		}
	}()
	settle()
	if first != "" {
		if _, err := tty.WriteString(first); err != nil {
			return nil, err
		}
		settle()
	}
	var took series
	for i := range n {
		for drained := false; !drained; {
			select {
			case <-out:
			default:
				drained = true
			}
		}
		mark := marks[i%len(marks)]
		start := time.Now()
		if _, err := tty.Write([]byte{mark}); err != nil {
			return took, err
		}
		late := time.After(5 * time.Second)
		for seen := false; !seen; {
			select {
			case p, ok := <-out:
				if !ok {
					return took, errors.New("the client ended")
				}
				if bytes.IndexByte(p.data, mark) >= 0 {
					took = append(took, ms(p.at.Sub(start)))
					seen = true
				}
			case <-late:
				return took, fmt.Errorf("no echo of key %d in 5 s", i)
			}
		}
		time.Sleep(3 * time.Millisecond) // a fast typist, not a paste
	}
	return took, nil
}

func echoes(l *lab) error {
	term := l.home("e")
	defer term.close()
	tm, err := l.tmux()
	if err != nil {
		return err
	}
	defer tm.kill()
	t := table{title: "Key press to echo through an attached viewer, ms"}
	t.row("neighbour", "termio p50", "p99", "tmux p50", "p99", "p50 ÷ tmux", "p99 ÷ tmux")
	for _, neighbour := range []string{"none", "flooding"} {
		if neighbour == "flooding" {
			if _, err := term.session("yes termio"); err != nil {
				return err
			}
			if _, err := tm.do("new-session", "-d", "-s", "flood", "-x", "200", "-y", "50", "yes", "termio"); err != nil {
				return err
			}
		}
		var a50, a99, b50, b99 series
		for i := range l.rounds {
			link, err := term.session("exec " + quote(l.self) + " echoer")
			if err != nil {
				return err
			}
			settle()
			a, err := typist(term.env(), 200, l.termio, "sessions", "attach", link)
			if err != nil {
				return fmt.Errorf("termio: %w", err)
			}
			term.do("sessions", "close", link)
			name := fmt.Sprintf("e%s%d", neighbour, i)
			if _, err := tm.do("new-session", "-d", "-s", name, "-x", "200", "-y", "50", l.self, "echoer"); err != nil {
				return err
			}
			settle()
			b, err := typist(nil, 200, "tmux", "-S", tm.sock, "attach", "-t", name)
			if err != nil {
				return fmt.Errorf("tmux: %w", err)
			}
			tm.do("kill-session", "-t", name)
			a50, a99 = append(a50, a.median()), append(a99, a.quantile(0.99))
			b50, b99 = append(b50, b.median()), append(b99, b.quantile(0.99))
		}
		t.row(neighbour, a50.String(), a99.String(), b50.String(), b99.String(),
			ratio{a50.median() / b50.median(), 1, true}.String(), ratio{a99.median() / b99.median(), 1, true}.String())
	}
	t.print()
	return nil
}
