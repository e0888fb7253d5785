package transcript

import (
	"errors"
	"fmt"
	"os"
)

// Bounds of what is read.
const (
	// MaxFile is the largest transcript that is read, in bytes.
	MaxFile = 16 << 30
	// maxLine is the longest line that is decoded, in bytes; longer ones
	// count, and say nothing. Pictures stand in lines as text.
	maxLine = 32 << 20
)

// errNotRegular is something else than a file where a transcript should be.
var errNotRegular = errors.New("it is no regular file")

// openRegular opens a file for reading. It never waits, whatever path names.
func openRegular(path string) (*os.File, os.FileInfo, error) {
	f, err := openNow(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("open %s: %w", path, errNotRegular)
	case info.Size() > MaxFile:
		err = fmt.Errorf("open %s: it has %d bytes, and more than %d are not read", path, info.Size(), int64(MaxFile))
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
