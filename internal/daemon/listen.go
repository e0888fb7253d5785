package daemon

import (
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/termio-sh/termio/internal/peercred"
)

// socket is the API's listener. Callers of other users are turned away.
type socket struct {
	*net.UnixListener
	path     string
	file     os.FileInfo // the socket's file when it was made
	replaced atomic.Bool // another listener has taken over from this one
}

// answers reports whether somebody listens on the socket at path.
func answers(path string) bool {
	conn, err := net.DialTimeout("unix", path, time.Second)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// listen opens the socket at path, 0600. One that a dead process left is
// replaced, one on which somebody answers is not.
func listen(path string) (*socket, error) {
	if answers(path) {
		return nil, fmt.Errorf("open socket %s: another process answers on it", path)
	}
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("replace the stale socket: %w", err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("open the socket: %w", err)
	}
	// By then the path may be another process's.
	l.SetUnlinkOnClose(false)
	s := &socket{UnixListener: l, path: path}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, fmt.Errorf("close the socket to others: %w", err)
	}
	if s.file, err = os.Stat(path); err != nil {
		l.Close()
		return nil, fmt.Errorf("open the socket: %w", err)
	}
	return s, nil
}

// visitor is a caller's connection, with what it has said so far.
type visitor struct {
	*net.UnixConn
	pid  int // 0: not known
	said []byte
}

// Read gives what the caller says.
func (c *visitor) Read(p []byte) (int, error) {
	if len(c.said) > 0 {
		n := copy(p, c.said)
		c.said = c.said[n:]
		return n, nil
	}
	return c.UnixConn.Read(p)
}

// Accept waits for a caller of this user.
func (s *socket) Accept() (net.Conn, error) { return s.accept() }

// accept is Accept.
func (s *socket) accept() (*visitor, error) {
	for {
		conn, err := s.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if pid, err := peercred.Admit(conn); err == nil {
			return &visitor{UnixConn: conn, pid: pid}, nil
		}
		conn.Close()
	}
}

// current reports whether the socket's file is still this listener's. A number
// of a file that is gone may be given to another, so its time counts too.
func (s *socket) current() bool {
	now, err := os.Stat(s.path)
	return err == nil && os.SameFile(s.file, now) && now.ModTime().Equal(s.file.ModTime())
}

// remove takes the socket's file away, if it is still this listener's.
func (s *socket) remove() {
	if s.current() {
		os.Remove(s.path)
	}
}
