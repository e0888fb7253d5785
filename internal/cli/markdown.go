package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Markdown is docs/cli.md: every command's help, from the same text as --help
// and the man pages.
func Markdown() string {
	root := newRoot(System())
	var b strings.Builder
	b.WriteString("# The command line\n\nWritten from the same text as `termio --help`; `go generate ./internal/cli` writes this page again.\n")
	for _, cmd := range documented(root) {
		markdownOf(&b, cmd)
	}
	return b.String()
}

func markdownOf(b *strings.Builder, cmd *cobra.Command) {
	level := strings.Repeat("#", min(2+strings.Count(cmd.CommandPath(), " "), 4))
	fmt.Fprintf(b, "\n%s %s\n\n%s.\n", level, cmd.CommandPath(), cmd.Short)
	fmt.Fprintf(b, "\n```\n%s\n```\n", useLine(cmd))
	if cmd.Long != "" {
		fmt.Fprintf(b, "\n```text\n%s\n```\n", cmd.Long)
	}
	var flags []string
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		use, text := flagUse(f)
		flags = append(flags, fmt.Sprintf("| `%s` | %s |", use, text))
	})
	if len(flags) > 0 {
		fmt.Fprintf(b, "\n| flag | |\n|---|---|\n%s\n", strings.Join(flags, "\n"))
	}
	if cmd.Example != "" {
		fmt.Fprintf(b, "\n```sh\n%s\n```\n", dedent(cmd.Example))
	}
}

// dedent takes the two spaces of an example's lines away.
func dedent(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "  ")
	}
	return strings.Join(lines, "\n")
}
