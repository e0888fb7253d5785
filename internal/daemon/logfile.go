package daemon

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

// LogName is the coordinator's log in the logs folder: JSON lines, with the
// older ones in LogName.1 and on.
const LogName = "daemon.log"

// Bounds of the log.
const (
	maxLog  = 2 << 20 // bytes of one file
	keepLog = 3       // older files
)

// logFile is a log that rotates.
type logFile struct {
	path string

	mu   sync.Mutex
	f    *os.File
	size int64
}

func openLog(path string) (*logFile, error) {
	l := &logFile{path: path}
	return l, l.open()
}

// open is called with mu held, or before the log is shared.
func (l *logFile) open() error {
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return fmt.Errorf("open the log: %w", err)
	}
	l.f, l.size = f, st.Size()
	return nil
}

// Write appends one entry.
func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size > 0 && l.size+int64(len(p)) > maxLog {
		if err := l.rotate(); err != nil {
			return 0, err
		}
	}
	n, err := l.f.Write(p)
	l.size += int64(n)
	return n, err
}

func (l *logFile) rotate() error {
	l.f.Close()
	name := func(i int) string { return l.path + "." + strconv.Itoa(i) }
	for i := keepLog - 1; i > 0; i-- {
		os.Rename(name(i), name(i+1)) // what is not there need not move
	}
	os.Rename(l.path, name(1))
	return l.open()
}

// Close closes the file.
func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.f.Close()
}
