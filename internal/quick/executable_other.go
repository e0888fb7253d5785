//go:build unix && !linux

package quick

import (
	"os"
	"path/filepath"
)

// executable is the real path of this program.
func executable() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(self)
}
