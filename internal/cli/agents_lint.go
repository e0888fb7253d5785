package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
rule and what to do; "-" reads one from standard input. Exits 1 if there is an
error, with --json as the one error with its problems; warnings alone are no
failure.`,
		Example: `  termio agents lint
  termio agents lint ./my-agent.json --json
  termio agents show pi | termio agents lint -`,
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args) },
	}
	app.jsonFlag(cmd)
	return cmd
}

// lintReply is what --json prints where there is no error.
type lintReply struct {
	api.Head
	Files    int           `json:"files"`
	Problems []api.Problem `json:"problems"`
}

func (o *agentsLintOptions) run(files []string) error {
	a := o.app
	if len(files) == 0 {
		var err error
		if files, err = o.own(); err != nil {
			return err
		}
	}
	var problems atp.Problems
	for _, file := range files {
		found, err := o.lint(file)
		if err != nil {
			return err
		}
		problems = append(problems, found...)
	}
	failures := problems.Errors()
	if !a.json {
		if err := a.print(o.text(len(files), problems)); err != nil || len(failures) == 0 {
			return err
		}
		return errReported
	}
	reply := lintReply{Head: api.OKHead(), Files: len(files), Problems: []api.Problem{}}
	for _, p := range problems {
		reply.Problems = append(reply.Problems, api.Problem{
			File: p.File, Key: p.Path, Rule: p.Rule, Message: p.Advice(),
			Line: p.Line, Column: p.Column, Warning: p.Severity == atp.SeverityWarning,
		})
	}
	if len(failures) == 0 {
		return a.printJSON(reply)
	}
	failure := api.Errorf(api.CodeBadRequest, "%s in %s; the first: %v",
		plural(len(failures), "error"), plural(len(files), "file"), failures[0])
	failure.Problems = reply.Problems
	return failure
}

// lint checks one file, or standard input where it is "-".
func (o *agentsLintOptions) lint(file string) (atp.Problems, error) {
	if file != "-" {
		return atp.Lint(file), nil
	}
	data, err := io.ReadAll(io.LimitReader(o.app.In, maxPayload))
	if err != nil {
		return nil, fmt.Errorf("read the manifest from standard input: %w", err)
	}
	// It has no file name that could be wrong.
	return slices.DeleteFunc(atp.LintData("standard input", data), func(p atp.Problem) bool { return p.Rule == "file-name" }), nil
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

func (o *agentsLintOptions) text(files int, problems atp.Problems) string {
	var b strings.Builder
	errs := 0
	for _, p := range problems {
		kind := o.app.style(yellow, "warning")
		if p.Severity == atp.SeverityError {
			kind = o.app.style(red, "error")
			errs++
		}
		fmt.Fprintf(&b, "%s: %s\n", kind, p.Error())
	}
	fmt.Fprintf(&b, "%s, %s, %s\n", plural(files, "file"), plural(errs, "error"), plural(len(problems)-errs, "warning"))
	return b.String()
}
