// Termio-tui is the face of termio in a terminal. `termio` and `termio DIR`
// run it; it is a program of its own because what it is built on costs every
// start of a program that links it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/termio-sh/termio/internal/paint/tty"
	"github.com/termio-sh/termio/internal/tui"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == tty.GuardCommand {
		os.Exit(tty.Guard())
	}
	core := flag.String("core", "", "the program that has every command")
	project := flag.String("project", "", "root directory of the project that was opened")
	dir := flag.String("dir", ".", "directory that new sessions start in")
	session := flag.String("session", "", "the link of the one session that is shown")
	flag.Parse()
	farewell, err := tui.Run(context.Background(), tui.Options{
		Project: *project, Dir: *dir, Session: *session, Core: *core,
		In: os.Stdin, Out: os.Stdout, Getenv: os.Getenv, Environ: os.Environ(),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	if farewell != "" {
		fmt.Fprintln(os.Stderr, farewell)
	}
}
