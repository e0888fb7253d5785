//go:build !unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	self, err := os.Executable()
	if err == nil {
		core := exec.Command(filepath.Join(filepath.Dir(self), "termio-core"), os.Args[1:]...)
		core.Stdin, core.Stdout, core.Stderr = os.Stdin, os.Stdout, os.Stderr
		err = core.Run()
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
	case errors.As(err, &exit):
		os.Exit(exit.ExitCode())
	default:
		fmt.Fprintf(os.Stderr, "error: the program termio-core, which has to be beside this one, cannot be run: %v; install termio again\n", err)
		os.Exit(1)
	}
}
