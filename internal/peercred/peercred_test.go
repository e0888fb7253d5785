//go:build unix

package peercred

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Other users are tried where the sockets are: internal/host, internal/daemon.
func TestCheck(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Skip(err) // the folder's path may be too long
	}
	defer l.Close()
	c, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	peer, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(peer); err != nil {
		t.Errorf("the same user: %v", err)
	}
	if pid := PID(peer); runtime.GOOS == "linux" && pid != os.Getpid() || pid != 0 && pid != os.Getpid() {
		t.Errorf("process %d called", pid)
	}
	peer.Close()
	if pid := PID(peer); pid != 0 {
		t.Errorf("process %d called on a closed connection", pid)
	}
	if err := Check(peer); err == nil {
		t.Error("a closed connection is let in")
	}
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	if err := Check(a); err == nil {
		t.Error("a pipe is let in")
	}
}
