package paths

import "net"

func canBind(path string) bool {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return false
	}
	l.Close()
	return true
}
