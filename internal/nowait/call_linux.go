package nowait

import (
	"syscall"
	"unsafe"
)

const supported = true

// call is a system call that the scheduler does not know of. When a process
// was idle, its first call through the scheduler wakes the runtime's monitor
// thread, which then looks around every few ten microseconds: on a busy machine
// that doubles the time of an echo. A call on a non-blocking descriptor ends at
// once, so that the scheduler has nothing to do for it.
func call(trap, fd uintptr, p []byte, seen bool) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		var n uintptr
		var errno syscall.Errno
		if seen {
			n, _, errno = syscall.Syscall(trap, fd, uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)))
		} else {
			n, _, errno = syscall.RawSyscall(trap, fd, uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)))
		}
		switch errno {
		case 0:
			return int(n), nil
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}

func read(fd uintptr, p []byte, seen bool) (int, error) { return call(syscall.SYS_READ, fd, p, seen) }

func write(fd uintptr, p []byte, seen bool) (int, error) {
	return call(syscall.SYS_WRITE, fd, p, seen)
}
