//go:build unix

package shellenv

import (
	"os"

	"golang.org/x/sys/unix"
)

func isExecutable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && unix.Access(path, unix.X_OK) == nil
}
