//go:build unix

package scriptagent

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// Main is the program. A test binary may offer it as a command of its own
// (testscript.Main), or Build makes it one.
func Main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	o, err := parse(args, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scriptagent:", err)
		return 2
	}
	ignore(o.Ignore)
	if o.child {
		// It does nothing; a signal, or its time, ends it.
		<-time.After(o.life)
		return 0
	}
	a, err := newAgent(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "scriptagent:", err)
		return 2
	}
	return a.live()
}

// ignore makes the named signals have no effect, on children too.
func ignore(names string) {
	for _, n := range strings.Split(names, ",") {
		switch n {
		case "hup":
			signal.Ignore(syscall.SIGHUP)
		case "term":
			signal.Ignore(syscall.SIGTERM)
		case "int":
			signal.Ignore(syscall.SIGINT)
		}
	}
}
