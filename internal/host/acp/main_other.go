//go:build !unix

package acp

import (
	"encoding/json"
	"os"

	"github.com/termio-sh/termio/internal/hostproto"
)

// Main answers that this system has no such hosts yet.
func Main(_, out *os.File, _ Past) int {
	data, err := json.Marshal(hostproto.Started{Error: &hostproto.Error{
		Code: hostproto.CodeStartFailed, Message: "agents over ACP are not hosted on this system yet",
	}})
	if err == nil {
		_, _ = out.Write(append(data, '\n'))
	}
	return 1
}
