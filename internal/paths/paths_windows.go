package paths

import (
	"fmt"
	"os"
)

const userHomeEnv = "USERPROFILE"

// MaxSocketPath is the longest path of a unix socket, in bytes.
const MaxSocketPath = 107

func runtimeDirs(string) []string { return nil }

// checkDir only asks for a directory: a user's profile is protected by its
// access control list, which the mode bits do not show.
func checkDir(dir string) error {
	st, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("check directory: %w", err)
	}
	if !st.IsDir() {
		return fmt.Errorf("%s is no directory: %w", dir, ErrUnsafe)
	}
	return nil
}
