// Package nowait reads and writes descriptors of the runtime's poller with
// calls that cannot wait: what there is, or nothing. A key and its echo pass
// through a goroutine in each process on their way, and nearly all of the time
// that takes is the waking of threads.
//
// On Linux the calls are also made without telling the scheduler (see call),
// so that not even the runtime's monitor thread is woken for a key.
package nowait

import (
	"io"
	"syscall"
)

// Reader reads a non-blocking descriptor; the goroutine that reads waits in the
// poller. It is an io.Reader for one goroutine.
type Reader struct {
	c     syscall.RawConn
	bulks int // reads of much, in a row
}

// NewReader gives a Reader of c.
func NewReader(c syscall.RawConn) *Reader { return &Reader{c: c} }

// ReaderOf gives a Reader of conn, or conn where it or the system has no such
// descriptors.
func ReaderOf(conn io.Reader) io.Reader {
	if c := rawOf(conn); c != nil {
		return NewReader(c)
	}
	return conn
}

// RawOf is the descriptor of conn for Write, nil where it or the system has
// none of the kind.
func RawOf(conn io.Writer) syscall.RawConn { return rawOf(conn) }

func rawOf(conn any) syscall.RawConn {
	if c, ok := conn.(syscall.Conn); ok && supported {
		if raw, err := c.SyscallConn(); err == nil && nonblocking(raw) {
			return raw
		}
	}
	return nil
}

// Read waits until there is something and reads it. The end of a stream and
// that of a terminal nobody has open (EIO) are io.EOF.
func (r *Reader) Read(p []byte) (n int, err error) {
	rerr := r.Take(func() []byte { return p }, func(k int) { n = k })
	return n, rerr
}

// Take is Read into a buffer that is asked for only when there may be
// something. done is told how much was read each time, 0 for nothing.
func (r *Reader) Take(space func() []byte, done func(n int)) error {
	var n int
	var err error
	cerr := r.c.Read(func(fd uintptr) bool {
		n, err = read(fd, space(), r.bulks%seen == seen-1)
		done(n)
		return err != syscall.EAGAIN
	})
	if n >= bulk {
		r.bulks++
	} else {
		r.bulks = 0
	}
	switch {
	case cerr != nil:
		return cerr
	case err == syscall.EIO || err == nil && n == 0:
		return io.EOF
	}
	return err
}

// Write writes what the descriptor takes of p at once, and returns how much
// that was: nothing if it is full, or if c is nil.
func Write(c syscall.RawConn, p []byte) (n int, err error) {
	if c == nil {
		return 0, nil
	}
	cerr := c.Write(func(fd uintptr) bool {
		n, err = write(fd, p, len(p) >= bulk)
		return true // whatever came of it: do not wait for more
	})
	if err == syscall.EAGAIN {
		err = nil
	}
	if cerr != nil {
		err = cerr
	}
	return n, err
}

const (
	// bulk is the number of bytes that are more than a key and its echo.
	bulk = 1 << 10
	// While much is moved without a pause, the monitor thread has work to do:
	// every so many reads the scheduler gets to see one.
	seen = 16
)
