// Termio is a durable host for coding agents: see `termio --help`.
package main

import (
	"context"
	"os"

	"github.com/termio-sh/termio/internal/cli"
	"github.com/termio-sh/termio/internal/paint/tty"
)

func main() {
	// The terminal's guard is this program again; it must cost little.
	if len(os.Args) == 2 && os.Args[1] == tty.GuardCommand {
		os.Exit(tty.Guard())
	}
	os.Exit(cli.Main(context.Background(), cli.System(), os.Args[1:]))
}
