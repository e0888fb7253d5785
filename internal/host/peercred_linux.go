package host

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// socketLimit is the longest path of a unix socket, in bytes.
const socketLimit = 107

// credentials are those of the process that connected.
func credentials(conn net.Conn) (*unix.Ucred, error) {
	uc, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, fmt.Errorf("not a unix socket: %T", conn)
	}
	raw, err := uc.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("check peer: %w", err)
	}
	var cred *unix.Ucred
	var failure error
	if err := raw.Control(func(fd uintptr) {
		cred, failure = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return nil, fmt.Errorf("check peer: %w", err)
	}
	if failure != nil {
		return nil, fmt.Errorf("check peer: %w", failure)
	}
	return cred, nil
}

// peerPID is the process that connected; 0 when it is not known.
func peerPID(conn net.Conn) int {
	cred, err := credentials(conn)
	if err != nil {
		return 0
	}
	return int(cred.Pid)
}

// samePeer refuses a connection of another user.
func samePeer(conn net.Conn) error {
	cred, err := credentials(conn)
	if err != nil {
		return err
	}
	if me := os.Getuid(); int(cred.Uid) != me {
		return fmt.Errorf("this session belongs to uid %d, the client is uid %d", me, cred.Uid)
	}
	return nil
}
