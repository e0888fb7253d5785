//go:build unix

package scriptagent

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// A tty is the terminal that the agent is on.
type tty struct {
	in, out *os.File
	before  *unix.Termios
}

// write sends bytes to the terminal; one that is gone ends the reading too.
func (t *tty) write(s string) { io.WriteString(t.out, s) }

// raw turns the line discipline off. flush drops what was typed before.
func (t *tty) raw(flush bool) error {
	return t.change(flush, func(m *unix.Termios) {
		m.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
		m.Oflag &^= unix.OPOST
		m.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
		m.Cflag = m.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
		m.Cc[unix.VMIN], m.Cc[unix.VTIME] = 1, 0
	})
}

func (t *tty) noEcho() { t.change(false, func(m *unix.Termios) { m.Lflag &^= unix.ECHO }) }

func (t *tty) change(flush bool, edit func(*unix.Termios)) error {
	fd := int(t.in.Fd())
	m, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return fmt.Errorf("read the terminal's settings: %w", err)
	}
	if t.before == nil {
		before := *m
		t.before = &before
	}
	edit(m)
	req := uint(setTermios)
	if flush {
		req = setTermiosFlush
	}
	if err := unix.IoctlSetTermios(fd, req, m); err != nil {
		return fmt.Errorf("change the terminal's settings: %w", err)
	}
	return nil
}

func (t *tty) restore() {
	if t.before != nil {
		unix.IoctlSetTermios(int(t.in.Fd()), setTermios, t.before) // it may be gone
	}
}

// size is 24×80 where there is none.
func (t *tty) size() (rows, cols int) {
	ws, err := unix.IoctlGetWinsize(int(t.out.Fd()), unix.TIOCGWINSZ)
	if err != nil || ws.Row == 0 || ws.Col == 0 {
		return 24, 80
	}
	return int(ws.Row), int(ws.Col)
}
