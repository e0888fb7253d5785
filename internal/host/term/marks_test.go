//go:build unix

package term

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/status"
)

// markingSpec is a plain terminal with a real shell that is asked to mark;
// files are the user's, by their names in the home directory.
func markingSpec(t *testing.T, shell string, files map[string]string) hostproto.Spec {
	t.Helper()
	path, err := exec.LookPath(shell)
	if err != nil {
		t.Skipf("%s is not installed", shell)
	}
	spec := testSpec(t, "")
	spec.Record.Shell, spec.Marks = path, true
	spec.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + spec.Record.Dir, "TERM=xterm-256color", "LANG=C.UTF-8"}
	for name, text := range files {
		file := filepath.Join(spec.Record.Dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return spec
}

// marked is a shell at work, with the ends of commands that it told.
type marked struct {
	t *testing.T
	c *hostproto.Client // calls
	e *hostproto.Client // events
	n int               // commands so far
}

func startMarked(t *testing.T, spec hostproto.Spec) *marked {
	t.Helper()
	h := startHost(t, spec)
	m := &marked{t: t, c: h.control(), e: h.control()}
	if _, err := m.e.Subscribe(testContext(t)); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *marked) send(line string) {
	m.t.Helper()
	call[hostproto.SendReply](m.t, m.c, hostproto.OpSend, hostproto.SendRequest{Text: line, Enter: true})
}

// ends waits until the shell tells that a command has ended, and how.
func (m *marked) ends(code int) {
	m.t.Helper()
	for {
		got, err := m.e.Next(testContext(m.t))
		if err != nil {
			m.t.Fatal(err)
		}
		if ev := got.Event; ev != nil && ev.Type == hostproto.EventCommand {
			if m.n++; ev.Exit == nil || *ev.Exit != code || ev.Count != m.n {
				m.t.Fatalf("the end of a command is told as %+v, want number %d with exit code %d", ev, m.n, code)
			}
			return
		}
	}
}

func (m *marked) does(line string, code int) {
	m.t.Helper()
	m.send(line)
	m.ends(code)
}

// shows runs a command that prints, and waits for what it should.
func (m *marked) shows(line, want string) {
	m.t.Helper()
	m.send(line)
	waitScreen(m.t, m.c, want, contains("\n"+want))
}

// TestMarks: whatever the user's files do to the prompt, each command's end is
// told once with its exit code, and the user's own hooks run as ever.
func TestMarks(t *testing.T) {
	for name, c := range map[string]struct {
		shell string
		files map[string]string
		own   string // what `cat hooked` shows, if the user has hooks
	}{
		"bash, no files": {"bash", nil, ""},
		"bash, a hook":   {"bash", map[string]string{".bash_profile": "PROMPT_COMMAND='echo h >hooked'\n"}, "h"},
		"bash, a hook that is exported and ends badly": {
			"bash", map[string]string{".bash_profile": "export PROMPT_COMMAND='echo h >hooked;'\n"}, "h",
		},
		"bash, a list of hooks": {
			"bash", map[string]string{".bash_profile": "PROMPT_COMMAND=('echo h >hooked' 'echo i >>hooked; false')\n"}, "h\ni",
		},
		"bash, a prompt made anew each time, with a trap": {"bash", map[string]string{".bash_profile": `
trap 'begun=1' DEBUG
precmd() { local s=$?; PS1="$(printf '\[\e[32m\]%s\[\e[m\]' "⟩$s") "; echo h >hooked; }
PROMPT_COMMAND=precmd
PS0='begun\n'
`}, "h"},
		"bash, strict":        {"bash", map[string]string{".bash_profile": "set -u; set -o vi; IFS=_; alias printf=false local=false builtin=false\n"}, ""},
		"bash, all exported":  {"bash", map[string]string{".bash_profile": "set -a; PS1='> '\n"}, ""},
		"bash, .profile only": {"bash", map[string]string{".profile": "PROMPT_COMMAND='echo p >hooked'\n"}, "p"},
		"bash, files that fail": {"bash", map[string]string{".bash_profile": `
readonly x=1
x=2
nothing_of_that_name
( syntax
`, ".profile": "echo wrong >hooked"}, ""},
		"bash, a library of hooks": {"bash", map[string]string{".bash_profile": `
bash_preexec_imported=defined
precmd_functions=()
run() { local s=$?; for f in "${precmd_functions[@]}"; do (exit $s); $f; done; echo h >hooked; }
PROMPT_COMMAND=run
`}, "h"},
		"zsh, no files":  {"zsh", map[string]string{".zshrc": ""}, ""},
		"zsh, hooks":     {"zsh", map[string]string{".zshrc": "precmd() { echo h >hooked }\nPROMPT='%F{2}%n%f '\n"}, "h"},
		"zsh, strict":    {"zsh", map[string]string{".zshenv": "setopt nounset noclobber ksh_arrays err_return\n", ".zshrc": "alias print=false\n"}, ""},
		"fish, no files": {"fish", map[string]string{".config/fish/config.fish": ""}, ""},
		"fish, a prompt": {"fish", map[string]string{".config/fish/config.fish": "function fish_prompt; echo h >hooked; printf '> '; end\n"}, "h"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := startMarked(t, markingSpec(t, c.shell, c.files))
			m.does("true", 0)
			m.does("sh -c 'exit 7'", 7)
			call[hostproto.SendReply](t, m.c, hostproto.OpSend, hostproto.SendRequest{Keys: []string{"enter"}})
			m.does("true", 0) // nothing ran before it
			if c.own != "" {
				m.shows("cat hooked", c.own)
			}
		})
	}
}

// TestMarksChangeNothing: the shell is the login shell that it would have been,
// and those below it know nothing of it.
func TestMarksChangeNothing(t *testing.T) {
	spec := markingSpec(t, "bash", map[string]string{
		".bash_profile": "login=$(shopt -q login_shell && echo yes)\n", ".bash_logout": "echo bye >out\n",
	})
	spec.Env = append(spec.Env, "ENV=/of/the/user", "PROMPT_COMMAND=echo hook >>hooked")
	m := startMarked(t, spec)
	m.shows(`echo "$login,$ENV,${HISTFILE##*/},${POSIXLY_CORRECT-none},$(set -o | grep -c 'posix.*on'),${TERMIO_SHELL_ENV-none}."`,
		"yes,/of/the/user,.bash_history,none,0,none.")
	m.shows("shopt -q inherit_errexit || echo of\"\"f", "off")
	m.ends(0)
	m.ends(0)
	m.send("bash --norc") // its prompts and commands are one command of the outer shell
	m.shows("PS1='in> '; echo in\"\"side $PS0", "inside")
	m.shows("env | grep -c __termio; exit 3", "1") // the exported hook of the user's
	m.ends(3)
	m.send("logout")
	waitFor(t, func() string { return "bye" }, func() bool {
		text, _ := os.ReadFile(filepath.Join(spec.Record.Dir, "out"))
		return string(text) == "bye\n"
	})
}

// TestMarksTakenAway: a file that sets the prompt anew, as when the user reads
// their own once more, takes no shell's word away for ever.
func TestMarksTakenAway(t *testing.T) {
	m := startMarked(t, markingSpec(t, "bash", map[string]string{"again": "PROMPT_COMMAND=':' PS0=\n"}))
	m.does("true", 0)
	m.does(". ./again", 0)
	m.does("false", 1)
	m.send("unset PROMPT_COMMAND")
	was := 3
	waitFor(t, func() string { return "rest" }, func() bool {
		st := call[hostproto.Info](t, m.c, hostproto.OpInfo, nil).Status
		return st.Turn > was && st.State != string(status.Working)
	})
	m.shows("echo go''es on", "goes on")
}

// TestAShellThatStartsSlowlyIsWaitedFor: what is to be typed waits for the first
// prompt, however silent the start-up files are.
func TestAShellThatStartsSlowlyIsWaitedFor(t *testing.T) {
	spec := markingSpec(t, "bash", map[string]string{".bash_profile": "echo starts; read -r _ <gate; echo started\n"})
	gate := filepath.Join(spec.Record.Dir, "gate")
	if err := exec.Command("mkfifo", gate).Run(); err != nil {
		t.Fatal(err)
	}
	spec.Prompt = &hostproto.SendRequest{Text: "echo do''ne", Enter: true}
	m := startMarked(t, spec)
	before := waitScreen(t, m.c, "the file", contains("starts"))
	// Longer than a screen that stays as it is counts as ready.
	time.Sleep(bootMin + 2*bootSample)
	if text := call[hostproto.Screen](t, m.c, hostproto.OpScreen, hostproto.ScreenRequest{}).Text; text != before {
		t.Errorf("typed into the start-up files:\n%s", text)
	}
	if err := os.WriteFile(gate, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	waitScreen(t, m.c, "the prompt's command", contains("\ndone"))
	m.ends(0)
}
