// Termio is a durable host for coding agents: see `termio --help`.
package main

import (
	"context"
	"os"

	"github.com/termio-sh/termio/internal/cli"
	"github.com/termio-sh/termio/internal/host/acp"
	"github.com/termio-sh/termio/internal/host/term"
	"github.com/termio-sh/termio/internal/paint/tty"
)

// hostCommand makes this program a session's host, where termio-host, which is
// leaner, is not beside it.
const hostCommand = "host"

func main() {
	// Two that are not for people, and must cost little.
	if len(os.Args) == 2 {
		switch os.Args[1] {
		case tty.GuardCommand:
			os.Exit(tty.Guard())
		case hostCommand:
			os.Exit(term.Main(os.Stdin, os.Stdout))
		}
	}
	if len(os.Args) == 3 && os.Args[1] == hostCommand && os.Args[2] == "acp" {
		os.Exit(acp.Main(os.Stdin, os.Stdout, nil))
	}
	os.Exit(cli.Main(context.Background(), cli.System(), os.Args[1:]))
}
