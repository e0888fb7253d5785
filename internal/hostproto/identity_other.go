//go:build !linux && !darwin

package hostproto

import (
	"errors"
	"fmt"
)

func processStamp(pid int) (string, error) {
	return "", fmt.Errorf("tell process %d from another: %w", pid, errors.ErrUnsupported)
}
