package attach

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/termio-sh/termio/internal/nowait"
	"github.com/termio-sh/termio/internal/paint/tty"
)

// outer is the terminal that the person sits at: what it sends and takes.
type outer struct {
	in     io.Reader
	out    *os.File
	raw    syscall.RawConn // of out where it does not block, else nil
	opened []*os.File
}

// openOuter takes in and out non-blocking where the system lets it, since a
// thread that waits in a call is slow to come back (see package nowait); else
// as they are.
func openOuter(in, out *os.File) *outer {
	o := &outer{in: in, out: out}
	if f, err := tty.Reopen(in); err == nil {
		o.in = nowait.ReaderOf(f)
		o.opened = append(o.opened, f)
	}
	if f, err := tty.Reopen(out); err == nil {
		o.out, o.raw = f, nowait.RawOf(f)
		o.opened = append(o.opened, f)
	}
	return o
}

// write writes all of p, waiting as long as the terminal does not take it.
func (o *outer) write(p []byte) error {
	n, err := nowait.Write(o.raw, p)
	if err == nil && n < len(p) {
		_, err = o.out.Write(p[n:])
	}
	if err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	return err
}

// close ends reads and writes that are waiting, where it can.
func (o *outer) close() {
	for _, f := range o.opened {
		f.Close()
	}
}
