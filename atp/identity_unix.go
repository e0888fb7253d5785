//go:build unix

package atp

import (
	"fmt"
	"io/fs"
	"syscall"
)

// fileIdentity tells a file from another one put in its place with the same
// size and time.
func fileIdentity(info fs.FileInfo) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(st.Dev, st.Ino)
	}
	return ""
}
