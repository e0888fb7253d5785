package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newMan writes the man pages, for packagers.
func newMan(app *App) *cobra.Command {
	return &cobra.Command{
		Use:    "man [DIR]",
		Short:  "Write the man pages into DIR, or this command's to standard output",
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			if len(args) == 0 {
				return app.print(manPage(root))
			}
			for _, c := range documented(root) {
				file := filepath.Join(args[0], strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
				if err := os.WriteFile(file, []byte(manPage(c)), 0o644); err != nil {
					return fmt.Errorf("write man page: %w", err)
				}
			}
			return nil
		},
	}
}

// documented is cmd and every command below it that people are shown.
func documented(cmd *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			list = append(list, documented(c)...)
		}
	}
	return list
}

// manPage is the roff of cmd's page, from the same text as its --help.
func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	title := strings.ToUpper(strings.ReplaceAll(cmd.CommandPath(), " ", "-"))
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"termio\"\n", roff(title))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(strings.ReplaceAll(cmd.CommandPath(), " ", "-")), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(useLine(cmd)))
	fmt.Fprintf(&b, ".SH DESCRIPTION\n.nf\n%s\n.fi\n", roff(cmd.Long))
	if cmd.HasAvailableLocalFlags() {
		b.WriteString(".SH OPTIONS\n")
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			use, text := flagUse(f)
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(use), roff(text))
		})
	}
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(cmd.Example))
	}
	var also []string
	if cmd.HasParent() {
		also = append(also, cmd.Parent().CommandPath())
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			also = append(also, c.CommandPath())
		}
	}
	if len(also) > 0 {
		b.WriteString(".SH SEE ALSO\n")
		for i, path := range also {
			if i > 0 {
				b.WriteString(",\n")
			}
			fmt.Fprintf(&b, ".BR %s (1)", roff(strings.ReplaceAll(path, " ", "-")))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// roff escapes text for a man page.
func roff(s string) string {
	s = strings.ReplaceAll(s, `\`, `\e`)
	s = strings.ReplaceAll(s, "-", `\-`)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
