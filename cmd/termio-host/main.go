// Command termio-host is the process that one session lives in. It is started
// by the coordinator and is not for people: it takes the session's
// specification on its standard input.
package main

import (
	"os"

	"github.com/termio-sh/termio/internal/host/term"
)

func main() { os.Exit(term.Main(os.Stdin, os.Stdout)) }
