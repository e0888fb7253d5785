package term

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/nowait"
)

// pty is the master side of a pseudo-terminal. It is non-blocking, so that a
// read or write that waits costs no thread.
type pty struct {
	file   *os.File
	raw    syscall.RawConn
	output *nowait.Reader
}

// openPTY opens a pseudo-terminal and its slave side. The slave is opened
// through the master, not by a path, so that it works in any mount namespace.
func openPTY(size hostproto.Size) (*pty, *os.File, error) {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("open /dev/ptmx: %w", err)
	}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		unix.Close(fd)
		return nil, nil, fmt.Errorf("unlock pseudo-terminal: %w", err)
	}
	file := os.NewFile(uintptr(fd), "pty")
	raw, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("open pseudo-terminal: %w", err)
	}
	p := &pty{file: file, raw: raw, output: nowait.NewReader(raw)}
	if err := p.resize(size); err != nil {
		file.Close()
		return nil, nil, err
	}
	slave, err := p.openSlave(0)
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("open the program's side of the pseudo-terminal: %w", err)
	}
	return p, os.NewFile(uintptr(slave), "tty"), nil
}

func (p *pty) openSlave(flags int) (fd int, err error) {
	cerr := p.raw.Control(func(master uintptr) {
		r, _, errno := unix.Syscall(unix.SYS_IOCTL, master, unix.TIOCGPTPEER,
			uintptr(unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|flags))
		if errno != 0 {
			err = errno
			return
		}
		fd = int(r)
	})
	if cerr != nil {
		return -1, cerr
	}
	return fd, err
}

// read waits for output and reads it into the buffer that space gives, which
// is asked for only when there is something. done is told how much was read.
// io.EOF means that no program has the terminal open any more.
func (p *pty) read(space func() []byte, done func(n int)) error {
	return p.output.Take(space, done)
}

// write writes all of b, waiting as long as the terminal does not take it.
func (p *pty) write(b []byte) error {
	_, err := p.file.Write(b)
	return err
}

// tryWrite writes what the terminal takes of b without waiting, and returns how
// much that was. An error is for write to find.
func (p *pty) tryWrite(b []byte) int {
	n, _ := nowait.Write(p.raw, b)
	return n
}

// resize sets the size in cells and tells the program (SIGWINCH).
func (p *pty) resize(s hostproto.Size) error {
	var err error
	cerr := p.raw.Control(func(fd uintptr) {
		err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(s.Rows), Col: uint16(s.Cols)})
	})
	if err := errors.Join(cerr, err); err != nil {
		return fmt.Errorf("set size of pseudo-terminal: %w", err)
	}
	return nil
}

// lineMode tells whether the terminal is in canonical mode and whether the
// kernel echoes what is typed.
func (p *pty) lineMode() (canonical, echo bool) {
	p.raw.Control(func(fd uintptr) {
		if t, err := unix.IoctlGetTermios(int(fd), unix.TCGETS); err == nil {
			canonical, echo = t.Lflag&unix.ICANON != 0, t.Lflag&unix.ECHO != 0
		}
	})
	return canonical, echo
}

// unread is how many bytes of input the program has not read yet, -1 when that
// cannot be known (in canonical mode only whole lines count). 0 is certain:
// what was written may still be on its way to the terminal's input, and poll
// waits for that when there is nothing to read.
func (p *pty) unread() int {
	n := -1
	p.slave(func(fd int) {
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		if v, err := unix.IoctlGetInt(fd, unix.TIOCINQ); err == nil {
			n = v
		}
	})
	return n
}

// discardInput throws away what the program has not read.
func (p *pty) discardInput() {
	p.slave(func(fd int) { unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) })
}

func (p *pty) slave(use func(fd int)) {
	fd, err := p.openSlave(unix.O_NONBLOCK)
	if err != nil {
		return
	}
	use(fd)
	unix.Close(fd)
}

func (p *pty) close() error { return p.file.Close() }
