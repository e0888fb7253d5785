package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/commandlink"
	"github.com/termio-sh/termio/internal/shellenv"
)

func newLink(app *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "link",
		Short: "Put the termio command on your PATH",
		Long: `Make ~/.local/bin/termio a link to this program, and look after it: where an
upgrade moves the program, the coordinator puts it right at its next start.
Something else of that name is never replaced.`,
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
	return commandlink.Path(home), nil
}

// keepLink notes whether the user wants the link.
func (a *App) keepLink(want bool) error {
	path, s, err := a.settings()
	if err != nil || s.Link != nil && *s.Link == want {
		return err
	}
	s.Link = &want
	return saveSettings(path, s)
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
	if _, err := commandlink.Make(self, path); errors.Is(err, commandlink.ErrForeign) {
		return api.Errorf(api.CodeBadRequest, "%s is there and is %v; remove it first, or put this program on your PATH yourself", path, err)
	} else if err != nil {
		return err
	}
	if err := a.keepLink(true); err != nil {
		return err
	}
	onPath, known := a.onPath(ctx, filepath.Dir(path))
	if a.json {
		reply := linkReply{Head: api.OKHead(), Path: path, Target: self}
		if known {
			reply.OnPath = &onPath
		}
		return a.printJSON(reply)
	}
	if err := a.print(path + " → " + self + "\n"); err != nil {
		return err
	}
	if known && !onPath {
		a.warnOffPath(path)
	}
	return nil
}

// onPath tells whether the login shell looks for commands in dir, and whether
// that is known.
func (a *App) onPath(ctx context.Context, dir string) (on, known bool) {
	env, doubt := shellenv.NewLogin(shellenv.LoginShell(a.Getenv), a.Environ()).Env(ctx)
	return slices.Contains(filepath.SplitList(shellenv.Get(env, "PATH")), dir), doubt == nil
}

func (a *App) warnOffPath(path string) {
	fmt.Fprintf(a.Err, "warning: %s is not on the PATH of your login shell; add it there:\n  export PATH=\"$HOME/.local/bin:$PATH\"\n", filepath.Dir(path))
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
	if _, s, err := a.settings(); err == nil && s.Link != nil {
		if err := a.keepLink(false); err != nil { // first: the coordinator would heal it
			return err
		}
	}
	self, err := executable()
	if err != nil {
		return err
	}
	removed, err := commandlink.Remove(self, path)
	if errors.Is(err, commandlink.ErrForeign) {
		return api.Errorf(api.CodeBadRequest, "%s is %v, so that it stays", path, err)
	} else if err != nil {
		return err
	}
	switch {
	case a.json:
		return a.printJSON(linkReply{Head: api.OKHead(), Path: path, Removed: &removed})
	case !removed:
		return a.print(path + " is not there\n")
	}
	return a.print("removed " + path + "\n")
}
