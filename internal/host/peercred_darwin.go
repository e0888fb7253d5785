package host

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// socketLimit is the longest path of a unix socket, in bytes.
const socketLimit = 103

// peerPID is the process that connected; 0 when it is not known.
func peerPID(conn net.Conn) (pid int) {
	uc, ok := conn.(*net.UnixConn)
	if !ok {
		return 0
	}
	raw, err := uc.SyscallConn()
	if err != nil {
		return 0
	}
	if raw.Control(func(fd uintptr) { pid, err = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID) }) != nil || err != nil {
		return 0
	}
	return pid
}

// samePeer refuses a connection of another user.
func samePeer(conn net.Conn) error {
	uc, ok := conn.(*net.UnixConn)
	if !ok {
		return fmt.Errorf("not a unix socket: %T", conn)
	}
	raw, err := uc.SyscallConn()
	if err != nil {
		return fmt.Errorf("check peer: %w", err)
	}
	var cred *unix.Xucred
	var failure error
	if err := raw.Control(func(fd uintptr) {
		cred, failure = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	}); err != nil {
		return fmt.Errorf("check peer: %w", err)
	}
	if failure != nil {
		return fmt.Errorf("check peer: %w", failure)
	}
	if me := os.Getuid(); int(cred.Uid) != me {
		return fmt.Errorf("this session belongs to uid %d, the client is uid %d", me, cred.Uid)
	}
	return nil
}
