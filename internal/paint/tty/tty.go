// Package tty is the terminal that this program runs in: its size, its raw
// mode, and the promise to give it back as it was found, whatever happens to
// the program.
package tty

import (
	"errors"
	"os"
)

// ErrUnsupported is a system on which a terminal cannot be taken over.
var ErrUnsupported = errors.New("attaching to a terminal is not supported on this system; use a pipe")

// AnySize is the size of the terminal that this program was started in,
// whichever of its streams is one; 0×0 if none is.
func AnySize() (cols, rows int) {
	for _, f := range []*os.File{os.Stdout, os.Stdin, os.Stderr} {
		if cols, rows, err := Size(f); err == nil && cols > 0 && rows > 0 {
			return cols, rows
		}
	}
	return 0, 0
}
