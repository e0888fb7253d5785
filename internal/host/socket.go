package host

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/paths"
)

// Socket is where a host listens, 0600. Its file may vanish, as when a user's
// runtime directory is cleared at logout; Reopen brings it back, and Accept goes
// on with it.
type Socket struct {
	path string

	mu     sync.Mutex
	l      *net.UnixListener
	file   os.FileInfo // as it was made
	closed bool
}

// Listen opens the host's socket at path. A socket that a dead host left there
// is replaced, one that answers is not.
func Listen(path string) (*Socket, error) {
	if len(path) > paths.MaxSocketPath {
		return nil, fmt.Errorf("socket path %s has %d bytes, the system allows %d: set TERMIO_HOME to a shorter path", path, len(path), paths.MaxSocketPath)
	}
	s := &Socket{path: path}
	if err := s.open(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Socket) open() error {
	if _, err := os.Lstat(s.path); err == nil {
		if conn, err := net.DialTimeout("unix", s.path, time.Second); err == nil {
			conn.Close()
			return fmt.Errorf("socket %s is in use by another host", s.path)
		}
		if err := os.Remove(s.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("replace stale socket %s: %w", s.path, err)
		}
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: s.path, Net: "unix"})
	if err != nil {
		return fmt.Errorf("open socket %s: %w", s.path, err)
	}
	l.SetUnlinkOnClose(false) // by then the path may be another's
	if err := os.Chmod(s.path, 0o600); err != nil {
		l.Close()
		return fmt.Errorf("protect socket %s: %w", s.path, err)
	}
	file, err := os.Lstat(s.path)
	if err != nil {
		l.Close()
		return fmt.Errorf("open socket %s: %w", s.path, err)
	}
	s.l, s.file = l, file
	return nil
}

// Reopen makes the socket's file anew if it is gone or no longer this socket's.
// It reports whether it had to.
func (s *Socket) Reopen() (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.current() {
		return false, nil
	}
	if err := paths.PrepareSocketDir(filepath.Dir(s.path)); err != nil {
		return false, err
	}
	was := s.l
	if err := s.open(); err != nil {
		return false, err
	}
	was.Close() // wakes Accept
	return true, nil
}

// current tells whether the file at the path is this socket's. A number of a
// file that is gone may be given to another, so its time counts too.
func (s *Socket) current() bool {
	now, err := os.Lstat(s.path)
	return err == nil && os.SameFile(s.file, now) && now.ModTime().Equal(s.file.ModTime())
}

// Accept waits for a connection.
func (s *Socket) Accept() (net.Conn, error) {
	for {
		s.mu.Lock()
		l := s.l
		s.mu.Unlock()
		conn, err := l.AcceptUnix()
		if err == nil {
			return conn, nil
		}
		s.mu.Lock()
		reopened := s.l != l
		s.mu.Unlock()
		if !reopened {
			return nil, err
		}
	}
}

// Close ends the socket and removes its file.
func (s *Socket) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if s.current() {
		os.Remove(s.path)
	}
	return s.l.Close()
}

// Addr is the socket's address.
func (s *Socket) Addr() net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.l.Addr()
}

func isClosed(err error) bool { return errors.Is(err, net.ErrClosed) }
