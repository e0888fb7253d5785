package acp

import "github.com/termio-sh/termio/internal/acphost"

// Past reads a session from where an agent keeps it, by the agent's environment,
// the session's directory and the agent's own id.
type Past func(env []string, dir, session string) (title string, lines []acphost.Line, err error)
