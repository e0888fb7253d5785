//go:build unix

package transcript

import (
	"os"
	"syscall"
)

// openNow opens path without waiting for the other end of a FIFO.
func openNow(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}

func identityOf(info os.FileInfo) identity {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return identity{uint64(st.Dev), uint64(st.Ino)} //nolint:unconvert // Dev has another type on macOS
	}
	return identity{}
}
