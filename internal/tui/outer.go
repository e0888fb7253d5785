package tui

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/termio-sh/termio/internal/nowait"
	"github.com/termio-sh/termio/internal/paint/tty"
)

// outer is the terminal that the person sits at.
type outer struct {
	in     io.Reader
	out    *os.File
	raw    syscall.RawConn // of out where it does not block, else nil
	opened []*os.File
}

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

// start writes what the terminal takes at once; the rest is to be written with
// finish, which may wait.
func (o *outer) start(p []byte) (rest []byte, err error) {
	n, err := nowait.Write(o.raw, p)
	return p[n:], tellOuter(err)
}

func (o *outer) finish(p []byte) error {
	_, err := o.out.Write(p)
	return tellOuter(err)
}

func (o *outer) write(p []byte) error {
	rest, err := o.start(p)
	if err == nil && len(rest) > 0 {
		err = o.finish(rest)
	}
	return err
}

func tellOuter(err error) error {
	if err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	return err
}

func (o *outer) close() {
	for _, f := range o.opened {
		f.Close()
	}
}

// keyboard is the terminal's input for bubbletea: no file, so that nobody but
// us changes the terminal's mode. Its end ends the loop.
type keyboard struct {
	in       io.Reader
	straight func([]byte) bool // takes what is not for bubbletea
	over     func(error)
}

func (k *keyboard) Read(p []byte) (int, error) {
	for {
		n, err := k.in.Read(p)
		if err != nil {
			k.over(err)
			return n, err
		}
		if !k.straight(p[:n]) {
			return n, nil
		}
	}
}
