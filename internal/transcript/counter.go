package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// maxCounted is how many files a Counter remembers.
const maxCounted = 1024

// Counter counts how much there is of conversations, for cursors: "so many
// lines are before this". It reads only what was added since the last time.
// It may be used from several goroutines.
type Counter struct {
	format string

	mu    sync.Mutex
	files map[string]Mark
	order []string // least recently added first
}

// NewCounter counts in transcripts of one format.
func NewCounter(format string) *Counter {
	return &Counter{format: format, files: map[string]Mark{}}
}

// Lines is how many complete lines the transcript at path has; a line that is
// half written does not count. In a database it is the messages that are
// complete. A transcript that is not there (yet) has none.
func (c *Counter) Lines(path string) (int, error) {
	if IsDatabase(c.format) {
		return countDatabase(path)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f, info, err := openRegular(path)
	if errors.Is(err, os.ErrNotExist) {
		c.set(path, Mark{})
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("count a transcript: %w", err)
	}
	defer f.Close()
	m := c.files[path]
	if !m.continues(f, info) {
		m = Mark{}
	}
	if err := m.count(f, info.Size()); err != nil {
		return 0, fmt.Errorf("count a transcript: %w", err)
	}
	m.file = identityOf(info)
	c.set(path, m)
	return m.Lines, nil
}

func (c *Counter) set(path string, m Mark) {
	if _, known := c.files[path]; !known {
		if len(c.order) == maxCounted {
			delete(c.files, c.order[0])
			c.order = c.order[1:]
		}
		c.order = append(c.order, path)
	}
	c.files[path] = m
}

// tailSize is how many bytes before a Mark are remembered, to tell a file that
// was written anew in place from one that has grown.
const tailSize = 128

// Mark is a place in a file of lines: everything before it was read.
type Mark struct {
	Offset int64 // after the last complete line
	Lines  int   // before Offset
	Tail   string
	file   identity
}

// identity tells a file from another that took its name.
type identity struct{ dev, ino uint64 }

// continues reports whether the file still is the one that was marked, with
// the same text before the mark.
func (m *Mark) continues(f *os.File, info os.FileInfo) bool {
	return m.file == identityOf(info) && m.Follows(f, info.Size())
}

// Follows reports whether what is before the mark is still there, in a file of
// this size.
func (m *Mark) Follows(f io.ReaderAt, size int64) bool {
	if size < m.Offset || int64(len(m.Tail)) > m.Offset {
		return false
	}
	tail := make([]byte, len(m.Tail))
	if _, err := f.ReadAt(tail, m.Offset-int64(len(tail))); err != nil && len(tail) > 0 {
		return false
	}
	return string(tail) == m.Tail
}

// count moves the mark to the last complete line within size.
func (m *Mark) count(f io.ReaderAt, size int64) error {
	buf := make([]byte, 64<<10)
	at := m.Offset
	for at < size {
		n, err := f.ReadAt(buf[:min(int64(len(buf)), size-at)], at)
		chunk := buf[:n]
		if i := bytes.LastIndexByte(chunk, '\n'); i >= 0 {
			m.Lines += bytes.Count(chunk, []byte{'\n'})
			m.Offset = at + int64(i) + 1
		}
		at += int64(n)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	return m.remember(f)
}

// remember takes the text before the mark.
func (m *Mark) remember(f io.ReaderAt) error {
	tail := make([]byte, min(tailSize, m.Offset))
	if _, err := f.ReadAt(tail, m.Offset-int64(len(tail))); err != nil && len(tail) > 0 {
		return err
	}
	m.Tail = string(tail)
	return nil
}
