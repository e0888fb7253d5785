package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/api"
)

type agentsLintOptions struct{ app *App }

func newAgentsLint(app *App) *cobra.Command {
	o := &agentsLintOptions{app: app}
	cmd := &cobra.Command{
		Use:   "lint [FILE]...",
		Short: "Check manifest files",
		Long: `Check manifest files, yours without FILE: each problem with file, position, key,
rule and what to do. Exits 1 if there is an error; warnings alone are no
failure.`,
		Example: `  termio agents lint
  termio agents lint ./my-agent.json --json`,
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args) },
	}
	app.jsonFlag(cmd)
	return cmd
}

// lintReply is what --json prints.
type lintReply struct {
	OK            bool          `json:"ok"`
	SchemaVersion int           `json:"schema_version"`
	Files         int           `json:"files"`
	Problems      []atp.Problem `json:"problems"`
}

func (o *agentsLintOptions) run(files []string) error {
	a := o.app
	if len(files) == 0 {
		var err error
		if files, err = o.own(); err != nil {
			return err
		}
	}
	reply := lintReply{OK: true, SchemaVersion: api.SchemaVersion, Files: len(files), Problems: []atp.Problem{}}
	for _, file := range files {
		problems := atp.Lint(file)
		reply.Problems = append(reply.Problems, problems...)
		reply.OK = reply.OK && len(problems.Errors()) == 0
	}
	var err error
	if a.json {
		err = a.printJSON(reply)
	} else {
		err = a.print(o.text(&reply))
	}
	if err == nil && !reply.OK {
		err = errReported
	}
	return err
}

// own are the user's manifest files.
func (o *agentsLintOptions) own() ([]string, error) {
	layout, err := o.app.layout()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(layout.AgentsDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for manifests: %w", err)
	}
	var files []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") {
			files = append(files, filepath.Join(layout.AgentsDir(), e.Name()))
		}
	}
	return files, nil
}

func (o *agentsLintOptions) text(reply *lintReply) string {
	var b strings.Builder
	errs := 0
	for _, p := range reply.Problems {
		kind := o.app.style(yellow, "warning")
		if p.Severity == atp.SeverityError {
			kind = o.app.style(red, "error")
			errs++
		}
		fmt.Fprintf(&b, "%s: %s\n", kind, p.Error())
	}
	fmt.Fprintf(&b, "%s, %s, %s\n", plural(reply.Files, "file"), plural(errs, "error"), plural(len(reply.Problems)-errs, "warning"))
	return b.String()
}
