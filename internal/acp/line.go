package acp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxMessage is the longest line that is taken, in bytes without its end.
const MaxMessage = 64 << 20

// keepLine is the largest buffer that is kept between lines.
const keepLine = 256 << 10

// TooLongError is a line that passed the bound. What follows it is read again.
type TooLongError struct {
	Size, Limit int64 // bytes
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("a message of %d bytes, which is more than the %d that are taken", e.Size, e.Limit)
}

// lineReader cuts a stream into lines of bounded length.
type lineReader struct {
	r          io.Reader
	limit      int
	buf        []byte
	start, end int // what was read and not yet given
	scanned    int // of it, what holds no newline
	err        error
}

func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{r: r, limit: limit, buf: make([]byte, 64<<10)}
}

// pending tells whether something lies here that has not been given yet.
func (l *lineReader) pending() bool { return l.end > l.start }

// next gives the next line without its end. It is valid until the next call. A
// line past the limit is a *TooLongError, given when its end is reached. What
// stands after the last newline is a line too.
func (l *lineReader) next() ([]byte, error) {
	for {
		if i := bytes.IndexByte(l.buf[l.start+l.scanned:l.end], '\n'); i >= 0 {
			line := l.buf[l.start : l.start+l.scanned+i]
			l.start += l.scanned + i + 1
			l.scanned = 0
			if len(line) > l.limit {
				return nil, &TooLongError{int64(len(line)), int64(l.limit)}
			}
			return bytes.TrimSuffix(line, []byte("\r")), nil
		}
		l.scanned = l.end - l.start
		if l.scanned > l.limit {
			return nil, l.skip()
		}
		if l.err != nil {
			if line := l.buf[l.start:l.end]; len(line) > 0 {
				l.start, l.scanned = l.end, 0
				return line, nil
			}
			return nil, l.err
		}
		l.fill()
	}
}

// fill reads more, at least one byte or an error.
func (l *lineReader) fill() {
	if l.start > 0 {
		n := copy(l.buf, l.buf[l.start:l.end])
		l.start, l.end = 0, n
		if len(l.buf) > keepLine && n < keepLine/2 {
			l.buf = append(make([]byte, 0, keepLine), l.buf[:n]...)[:keepLine]
		}
	}
	if l.end == len(l.buf) {
		grown := make([]byte, min(2*len(l.buf), l.limit+64<<10))
		copy(grown, l.buf[:l.end])
		l.buf = grown
	}
	for empty := 0; ; empty++ {
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		if err != nil {
			l.err = err
		}
		if n > 0 || err != nil {
			return
		}
		if empty == 100 {
			l.err = io.ErrNoProgress
			return
		}
	}
}

// skip drops the rest of a line that is too long and says how long it was.
func (l *lineReader) skip() error {
	size := int64(l.scanned)
	for {
		l.start, l.end, l.scanned = 0, 0, 0
		if l.err != nil {
			break
		}
		l.fill()
		if i := bytes.IndexByte(l.buf[:l.end], '\n'); i >= 0 {
			size += int64(i)
			l.start = i + 1
			break
		}
		size += int64(l.end)
	}
	return &TooLongError{size, int64(l.limit)}
}

// isTooLong tells a line that was skipped from the end of the stream.
func isTooLong(err error) bool {
	var long *TooLongError
	return errors.As(err, &long)
}
