//go:build unix && !linux

package nowait

import "syscall"

const supported = true

func read(fd uintptr, p []byte, _ bool) (int, error) {
	for {
		if n, err := syscall.Read(int(fd), p); err != syscall.EINTR {
			return max(n, 0), err
		}
	}
}

func write(fd uintptr, p []byte, _ bool) (int, error) {
	for {
		if n, err := syscall.Write(int(fd), p); err != syscall.EINTR {
			return max(n, 0), err
		}
	}
}
