package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrNotRegular is something else than a file where a file should be.
var ErrNotRegular = errors.New("it is no regular file")

// ErrTooLarge is a file of more bytes than it may have.
var ErrTooLarge = errors.New("it is too large")

// Open opens a regular file for reading. What else stands there is refused
// before it is opened: a FIFO would keep the caller waiting for ever, a device
// would never end.
func Open(path string) (*os.File, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("open %s: %w", path, ErrNotRegular)
	}
	return os.Open(path)
}

// Read is the content of a regular file of at most most bytes.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("read %s: more than %d bytes: %w", path, most, ErrTooLarge)
	}
	return data, nil
}
