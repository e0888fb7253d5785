//go:build unix

package nowait

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// nonblocking tells whether calls on c cannot wait. On one that is not so, a
// call that the scheduler does not know of would stop the whole program.
func nonblocking(c syscall.RawConn) (yes bool) {
	_ = c.Control(func(fd uintptr) {
		flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
		yes = err == nil && flags&unix.O_NONBLOCK != 0
	})
	return yes
}
