//go:build !unix

package term

import (
	"encoding/json"
	"os"

	"github.com/termio-sh/termio/internal/hostproto"
)

// Main answers that terminal sessions cannot run on this system.
func Main(_, out *os.File) int {
	_ = json.NewEncoder(out).Encode(hostproto.Started{Error: &hostproto.Error{
		Code:    hostproto.CodeStartFailed,
		Message: "terminal sessions are not supported on this system yet: run termio on Linux or macOS (WSL on Windows)",
	}})
	return 1
}
