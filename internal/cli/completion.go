package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

// completions are the shells, and how each one's script is written.
var completions = []struct {
	shell string
	write func(root *cobra.Command, to io.Writer) error
}{
	{"bash", func(root *cobra.Command, to io.Writer) error { return root.GenBashCompletionV2(to, true) }},
	{"zsh", func(root *cobra.Command, to io.Writer) error { return root.GenZshCompletion(to) }},
	{"fish", func(root *cobra.Command, to io.Writer) error { return root.GenFishCompletion(to, true) }},
	{"powershell", func(root *cobra.Command, to io.Writer) error { return root.GenPowerShellCompletionWithDesc(to) }},
}

func newCompletion(app *App) *cobra.Command {
	const shells = "bash, zsh, fish or powershell"
	return &cobra.Command{
		Use:   "completion <shell>",
		Short: "Print the script that completes commands and sessions by Tab",
		Long: `Print the script that lets your shell complete commands, flags, sessions and
agents by Tab. <shell> is ` + shells + `.`,
		Example: `  source <(termio completion bash)           # in ~/.bashrc
  source <(termio completion zsh)            # in ~/.zshrc, after compinit
  termio completion fish | source            # in ~/.config/fish/config.fish`,
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Args:      exactArgs(1, api.CodeBadRequest, "say which shell: "+shells),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, c := range completions {
				if c.shell != args[0] {
					continue
				}
				if err := c.write(cmd.Root(), app.Out); err != nil {
					return fmt.Errorf("write the completion script: %w", err)
				}
				return nil
			}
			return usagef(api.CodeBadRequest, "no completion for the shell %s; there is one for %s", quoted(args[0]), shells)
		},
	}
}
