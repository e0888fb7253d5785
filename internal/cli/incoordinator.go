package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/daemon"
	"github.com/termio-sh/termio/internal/quick"
	"github.com/termio-sh/termio/internal/shellenv"
)

// inCoordinator runs command lines inside the coordinator, for a client that is
// too small to know the commands (cmd/termio-quick). They print and exit as the
// program would in the caller's place. The next command's tree is always built
// ahead.
func inCoordinator() daemon.CommandRunner {
	ahead := make(chan *prepared, 1)
	ahead <- prepare(newQuickRoot)
	return func(ctx context.Context, local daemon.Local, c api.Command, out, errout io.Writer) int {
		if !quick.Takes(c.Args) {
			return prepare(newRoot).run(ctx, local, c, out, errout)
		}
		var p *prepared
		select {
		case p = <-ahead:
		default:
			p = prepare(newQuickRoot)
		}
		code := p.run(ctx, local, c, out, errout)
		go func() {
			select {
			case ahead <- prepare(newQuickRoot):
			default:
			}
		}()
		return code
	}
}

// prepared is a command tree that nobody has used, and its world, which is
// still to be filled in.
type prepared struct {
	app  *App
	root *cobra.Command
}

func prepare(tree func(*App) *cobra.Command) *prepared {
	app := &App{manyTrees: true}
	return &prepared{app: app, root: tree(app)}
}

func (p *prepared) run(ctx context.Context, local daemon.Local, c api.Command, out, errout io.Writer) int {
	p.place(local, c, out, errout)
	return p.app.execute(ctx, p.root, c.Args)
}

func (p *prepared) place(local daemon.Local, c api.Command, out, errout io.Writer) {
	*p.app = App{
		In: strings.NewReader(""), Out: out, Err: errout,
		Getenv:  func(name string) string { return shellenv.Get(c.Env, name) },
		Environ: func() []string { return c.Env },
		Getwd:   func() (string, error) { return c.Cwd, nil },
		Now:     time.Now,

		Terminal: func() bool { return c.Terminal },
		Size:     func() (cols, rows int) { return c.Cols, c.Rows },
		Connect:  func(bool) (Coordinator, error) { return coordinatorItself{local}, nil },
		RunDaemon: func(context.Context) error {
			return errors.New("a coordinator runs already")
		},
	}
}

// coordinatorItself is the coordinator that the command runs in.
type coordinatorItself struct{ daemon.Local }

func (c coordinatorItself) Daemon(ctx context.Context) (reply api.DaemonReply, err error) {
	err = c.Call(ctx, api.VerbDaemon, api.DaemonRequest{}, &reply)
	return reply, err
}

func (c coordinatorItself) Stop(ctx context.Context) (reply api.DaemonReply, err error) {
	err = c.Call(ctx, api.VerbStop, api.DaemonRequest{}, &reply)
	return reply, err
}
