//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package term

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	creack "github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/termio-sh/termio/internal/hostproto"
)

// pty is the master side of a pseudo-terminal. It is blocking: a non-blocking
// one spins on these systems.
type pty struct{ file *os.File }

// openPTY opens a pseudo-terminal and its slave side.
func openPTY(size hostproto.Size) (*pty, *os.File, error) {
	master, slave, err := creack.Open()
	if err != nil {
		return nil, nil, fmt.Errorf("open pseudo-terminal: %w", err)
	}
	p := &pty{file: master}
	if err := p.resize(size); err != nil {
		master.Close()
		slave.Close()
		return nil, nil, err
	}
	return p, slave, nil
}

// read waits for output and reads it into the buffer that space gives; done is
// told how much. io.EOF means that no program has the terminal open any more.
func (p *pty) read(space func() []byte, done func(n int)) error {
	n, err := p.file.Read(space())
	done(n)
	if errors.Is(err, syscall.EIO) {
		return io.EOF
	}
	return err
}

// write writes all of b, waiting as long as the terminal does not take it.
func (p *pty) write(b []byte) error {
	_, err := p.file.Write(b)
	return err
}

// tryWrite writes nothing here, where every write may block.
func (p *pty) tryWrite([]byte) int { return 0 }

// resize sets the size in cells and tells the program (SIGWINCH).
func (p *pty) resize(s hostproto.Size) error {
	err := creack.Setsize(p.file, &creack.Winsize{Rows: uint16(s.Rows), Cols: uint16(s.Cols)})
	if err != nil {
		return fmt.Errorf("set size of pseudo-terminal: %w", err)
	}
	return nil
}

// lineMode tells whether the terminal is in canonical mode and whether the
// kernel echoes what is typed.
func (p *pty) lineMode() (canonical, echo bool) {
	t, err := unix.IoctlGetTermios(int(p.file.Fd()), unix.TIOCGETA)
	if err != nil {
		return false, false
	}
	return t.Lflag&unix.ICANON != 0, t.Lflag&unix.ECHO != 0
}

// unread cannot be known here.
func (p *pty) unread() int { return -1 }

// discardInput does nothing here: without unread it is never known to be safe.
func (p *pty) discardInput() {}

func (p *pty) close() error { return p.file.Close() }
