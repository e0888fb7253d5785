package host

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"time"
)

// Listen opens the host's socket at path, 0600. A socket that a dead host left
// there is replaced, one that answers is not.
func Listen(path string) (net.Listener, error) {
	if len(path) > socketLimit {
		return nil, fmt.Errorf("socket path %s has %d bytes, the system allows %d: set TERMIO_HOME to a shorter path", path, len(path), socketLimit)
	}
	if _, err := os.Lstat(path); err == nil {
		if conn, err := net.DialTimeout("unix", path, time.Second); err == nil {
			conn.Close()
			return nil, fmt.Errorf("socket %s is in use by another host", path)
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("replace stale socket %s: %w", path, err)
		}
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("open socket %s: %w", path, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, fmt.Errorf("protect socket %s: %w", path, err)
	}
	return l, nil
}

func isClosed(err error) bool { return errors.Is(err, net.ErrClosed) }
