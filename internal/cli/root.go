package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/version"
)

const rootLong = `termio runs coding agents, and anything else, in durable terminals: they go on
when you leave, and you list, drive, read and attach to them from anywhere.

  termio                         open this directory as a project
  termio ~/code/myapp            open that one
  termio sessions spawn "fix the failing test" --agent claudeCode
  termio sessions run "pnpm test"
  termio sessions list
  termio sessions attach 1a2b3c4d`

// newBareRoot is the program itself, without commands.
func newBareRoot(app *App) *cobra.Command {
	open := &openOptions{app: app, face: true}
	root := &cobra.Command{
		Use:           "termio [DIR]",
		Short:         "A durable host for coding agents",
		Long:          rootLong,
		Version:       version.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          rootArgs,
		// No command has a hook of its own, which would take this one's place.
		PersistentPreRunE: noEmptyFlags,
		RunE:              func(cmd *cobra.Command, args []string) error { return open.run(cmd.Context(), args) },
	}
	root.SetVersionTemplate("termio {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return usagef(api.CodeBadRequest, "%v", err)
	})
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(&cobra.Command{Hidden: true, Use: "no-help"})
	root.SetHelpFunc(app.help)
	app.jsonFlag(root)

	return root
}

// newRoot builds the command tree.
func newRoot(app *App) *cobra.Command {
	root := newBareRoot(app)
	root.AddCommand(
		newOpen(app),
		newSessions(app),
		newWorktrees(app), newMCP(app),
		newHistory(app),
		newAgents(app),
		newACP(app),
		newDaemon(app),
		newSchema(app),
		newConfig(app),
		newSetup(app), newNotify(app), newHooks(app), newSkill(app), newLink(app), newUnlink(app), newAgent(app),
		newCompletion(app), newVersion(app),
		newMan(app),
	)
	return root
}

// help prints cmd's help. A group with a word that is none of its commands is
// asked about something that is not there.
func (a *App) help(cmd *cobra.Command, _ []string) {
	if cmd.HasSubCommands() {
		if a.noHelp = cmd.ValidateArgs(cmd.Flags().Args()); a.noHelp != nil {
			return
		}
	}
	a.noHelp = a.print(helpText(cmd))
}

// inGroup is the path of the command of that name that is in a group, those of
// sessions first.
func inGroup(root *cobra.Command, name string) string {
	found := ""
	for _, group := range root.Commands() {
		for _, c := range group.Commands() {
			if (c.Name() == name || slices.Contains(c.SuggestFor, name)) && c.IsAvailableCommand() && (found == "" || group.Name() == "sessions") {
				found = c.CommandPath()
			}
		}
	}
	return found
}

// rootArgs takes a directory; a word that is neither one nor a command is a
// mistyped command more likely than a directory.
func rootArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 1 && looksLikeDir(args[0]) {
		return usagef(api.CodeBadRequest, "`termio [DIR]` takes one directory: %s is one too many", quoted(args[1]))
	}
	if len(args) > 0 && !looksLikeDir(args[0]) {
		text := "unknown command " + quoted(args[0])
		if args[0] == "help" {
			text += "; say `" + helpFor(cmd, args[1:]) + " --help`"
		} else if path := inGroup(cmd, args[0]); path != "" {
			text += "; did you mean `" + path + "`?"
		} else if near := nearest(cmd, args[0]); near != "" {
			text += "; did you mean `termio " + near + "`?"
		} else {
			text += "; to open a directory of that name say `termio open " + args[0] + "`"
		}
		return usagef(api.CodeBadRequest, "%s", text)
	}
	return nil
}

// group makes a command that only holds others. Alone it does what run says;
// an unknown word after it is an error.
func group(cmd *cobra.Command, run func(*cobra.Command) error) *cobra.Command {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		text := "unknown command " + quoted(args[0]) + " for `" + cmd.CommandPath() + "`"
		if meant := meantIn(cmd, args[0]); meant != "" {
			text += "; did you mean " + quoted(meant) + "?"
		} else {
			text += "; there are: " + strings.Join(childNames(cmd), ", ")
		}
		return usagef(api.CodeBadOp, "%s", text)
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return run(cmd) }
	return cmd
}

// meantIn is the command of group cmd that word stands for: one that others call
// so, else the one that is spelt most like it. For “uninstall” it is “remove”,
// not “install”.
func meantIn(cmd *cobra.Command, word string) string {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && slices.Contains(c.SuggestFor, word) {
			return c.Name()
		}
	}
	return nearest(cmd, word)
}

// helpFor is the command that words name, as far as they name one.
func helpFor(root *cobra.Command, words []string) string {
	cmd, _, err := root.Find(words)
	if err != nil {
		cmd = root
	}
	return cmd.CommandPath()
}

func childNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// exactArgs wants n arguments; otherwise the message says what is missing.
func exactArgs(n int, code api.Code, missing string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < n:
			return usagef(code, "%s", missing)
		case len(args) > n:
			return usagef(api.CodeBadRequest, "too many arguments: %s is one too many", quoted(args[n]))
		}
		return nil
	}
}

// noArgs wants none.
func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef(api.CodeBadRequest, "this command takes no arguments: %s is one too many", quoted(args[0]))
	}
	return nil
}

func quoted(s string) string {
	const most = 80 // characters; enough to know it by
	line := []rune(oneLine(s))
	if len(line) > most {
		line = append(line[:most], '…')
	}
	return "“" + string(line) + "”"
}
