package tty

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Reopen opens the terminal f once more, non-blocking. That cannot be set on f
// itself: others, such as the shell, have the same open file.
func Reopen(f *os.File) (*os.File, error) {
	fd, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open the terminal again: %w", err)
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}
