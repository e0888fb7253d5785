//go:build unix

package paths

import (
	"fmt"
	"os"
	"syscall"
)

const userHomeEnv = "HOME"

// checkDir reports whether dir is a directory of ours that nobody else can
// write to.
func checkDir(dir string) error {
	st, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("check directory: %w", err)
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	switch {
	case !st.IsDir():
		return fmt.Errorf("%s is no directory: %w", dir, ErrUnsafe)
	case !ok || int(sys.Uid) != os.Getuid():
		return fmt.Errorf("%s belongs to another user: %w; set %s to a directory of your own", dir, ErrUnsafe, HomeEnv)
	case st.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s can be written by others (mode %03o): %w; run: chmod go-w %s", dir, st.Mode().Perm(), ErrUnsafe, dir)
	}
	return nil
}
