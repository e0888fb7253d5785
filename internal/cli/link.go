package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/shellenv"
)

func newLink(app *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "link",
		Short: "Put the termio command on your PATH",
		Long: `Make ~/.local/bin/termio a link to this program. Something else of that name is
never replaced.`,
		Example: `  termio link`,
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return app.link(cmd.Context()) },
	}
	app.jsonFlag(cmd)
	return cmd
}

// linkReply is what link and unlink print with --json.
type linkReply struct {
	api.Head
	Path    string `json:"path"`
	Target  string `json:"target,omitempty"`  // where the link leads
	OnPath  *bool  `json:"on_path,omitempty"` // its directory is on the login shell's PATH; absent when that is not known
	Removed *bool  `json:"removed,omitempty"` // from unlink
}

// linkPath is where the link to this program is.
func (a *App) linkPath() (string, error) {
	home := a.Getenv("HOME")
	if !filepath.IsAbs(home) {
		return "", api.Errorf(api.CodeUnavailable, "HOME is not set: there is no ~/.local/bin")
	}
	return filepath.Join(home, ".local", "bin", "termio"), nil
}

// errForeign is a file in the link's place that is not ours.
var errForeign = errors.New("not a link to a termio program")

// readLink gives where the link leads, "" where nothing is.
func readLink(path string) (string, error) {
	target, err := os.Readlink(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil, filepath.Base(target) != "termio":
		return "", errForeign
	}
	return target, nil
}

func (a *App) link(ctx context.Context) error {
	path, err := a.linkPath()
	if err != nil {
		return err
	}
	self, err := executable()
	if err != nil {
		return err
	}
	target, err := readLink(path)
	if err != nil {
		return api.Errorf(api.CodeBadRequest, "%s is there and is %v; remove it first, or put this program on your PATH yourself", path, err)
	}
	if path != self && target != self {
		if err := makeLink(self, path); err != nil {
			return err
		}
	}
	env, doubt := shellenv.NewLogin(shellenv.LoginShell(a.Getenv), a.Environ()).Env(ctx)
	onPath := slices.Contains(filepath.SplitList(shellenv.Get(env, "PATH")), filepath.Dir(path))
	if a.json {
		reply := linkReply{Head: api.OKHead(), Path: path, Target: self}
		if doubt == nil {
			reply.OnPath = &onPath
		}
		return a.printJSON(reply)
	}
	if err := a.print(path + " → " + self + "\n"); err != nil {
		return err
	}
	if doubt == nil && !onPath {
		fmt.Fprintf(a.Err, "warning: %s is not on the PATH of your login shell; add it there:\n  export PATH=\"$HOME/.local/bin:$PATH\"\n", filepath.Dir(path))
	}
	return nil
}

// makeLink puts a link at path, in the place of an older one.
func makeLink(target, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make the link: %w", err)
	}
	tmp := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.Symlink(target, tmp); err != nil {
		return fmt.Errorf("make the link: %w", err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return errors.Join(fmt.Errorf("make the link: %w", err), os.Remove(tmp))
	}
	return nil
}

func newUnlink(app *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "unlink",
		Short:   "Take the termio command off your PATH",
		Long:    `Remove the link ~/.local/bin/termio, if it is one to a termio program.`,
		Example: `  termio unlink`,
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return app.unlink() },
	}
	app.jsonFlag(cmd)
	return cmd
}

func (a *App) unlink() error {
	path, err := a.linkPath()
	if err != nil {
		return err
	}
	target, err := readLink(path)
	if err != nil {
		return api.Errorf(api.CodeBadRequest, "%s is %v, so that it stays", path, err)
	}
	there := target != ""
	if there {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("remove the link: %w", err)
		}
	}
	switch {
	case a.json:
		return a.printJSON(linkReply{Head: api.OKHead(), Path: path, Removed: &there})
	case !there:
		return a.print(strings.TrimSuffix(path, "\n") + " is not there\n")
	}
	return a.print("removed " + path + "\n")
}
