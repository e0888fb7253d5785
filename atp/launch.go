package atp

import (
	"fmt"
	"strconv"
	"strings"
)

func itoa(i int) string { return strconv.Itoa(i) }

// MaxID is the longest conversation id, in bytes.
const MaxID = 128

// ValidID reports whether id can name a conversation in a command, a path or a
// file name: 1 to MaxID of letters, digits, ".", "_" and "-", not starting
// with "-" or ".".
func ValidID(id string) bool {
	if id == "" || len(id) > MaxID || id[0] == '-' || id[0] == '.' {
		return false
	}
	for i := 0; i < len(id); i++ {
		if !isIDByte(id[i]) {
			return false
		}
	}
	return true
}

func isIDByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-'
}

// ExpandID puts a conversation id in the place of {id}, and its first eight
// characters in the place of {id8}, in one of a manifest's templates. It
// refuses an id that is not ValidID, so that the result can stand in a shell
// command.
func ExpandID(template, id string) (string, error) {
	if !ValidID(id) {
		return "", fmt.Errorf("expand %q: %q is not a conversation id (letters, digits, %q)", template, clip(id, 80), "._-")
	}
	return strings.NewReplacer("{id}", id, "{id8}", clip(id, 8)).Replace(template), nil
}

// LaunchOptions say how one launch differs from the plain command.
type LaunchOptions struct {
	// Bypass adds the manifest's permission-bypass flag.
	Bypass bool
	// CommandOverride is the user's own shell command instead of the
	// manifest's.
	CommandOverride string
	// Args are put right after the command, each quoted: options that must
	// stand before a subcommand.
	Args []string
	// Fragment is shell text, as from ExpandID on a resume template.
	Fragment string
	// Extra are put last, each quoted.
	Extra []string
}

// LaunchCommand gives the shell text that starts the agent, for a POSIX shell.
// It is empty for an agent without a command, which is the login shell. The
// permission flag is added only when the command or the options do not have
// it already as a word of their own.
func LaunchCommand(m *Manifest, o LaunchOptions) string {
	cmd := strings.TrimSpace(o.CommandOverride)
	if cmd == "" {
		cmd = strings.TrimSpace(m.Command)
	}
	if cmd == "" {
		return ""
	}
	parts := []string{cmd}
	if flag := m.PermissionBypassFlag; o.Bypass && flag != "" && !hasFlag(cmd, flag) &&
		!hasWords(o.Args, strings.Fields(flag)) && !hasWords(o.Extra, strings.Fields(flag)) {
		parts = append(parts, flag)
	}
	for _, a := range o.Args {
		parts = append(parts, Quote(a))
	}
	if f := strings.TrimSpace(o.Fragment); f != "" {
		parts = append(parts, f)
	}
	for _, a := range o.Extra {
		parts = append(parts, Quote(a))
	}
	return strings.Join(parts, " ")
}
