//go:build !unix

package tty

import "os"

// GuardCommand is the argument with which this program is its own guard.
const GuardCommand = "__guard"

// Is reports whether f is a terminal.
func Is(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Size is the size of the terminal f in cells.
func Size(*os.File) (cols, rows int, err error) { return 0, 0, ErrUnsupported }

// CellSize is unknown.
func CellSize(*os.File) (width, height int) { return 0, 0 }

// Screen is a terminal that was taken over.
type Screen struct{}

// Take fails.
func Take(_, _ *os.File) (*Screen, error) { return nil, ErrUnsupported }

// Watch does nothing.
func (*Screen) Watch([]byte, []string) error { return nil }

// Hold does nothing.
func (*Screen) Hold() error { return nil }

// Yield does nothing.
func (*Screen) Yield() error { return nil }

// Release does nothing.
func (*Screen) Release() error { return nil }

// Guard does nothing.
func Guard() int { return 0 }
