//go:build unix && !linux

package term

import (
	"io/fs"
	"time"
)

// statusChange is when a file was last changed.
func statusChange(st fs.FileInfo) time.Time { return st.ModTime() }
