package peercred

import "golang.org/x/sys/unix"

func read(fd int) (credentials, error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return credentials{}, err
	}
	pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	if err != nil {
		pid = 0 // who it is matters more than which
	}
	return credentials{uid: int(cred.Uid), pid: pid}, nil
}
