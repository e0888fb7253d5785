//go:build unix

package cli

import (
	"fmt"
	"syscall"
)

// become makes this process another program; it returns only when that fails.
func become(program string, args, env []string) error {
	return fmt.Errorf("start %s: %w", program, syscall.Exec(program, args, env))
}
