// Command termio-mcp is the MCP server that `termio mcp` starts: the sessions
// API as tools, on standard input and output.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/mcpserver"
	"github.com/termio-sh/termio/internal/paths"
)

func main() {
	if err := serve(); err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(api.ExitError)
	}
}

func serve() error {
	project := flag.String("project", "", "")
	all := flag.Bool("all", false, "")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	layout, err := paths.FromEnv()
	if err != nil {
		return err
	}
	// `termio` beside this program is what starts a coordinator.
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	termio := filepath.Join(filepath.Dir(self), "termio"+filepath.Ext(self))
	client, err := api.NewClient(api.ClientOptions{Layout: layout, Start: []string{termio, "daemon", "run"}})
	if err != nil {
		return err
	}
	defer client.Close()
	cwd, err := os.Getwd()
	if err != nil {
		cwd = "" // the coordinator says what is wrong with that
	}
	return mcpserver.Serve(ctx, mcpserver.Options{
		Coordinator: client, Env: os.Environ(),
		Caller: api.Caller{
			Session: os.Getenv("TERMIO_SESSION"), Token: os.Getenv("TERMIO_TOKEN"), Cwd: cwd, Project: *project, All: *all,
		},
	})
}
