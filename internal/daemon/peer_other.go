//go:build !linux && !darwin

package daemon

import (
	"net"
	"os"
)

// peerUID trusts the socket's folder, which is closed to others: this system
// does not tell who calls.
func peerUID(*net.UnixConn) (int, error) { return os.Getuid(), nil }
