//go:build unix

package tty

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// State is a terminal's line discipline.
type State struct{ unix.Termios }

// Is reports whether f is a terminal.
func Is(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), ioctlGet)
	return err == nil
}

// Size is the size of the terminal f in cells.
func Size(f *os.File) (cols, rows int, err error) {
	w, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0, fmt.Errorf("size of the terminal: %w", err)
	}
	return int(w.Col), int(w.Row), nil
}

// CellSize is the size of a cell of the terminal f in pixels, 0 if the terminal
// does not say it.
func CellSize(f *os.File) (width, height int) {
	w, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil || w.Col == 0 || w.Row == 0 {
		return 0, 0
	}
	return int(w.Xpixel / w.Col), int(w.Ypixel / w.Row)
}

// Get is the state of the terminal f.
func Get(f *os.File) (State, error) {
	t, err := unix.IoctlGetTermios(int(f.Fd()), ioctlGet)
	if err != nil {
		return State{}, fmt.Errorf("read the terminal's mode: %w", err)
	}
	return State{*t}, nil
}

// Set puts the terminal f into state s, after what was written to it has
// gone; input that nobody has read is dropped where flush is true.
func Set(f *os.File, s State, flush bool) error {
	request := uint(ioctlSetDrain)
	if flush {
		request = ioctlSetFlush
	}
	for {
		err := unix.IoctlSetTermios(int(f.Fd()), request, &s.Termios)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return fmt.Errorf("set the terminal's mode: %w", err)
		}
		return nil
	}
}

// Raw is s with every key a byte at once: no echo, no line editing, no signals
// from keys, no output processing.
func (s State) Raw() State {
	s.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	s.Oflag &^= unix.OPOST
	s.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	s.Cflag &^= unix.CSIZE | unix.PARENB
	s.Cflag |= unix.CS8
	s.Cc[unix.VMIN], s.Cc[unix.VTIME] = 1, 0
	return s
}

// same reports whether two states do the same. Systems change flags of their
// own (PENDIN), which do not count.
func (s State) same(o State) bool {
	s.Lflag &^= unix.PENDIN
	o.Lflag &^= unix.PENDIN
	return s.Iflag == o.Iflag && s.Oflag == o.Oflag && s.Lflag == o.Lflag && s.Cflag == o.Cflag && s.Cc == o.Cc
}
