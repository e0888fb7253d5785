// Command termio-host is the process that one session lives in. It is started
// by the coordinator and is not for people: it takes the session's
// specification on its standard input. With the argument "acp" its agent is
// spoken to over the Agent Client Protocol, else it runs in a terminal.
package main

import (
	"os"

	"github.com/termio-sh/termio/internal/dsh"
	"github.com/termio-sh/termio/internal/host/acp"
	"github.com/termio-sh/termio/internal/host/term"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "acp" {
		os.Exit(acp.Main(os.Stdin, os.Stdout, dsh.Past))
	}
	os.Exit(term.Main(os.Stdin, os.Stdout))
}
