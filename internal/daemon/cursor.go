package daemon

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// cursor is a session's transcript and how many lines it has; nil when that is
// not known.
func (d *Daemon) cursor(s *session) (path string, lines *int) {
	if path = s.record.Transcript(); path == "" {
		return "", nil
	}
	n, err := countLines(path)
	if err != nil {
		return path, nil
	}
	return path, &n
}

// answered is cursor for a turn that has just ended, once what the agent
// answered is there: some write it a moment after they say that they are done.
func (d *Daemon) answered(s *session) (path string, lines *int) { return d.cursor(s) }

// countLines counts the complete lines of a file; one that is not there yet has
// none.
func countLines(path string) (int, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n, buf := 0, make([]byte, 64<<10)
	for {
		got, err := f.Read(buf)
		n += bytes.Count(buf[:got], []byte{'\n'})
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
