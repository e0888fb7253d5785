package term

import (
	"io/fs"
	"syscall"
	"time"
)

// statusChange is when a file, its name aside, was last changed.
func statusChange(st fs.FileInfo) time.Time {
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		return time.Unix(sys.Ctim.Unix())
	}
	return st.ModTime()
}
