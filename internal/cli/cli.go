// Package cli is the command line: one verb a file, each with its options, a
// run function and its help, which is also the source of docs/cli.md and of
// the man pages. The commands ask the coordinator through internal/api and
// print text for people or, with --json, its reply as it came.
//
// Standard output carries results, standard error everything else. A failure
// exits 1 and says the next step; with --json its one shape goes to standard
// output.
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/paint/tty"
	"github.com/termio-sh/termio/internal/paths"
)

// Coordinator is what the commands need of the coordinator; *api.Client is one.
type Coordinator interface {
	Call(ctx context.Context, verb string, request, reply any) error
	Daemon(ctx context.Context) (api.DaemonReply, error)
	Stop(ctx context.Context) (api.DaemonReply, error)
}

// App is the world around a command, so that tests can bring their own.
type App struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	Getenv  func(string) string
	Environ func() []string
	Getwd   func() (string, error)
	Now     func() time.Time

	// Terminal reports whether Out is a terminal that people look at, and
	// Size the size of the terminal that the command was typed into, 0×0
	// where there is none.
	Terminal func() bool
	Size     func() (cols, rows int)
	// Asks reports whether a person sits there who can be asked; nil means
	// that In and Out are terminals.
	Asks func() bool

	// Connect reaches the coordinator, at the first call; where start is true
	// and nobody answers it is started.
	Connect func(start bool) (Coordinator, error)
	// RunDaemon is the coordinator itself, until ctx ends.
	RunDaemon func(ctx context.Context) error

	// manyTrees tells that this process builds a command tree for each command.
	// cobra keeps a flag that Tab completes, and with it the whole tree, for as
	// long as the process lives; nobody presses Tab there.
	manyTrees bool

	json   bool  // the command was given --json
	noHelp error // why help could not be given
	called bool  // the coordinator answered a call
}

// System is the App of a real process.
func System() *App {
	return &App{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Getenv: os.Getenv, Environ: os.Environ, Getwd: workingDirectory, Now: time.Now,
		Terminal:  func() bool { return tty.Is(os.Stdout) },
		Size:      tty.AnySize,
		Connect:   connect,
		RunDaemon: runDaemon,
	}
}

// workingDirectory is the directory as the shell names it, so that a project
// opened through a symbolic link keeps its name.
func workingDirectory() (string, error) { return os.Getwd() }

// Main runs one command line (without the program's name) and returns the
// exit code.
func Main(ctx context.Context, app *App, args []string) int {
	code := app.execute(ctx, newRoot(app), args)
	if code == api.ExitOK {
		app.offerSetup()
	}
	return code
}

// execute runs one command line in a command tree of the app that nobody has
// used.
func (a *App) execute(ctx context.Context, root *cobra.Command, args []string) int {
	root.SetArgs(args)
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = a.noHelp
	}
	if err == nil {
		return api.ExitOK
	}
	return a.fail(cmd, args, err)
}

// errReported is a failure that was already printed.
var errReported = errors.New("already reported")

// usageError is a command line that cannot be understood; its report ends with
// where the help is.
type usageError struct{ err *api.Error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(code api.Code, format string, args ...any) error {
	return &usageError{api.Errorf(code, format, args...)}
}

// fail prints err and returns the exit code for it.
func (a *App) fail(cmd *cobra.Command, args []string, err error) int {
	if code := (exitCode{}); errors.As(err, &code) {
		return code.code
	}
	if errors.Is(err, errReported) {
		return api.ExitError
	}
	a.json = a.json || jsonAsked(args)
	a.printError(err)
	if a.json {
		return api.ExitError
	}
	if usage := (*usageError)(nil); errors.As(err, &usage) {
		io.WriteString(a.Err, "See `"+cmd.CommandPath()+" --help`.\n")
	}
	return api.ExitError
}

// jsonAsked looks for --json on a command line that could not be parsed.
func jsonAsked(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "--json", "--json=true":
			return true
		case "--":
			return false
		}
	}
	return false
}

// call asks the coordinator, starting it if need be. How long it waits is the
// client's affair.
func (a *App) call(ctx context.Context, verb string, request, reply any) error {
	coordinator, err := a.Connect(true)
	if err != nil {
		return err
	}
	err = coordinator.Call(ctx, verb, request, reply)
	a.called = a.called || err == nil
	return err
}

// scope are the flags that say which sessions a command may see.
type scope struct {
	project string
	all     bool
}

func (s *scope) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.project, "project", "", "look into the project of `DIR` instead of this directory's")
	cmd.Flags().BoolVar(&s.all, "all", false, "look into every project")
}

// caller says who asks.
func (a *App) caller(s scope) (api.Caller, error) {
	if s.project != "" && s.all {
		return api.Caller{}, usagef(api.CodeBadRequest, "--project and --all exclude each other")
	}
	cwd, err := a.Getwd()
	if err != nil && s.project == "" && !s.all {
		return api.Caller{}, api.Errorf(api.CodeNoScope, "this directory is gone: %v; go to another or say --project DIR", err)
	}
	c := api.Caller{
		Session: a.Getenv("TERMIO_SESSION"),
		Token:   a.Getenv("TERMIO_TOKEN"),
		Cwd:     cwd,
		All:     s.all,
	}
	if s.project != "" {
		if c.Project, err = absolute(cwd, s.project); err != nil {
			return c, err
		}
	}
	return c, nil
}

// layout is where this home's files are.
func (a *App) layout() (paths.Layout, error) {
	layout, err := paths.Resolve(a.Getenv)
	if err != nil {
		return layout, api.Errorf(api.CodeUnavailable, "%v", err)
	}
	return layout, nil
}

func (a *App) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.json, "json", false, "print the reply as JSON, one object a line")
}
