package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/termio-sh/termio/internal/atomicfile"
)

// ReporterName is the name of the program that hooks run.
const ReporterName = "termio-hook"

// ReporterPath is where the reporter is below Termio's home.
func ReporterPath(home string) string {
	name := ReporterName
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(home, "bin", name)
}

// CopyReporter puts the reporter at bin/termio-hook below Termio's home, a
// path that no upgrade and no move of the program breaks, and returns it. It
// takes the one beside program; where there is none, a script that runs
// program itself does the same, only slower. A copy that is right is left.
func CopyReporter(home, program string) (path string, err error) {
	path = ReporterPath(home)
	name := filepath.Base(path)
	data, err := os.ReadFile(filepath.Join(filepath.Dir(program), name))
	if errors.Is(err, fs.ErrNotExist) && runtime.GOOS != "windows" {
		data, err = []byte("#!/bin/sh\nexec "+shellQuote(program)+` agent report "$@"`+"\n"), nil
	}
	if err != nil {
		return path, fmt.Errorf("copy the hook reporter: %w", err)
	}
	if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() && st.Mode().Perm() == 0o755 {
		if now, err := os.ReadFile(path); err == nil && bytes.Equal(now, data) {
			return path, nil
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return path, fmt.Errorf("copy the hook reporter: %w", err)
	}
	if err := atomicfile.Write(path, data, 0o755); err != nil {
		return path, fmt.Errorf("copy the hook reporter: %w", err)
	}
	return path, nil
}
