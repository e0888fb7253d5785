// Command install puts the pinned versions of the real agent CLIs into the
// repository's ignored folder, for the tests that drive them.
//
//	go run ./internal/testkit/agents/install [-root DIR] [-list] [name ...]
//
// Without a name it installs all that are not optional. It is fast when they
// are there already, and safe to interrupt.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/termio-sh/termio/internal/testkit/agents"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "install agents:", err)
		os.Exit(1)
	}
}

func run() error {
	root := flag.String("root", "", "folder to install into (default: "+agents.Folder+" beside go.mod)")
	list := flag.Bool("list", false, "print the pins and whether each is installed")
	flag.Parse()
	if *root == "" {
		dir, err := agents.Find()
		if err != nil {
			return err
		}
		*root = dir
	}
	if *list {
		for _, p := range agents.Pins() {
			state := "installed"
			if err := agents.Installed(*root, p); err != nil {
				state = "not installed"
			}
			fmt.Printf("%-11s %-13s %s\n", p.Name, state, strings.Join(p.Packages, " "))
		}
		return nil
	}
	pins, err := agents.Select(flag.Args()...)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return (&agents.Installer{Root: *root, Log: os.Stdout}).Install(ctx, pins)
}
