// Package shellmarks starts interactive login shells so that they mark their
// prompts, and the begin and the end of each command with its exit code (OSC
// 133). The user's own start-up files are read as ever and are not changed; a
// shell that cannot be made to do so is started as it always was
// (docs/decisions/0050-shell-marks.md).
package shellmarks

import (
	_ "embed"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

var (
	//go:embed termio.bash
	bash string
	//go:embed termio.zsh
	zsh string
	//go:embed termio.fish
	fish string
)

// Launch is how a shell is started that marks.
type Launch struct {
	Argv []string
	Env  []string // the whole environment
	// Name is the file that the shell reads, in the directory that was given;
	// Text is what has to be in it.
	Name, Text string
}

// The variables that give back what the launch had to take.
const (
	envWas     = "TERMIO_SHELL_ENV" // of ENV
	zdotdirWas = "TERMIO_ZDOTDIR"   // of ZDOTDIR
)

// For gives how shell is started with the environment env and a file in dir; ok
// is false for a shell that cannot be made to mark, or marks by itself.
func For(shell, dir string, env []string) (l Launch, ok bool) {
	switch filepath.Base(shell) {
	case "bash":
		if runtime.GOOS == "darwin" && shell == "/bin/bash" {
			return l, false // 3.2, which has no way to tell of a command's begin
		}
		l = Launch{Argv: []string{shell, "--posix", "-il"}, Name: "termio.bash", Text: bash}
		// Bash expands the value as a string in double quotes.
		file := strings.NewReplacer(`\`, `\\`, "$", `\$`, "`", "\\`", `"`, `\"`).Replace(filepath.Join(dir, l.Name))
		l.Env = replaced(env, "ENV", file, envWas)
	case "zsh":
		if namesZDOTDIR("/etc/zshenv", "/etc/zsh/zshenv") {
			return l, false // it may decide by whether it is set
		}
		l = Launch{Argv: []string{shell, "-il"}, Name: ".zshenv", Text: zsh}
		l.Env = replaced(env, "ZDOTDIR", dir, zdotdirWas)
	case "fish":
		l = Launch{Name: "termio.fish", Text: fish, Env: env}
		file := strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(filepath.Join(dir, l.Name))
		l.Argv = []string{shell, "-il", "-C", "source '" + file + "'"}
	default:
		return l, false
	}
	return l, true
}

// replaced is env with name set to value, and what it was kept under was.
func replaced(env []string, name, value, was string) []string {
	out := make([]string, 0, len(env)+2)
	old, had := "", false
	for _, kv := range env {
		n, v, _ := strings.Cut(kv, "=")
		switch n {
		case name:
			old, had = v, true
		case was:
		default:
			out = append(out, kv)
		}
	}
	if out = append(out, name+"="+value); had {
		out = append(out, was+"="+old)
	}
	return out
}

// namesZDOTDIR reports whether one of the files, which every zsh reads first,
// speaks of ZDOTDIR.
func namesZDOTDIR(files ...string) bool {
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(text), "ZDOTDIR") {
			return true
		}
	}
	return false
}
