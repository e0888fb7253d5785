package peercred

import "golang.org/x/sys/unix"

func read(fd int) (credentials, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return credentials{}, err
	}
	return credentials{uid: int(cred.Uid), pid: int(cred.Pid)}, nil
}
