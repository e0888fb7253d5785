//go:build unix

package acp

import (
	"strings"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/acphost"
)

// ownServer is this program's own MCP server, which proves with the session's
// token for whom it works: an agent may not hand on its own environment.
func ownServer(program string, env []string) acp.McpServer {
	s := acp.McpServer{Name: acphost.OwnServer, Command: program, Args: []string{}, Env: []acp.EnvVariable{}}
	for _, kv := range env {
		if name, value, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "TERMIO_") {
			s.Env = append(s.Env, acp.EnvVariable{Name: name, Value: value})
		}
	}
	return s
}

// retell is what was said so far.
func (s *session) retell() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text := s.talk.Retell(); text != "" {
		return text
	}
	return s.earlier
}
