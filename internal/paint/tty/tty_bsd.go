//go:build unix && !linux && !solaris && !illumos && !aix

package tty

import "golang.org/x/sys/unix"

const (
	ioctlGet      = unix.TIOCGETA
	ioctlSetDrain = unix.TIOCSETAW
	ioctlSetFlush = unix.TIOCSETAF
)
