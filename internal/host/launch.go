package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

// LogName is the host's log in the session's folder.
const LogName = "host.log"

const (
	maxLog  = 1 << 20 // bytes of a log, then it is begun anew
	maxSpec = 8 << 20 // bytes that are read of a specification
)

// ReadSpec takes the specification of a session from its host's standard input
// and checks what holds for every kind of session.
func ReadSpec(r io.Reader) (hostproto.Spec, error) {
	var spec hostproto.Spec
	if err := json.NewDecoder(io.LimitReader(r, maxSpec)).Decode(&spec); err != nil {
		return spec, fmt.Errorf("read the session's specification: %w", err)
	}
	switch {
	case spec.Record.ID == "":
		return spec, errors.New("the session's specification has no id")
	case !filepath.IsAbs(spec.SessionDir):
		return spec, fmt.Errorf("the session's folder %q is not an absolute path", spec.SessionDir)
	case !filepath.IsAbs(spec.Record.Socket):
		return spec, fmt.Errorf("the session's socket %q is not an absolute path", spec.Record.Socket)
	case !filepath.IsAbs(spec.Record.Dir):
		return spec, fmt.Errorf("the session's directory %q is not an absolute path", spec.Record.Dir)
	}
	return spec, nil
}

// Answer tells whoever started the host, in one line, that the session is there
// or why it is not.
func Answer(out io.Writer, st hostproto.Started) {
	if data, err := json.Marshal(st); err == nil {
		// Whoever started it may be gone; the session goes on.
		_, _ = out.Write(append(data, '\n'))
	}
}

// OpenFolder makes the session's folder and opens the host's log in it, and
// gives the function that writes JSON lines to it.
func OpenFolder(dir string) (*os.File, func(string, ...any), error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, fmt.Errorf("make the session's folder: %w: make its parent writable, or set TERMIO_HOME to a folder that is", err)
	}
	path := filepath.Join(dir, LogName)
	if st, err := os.Stat(path); err == nil && st.Size() > maxLog {
		_ = os.Rename(path, path+".1")
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("open the host's log: %w: make the folder writable, or set TERMIO_HOME to one that is", err)
	}
	var mu sync.Mutex
	return f, func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		line, err := json.Marshal(struct {
			Time time.Time `json:"time"`
			PID  int       `json:"pid"`
			Msg  string    `json:"msg"`
		}{time.Now(), os.Getpid(), fmt.Sprintf(format, args...)})
		if err == nil {
			_, _ = f.Write(append(line, '\n'))
		}
	}, nil
}
