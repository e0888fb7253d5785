package shellenv

import "strings"

// scrubbed are variables that describe the terminal, agent or session which
// the caller sits in, not the one that is started. A child that inherits them
// reports to the wrong session, believes it is nested in another agent, draws
// for another terminal, or without colour.
var scrubbed = []string{
	"CLAUDECODE", "CLAUDE_EFFORT",
	"TERMIO_SESSION", "TERMIO_SOCK", "TERMIO_TOKEN", "TERMIO_HOME",
	"TERM_SESSION_ID", "TERMINAL_EMULATOR",
	"TMUX", "TMUX_PANE", "STY", "INSIDE_EMACS",
	"LC_TERMINAL", "LC_TERMINAL_VERSION",
	"KONSOLE_VERSION", "GNOME_TERMINAL_SERVICE", "WT_SESSION",
	"NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE",
	// The size and place of the caller's own shell.
	"COLUMNS", "LINES", "OLDPWD", "SHLVL", "_",
}

// scrubbedPrefixes are families of such variables.
var scrubbedPrefixes = []string{
	"TERM_PROGRAM", "VSCODE_", "CLAUDE_CODE_", "ITERM_", "GHOSTTY_", "KITTY_", "WEZTERM_", "ALACRITTY_",
}

// Scrub gives env without what belongs to the caller's own terminal, agent or
// session, and without entries that are no variable.
func Scrub(env []string) []string {
	drop := make(map[string]bool, len(scrubbed))
	for _, name := range scrubbed {
		drop[name] = true
	}
	out := make([]string, 0, len(env))
	for _, kv := range env {
		name, _, ok := strings.Cut(kv, "=")
		if !ok || name == "" || drop[name] || strings.ContainsRune(kv, 0) || hasAnyPrefix(name, scrubbedPrefixes) {
			continue
		}
		out = append(out, kv)
	}
	return out
}

func hasAnyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
