package cli

import "github.com/spf13/cobra"

const sessionsLong = `See and drive the sessions of this project: agents and plain terminals that go
on when you leave.

A <link> is the termio://session/<uuid> address that list prints; the bare id,
a unique prefix of it, or the session's title do as well. Commands see the
sessions of the project that this directory belongs to, or inside a session,
of that session's project; --project DIR and --all widen that for a person.

Every command but attach takes --json. A failure exits 1, and with --json prints
{"ok":false,"error":"<code>","message":"<next step>","schema_version":1}.
A command gives up when the coordinator says nothing for 15 seconds;
TERMIO_CLI_TIMEOUT sets another number of seconds, for the whole command.`

// newSessions is `termio sessions`, alone the same as list.
func newSessions(app *App) *cobra.Command {
	cmd := newSessionsGroup(app)
	cmd.AddCommand(
		newList(app),
		newSpawn(app),
		newRun(app),
		newSend(app),
		newRead(app),
		newWatch(app),
		newQueue(app),
		newWait(app),
		newAttach(app),
		newClose(app),
		newReopen(app),
		newFocus(app),
		newRename(app),
		newOptions(app),
		newTrace(app),
		newTranscript(app),
	)
	return cmd
}

func newSessionsGroup(app *App) *cobra.Command {
	list := &listOptions{app: app}
	cmd := group(&cobra.Command{
		Use:   "sessions <verb>",
		Short: "List, start, drive, read and attach to sessions",
		Long:  sessionsLong,
	}, func(cmd *cobra.Command) error { return list.run(cmd.Context()) })
	list.flags(cmd)
	return cmd
}

// newQuickRoot is the tree for a command line that quick.Takes: it is built for
// each, and the whole one takes longer than most such commands do.
func newQuickRoot(app *App) *cobra.Command {
	root, sessions := newBareRoot(app), newSessionsGroup(app)
	sessions.AddCommand(newList(app), newSend(app), newRead(app), newFocus(app), newRename(app))
	root.AddCommand(sessions)
	return root
}

// noTarget says what a verb without its target misses.
const noTarget = "say which session: `termio sessions list` prints the links"
