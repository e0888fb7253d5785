package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/termio-sh/termio/vt"
)

// helpText is what --help prints: the same text that docs/cli.md and the man
// pages are made of.
func helpText(cmd *cobra.Command) string {
	var b strings.Builder
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	fmt.Fprintf(&b, "%s\n\nUsage:\n  %s\n", foldParagraphs(text), useLine(cmd))
	var rows [][2]string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			rows = append(rows, [2]string{c.Name(), c.Short})
		}
	}
	helpRows(&b, "Commands", rows)
	rows = rows[:0]
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			use, text := flagUse(f)
			rows = append(rows, [2]string{use, text})
		}
	})
	helpRows(&b, "Flags", rows)
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n`%s <command> --help` says more.\n", cmd.CommandPath())
	}
	return b.String()
}

// helpRows lays out names and what they mean in two columns; a name too long
// for its column takes a line of its own.
func helpRows(b *strings.Builder, heading string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	const most = 22
	wide := 0
	for _, r := range rows {
		if len(r[0]) <= most {
			wide = max(wide, len(r[0]))
		}
	}
	fmt.Fprintf(b, "\n%s:\n", heading)
	for _, r := range rows {
		lines := fold(r[1], helpWidth-wide-4)
		if len(r[0]) > wide {
			fmt.Fprintf(b, "  %s\n", r[0])
		} else {
			fmt.Fprintf(b, "  %-*s  %s\n", wide, r[0], lines[0])
			lines = lines[1:]
		}
		for _, line := range lines {
			fmt.Fprintf(b, "  %*s  %s\n", wide, "", line)
		}
	}
}

// helpWidth is the room for a line of help: what any terminal has.
const helpWidth = 80

// fold breaks text into lines of at most width cells, between words.
func fold(text string, width int) []string {
	lines := []string{""}
	for _, word := range strings.Fields(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case vt.StringWidth(*last)+1+vt.StringWidth(word) <= width:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}

// foldParagraphs folds the paragraphs of text that are too wide. Lines that
// are indented are as they are meant to be.
func foldParagraphs(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		lines := strings.Split(p, "\n")
		wide := slices.ContainsFunc(lines, func(l string) bool { return vt.StringWidth(l) > helpWidth })
		indented := slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, " ") })
		if wide && !indented {
			paragraphs[i] = strings.Join(fold(p, helpWidth), "\n")
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// flagUse is how a flag is written, as in "--agent <id>", and what it does.
func flagUse(f *pflag.Flag) (use, text string) {
	arg, text := pflag.UnquoteUsage(f)
	use = "--" + f.Name
	if f.Shorthand != "" {
		use = "-" + f.Shorthand + ", " + use
	}
	if f.Value.Type() != "bool" {
		use += " <" + arg + ">"
	}
	return use, text
}

// useLine is cmd's usage without cobra's "[flags]" where there are none of its
// own.
func useLine(cmd *cobra.Command) string {
	line := strings.TrimSuffix(cmd.UseLine(), " [flags]")
	if cmd.HasAvailableLocalFlags() {
		line += " [flags]"
	}
	return line
}
