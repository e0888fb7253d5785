//go:build unix

package quick

import "syscall"

// Whole becomes the whole program, with the same command line. It returns only
// when it could not.
func Whole(argv []string) error {
	self, err := executable()
	if err != nil {
		return err
	}
	dir := self
	for len(dir) > 0 && dir[len(dir)-1] != '/' {
		dir = dir[:len(dir)-1]
	}
	return syscall.Exec(dir+CoreName, argv, syscall.Environ())
}
