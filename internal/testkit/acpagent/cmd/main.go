// Command acpagent is the scripted ACP agent as a program.
package main

import (
	"fmt"
	"os"

	"github.com/termio-sh/termio/internal/testkit/acpagent"
)

func main() {
	c, err := acpagent.FromEnv()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(acpagent.Serve(os.Stdin, os.Stdout, os.Stderr, c))
}
