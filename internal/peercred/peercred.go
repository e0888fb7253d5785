// Package peercred tells who is at the other end of a unix socket.
package peercred

import (
	"fmt"
	"net"
	"os"
)

// credentials are those of the process that connected; pid is 0 where the
// system does not tell it.
type credentials struct{ uid, pid int }

func of(conn net.Conn) (credentials, error) {
	var c credentials
	uc, ok := conn.(*net.UnixConn)
	if !ok {
		return c, fmt.Errorf("not a unix socket: %T", conn)
	}
	raw, err := uc.SyscallConn()
	if err != nil {
		return c, fmt.Errorf("check who calls: %w", err)
	}
	var failure error
	if err := raw.Control(func(fd uintptr) { c, failure = read(int(fd)) }); err != nil {
		return c, fmt.Errorf("check who calls: %w", err)
	}
	if failure != nil {
		return c, fmt.Errorf("check who calls: %w", failure)
	}
	return c, nil
}

// Check refuses a connection of another user. On systems that do not tell who
// calls, the permissions of the socket and its folder are all there is.
func Check(conn net.Conn) error {
	_, err := Admit(conn)
	return err
}

// Admit is Check and PID in one.
func Admit(conn net.Conn) (pid int, err error) {
	c, err := of(conn)
	if err != nil {
		return 0, err
	}
	if me := os.Getuid(); c.uid != me {
		return 0, fmt.Errorf("this socket belongs to uid %d, and uid %d called", me, c.uid)
	}
	return c.pid, nil
}

// PID is the process that connected; 0 when it is not known.
func PID(conn net.Conn) int {
	c, err := of(conn)
	if err != nil {
		return 0
	}
	return c.pid
}
