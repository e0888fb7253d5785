//go:build unix

package main

import (
	"syscall"

	"github.com/termio-sh/termio/internal/hooks/report"
	"github.com/termio-sh/termio/internal/quick"
)

func main() {
	argv := report.Args()
	if len(argv) > 0 && quick.Takes(argv[1:]) {
		if code, ran := quick.Run(argv[1:]); ran {
			syscall.Exit(code)
		}
	}
	err := quick.Whole(argv)
	syscall.Write(2, []byte("error: the program termio-core, which has to be beside this one, cannot be run: "+err.Error()+"; install termio again\n"))
	syscall.Exit(1)
}
