package peercred

import "golang.org/x/sys/unix"

func read(fd int) (credentials, error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return credentials{}, err
	}
	return credentials{uid: int(cred.Uid)}, nil
}
