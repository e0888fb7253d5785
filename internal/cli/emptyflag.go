package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/termio-sh/termio/internal/api"
)

// mayBeEmpty are the flags whose empty value says something of its own: a
// title that is not there, text that has nothing in it.
var mayBeEmpty = map[string]bool{"title": true, "prompt": true}

// noEmptyFlags refuses a flag that was given without a value, as --answers "$id"
// is when a script's variable is not set. Taken for a flag that was not given, it
// would do what the flag is there to prevent: type an answer to whatever is
// asked, start an agent outside of its worktree, begin a new conversation.
func noEmptyFlags(cmd *cobra.Command, _ []string) error {
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		empty := f.Value.String() == ""
		if list, ok := f.Value.(pflag.SliceValue); ok {
			empty = len(list.GetSlice()) == 0
			for _, v := range list.GetSlice() {
				empty = empty || v == ""
			}
		}
		if err == nil && empty && !mayBeEmpty[f.Name] {
			err = usagef(api.CodeBadRequest, "--%s is empty: give it a value, or leave it out", f.Name)
		}
	})
	return err
}
