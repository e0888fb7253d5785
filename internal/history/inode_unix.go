//go:build unix

package history

import (
	"os"
	"syscall"
)

// inodeOf tells a file from another that took its name.
func inodeOf(info os.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}
