//go:build unix && !linux

package console

import (
	"os"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

const getTermios = unix.TIOCGETA

func openPTY() (master, slave *os.File, err error) { return pty.Open() }
