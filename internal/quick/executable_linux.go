package quick

import "syscall"

// executable is the real path of this program.
func executable() (string, error) {
	buf := make([]byte, 4096)
	n, err := syscall.Readlink("/proc/self/exe", buf)
	if err != nil {
		return "", err
	}
	return string(buf[:n]), nil
}
