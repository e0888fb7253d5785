package hostproto

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Fields of /proc/<pid>/stat after the name in parentheses, from 0.
const (
	statState = 0
	statStart = 19 // clock ticks after the boot
)

func processStamp(pid int) (string, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("read the boot id: %w", err)
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return "", ErrGone
	}
	if err != nil {
		return "", fmt.Errorf("read process %d: %w", pid, err)
	}
	// The name may hold anything; what follows its last parenthesis does not.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) <= statStart {
		return "", fmt.Errorf("read process %d: %d fields in its stat", pid, len(fields))
	}
	if s := fields[statState]; s == "Z" || s == "X" {
		return "", ErrGone
	}
	return strings.TrimSpace(string(boot)) + "/" + fields[statStart], nil
}
