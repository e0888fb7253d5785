package shellenv

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScrub(t *testing.T) {
	in := []string{
		"PATH=/bin", "HOME=/h", "CLAUDECODE=1", "CLAUDE_CODE_CHILD_SESSION=x", "CLAUDE_CONFIG_DIR=/c", "TERMIO_SESSION=s",
		"TERMIO_TOKEN=t", "TERMIO_HOME=/x", "TERMIO_CLI_TIMEOUT=3", "TMUX=a", "TMUX_PANE=%1", "TMUX_TMPDIR=/t", "NO_COLOR=1", "FORCE_COLOR=0",
		"TERM_PROGRAM=vscode", "TERM_PROGRAM_VERSION=1", "VSCODE_PID=1", "KITTY_WINDOW_ID=1", "LC_TERMINAL_VERSION=1",
		"LC_ALL=C", "WT_SESSION=1", "ANTHROPIC_API_KEY=k=v", "noequals", "=x", "BAD=a\x00b", "EMPTY=",
	}
	want := []string{
		"PATH=/bin", "HOME=/h", "CLAUDE_CONFIG_DIR=/c", "TERMIO_CLI_TIMEOUT=3", "TMUX_TMPDIR=/t",
		"LC_ALL=C", "ANTHROPIC_API_KEY=k=v", "EMPTY=",
	}
	if d := cmp.Diff(want, Scrub(in)); d != "" {
		t.Error(d)
	}
}

func TestCompose(t *testing.T) {
	got := Compose([]string{"A=1", "A=2", "TERM=dumb", "LANG=de_DE.UTF-8", "TERMIO_SESSION=other"}, Child{
		Session: "s", Socket: "/sock", Token: "t", Version: "1", Shell: "/bin/zsh", Dir: "/d", Extra: []string{"A=3", "B=x=y"},
	})
	slices.Sort(got)
	want := []string{
		"A=3", "B=x=y", "COLORTERM=truecolor", "FORCE_HYPERLINK=1", "LANG=de_DE.UTF-8", "PWD=/d", "SHELL=/bin/zsh",
		"TERM=xterm-256color", "TERMIO_SESSION=s", "TERMIO_SOCK=/sock", "TERMIO_TOKEN=t", "TERM_PROGRAM=termio", "TERM_PROGRAM_VERSION=1",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := Get(Compose(nil, Child{Home: "/own"}), "TERMIO_HOME"); got != "/own" {
		t.Errorf("own home: %q", got)
	}
}

func TestLocale(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", "LANG=" + utf8Locale},
		{"LANG=C", "LANG=" + utf8Locale},
		{"LANG=POSIX", "LANG=" + utf8Locale},
		{"LANG=de_DE", "LANG=de_DE LC_CTYPE=" + utf8Locale},
		{"LANG=de_DE.utf8@euro", "LANG=de_DE.utf8@euro"},
		{"LC_CTYPE=UTF-8", "LC_CTYPE=UTF-8"},
		{"LANG=de_DE LC_CTYPE=C.UTF-8", "LANG=de_DE LC_CTYPE=C.UTF-8"},
		{"LANG=de_DE.UTF-8 LC_ALL=C", "LANG=de_DE.UTF-8 LC_ALL=" + utf8Locale},
		{"LANG=de_DE.UTF-8 LC_ALL=", "LANG=de_DE.UTF-8 LC_ALL="},
	} {
		e := newVars(strings.Fields(c.in))
		ensureUTF8(e)
		if got := strings.Join(e.list(), " "); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}

func TestPasswdShell(t *testing.T) {
	text := "# comment\nroot:x:0:0:root:/root:/bin/bash\nu:x:1000:1000:U,,,:/home/u:/usr/bin/fish\nbroken:x:7\nnoshell:x:8:8::/:\n"
	for uid, want := range map[int]string{0: "/bin/bash", 1000: "/usr/bin/fish", 7: "", 8: "", 9: ""} {
		if got := passwdShell(text, uid); got != want {
			t.Errorf("%d: got %q, want %q", uid, got, want)
		}
	}
}

func TestChooseShell(t *testing.T) {
	runs := func(s string) bool { return s != "/gone" }
	for _, c := range []struct {
		candidates []string
		want       string
	}{
		{[]string{"/bin/zsh", "/bin/bash"}, "/bin/zsh"},
		{[]string{"", "/bin/bash"}, "/bin/bash"},
		{[]string{"/gone", "/bin/bash"}, "/bin/bash"},
		{[]string{"/usr/sbin/nologin", "/bin/bash"}, "/bin/sh"},
		{[]string{"/bin/false"}, "/bin/sh"},
		{[]string{"zsh", ""}, "/bin/sh"},
	} {
		if got := chooseShell(c.candidates, runs); got != c.want {
			t.Errorf("%q: got %q, want %q", c.candidates, got, c.want)
		}
	}
}

func TestParseProbe(t *testing.T) {
	noise := "motd \x1b[31m PATH=/wrong\n"
	for _, c := range []struct {
		out  string
		want []string
		ok   bool
	}{
		{noise + beginMark + "PATH=/a:/b\x00X=1\n2\x00" + endMark + noise, []string{"PATH=/a:/b", "X=1\n2"}, true},
		{beginMark + "PATH=/a\nX=1\n" + endMark, []string{"PATH=/a", "X=1"}, true},
		{beginMark + "PATH=/a", nil, false},
		{noise, nil, false},
		{beginMark + "usage: env\n" + endMark, nil, false},
	} {
		got, ok := parseProbe(c.out)
		if ok != c.ok || ok && cmp.Diff(c.want, got) != "" {
			t.Errorf("%q: got %q, %v", c.out, got, ok)
		}
	}
}

// program makes an executable file.
func program(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	home := t.TempDir()
	onPath := filepath.Join(home, "onpath")
	program(t, filepath.Join(onPath, "agent"))
	program(t, filepath.Join(home, ".nvm/versions/node/v20/bin/nvmonly"))
	program(t, filepath.Join(home, "venv/callers"))
	program(t, filepath.Join(home, "w/rel"))
	if err := os.WriteFile(filepath.Join(onPath, "plain"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	keeps := false // whether the shell keeps the PATH that it is given
	l := NewLogin("/bin/sh", []string{"HOME=" + home})
	l.probe = func(_ context.Context, _ string, env []string) ([]string, error) {
		path := onPath + ":relative::" + onPath
		if keeps {
			path += ":" + Get(env, "PATH")
		}
		return []string{"HOME=" + home, "PATH=" + path}, nil
	}
	find := func(name string) (string, error) {
		return l.Find(t.Context(), name, filepath.Join(home, "w"), []string{"PATH=" + filepath.Join(home, "venv")})
	}
	if got, err := find("callers"); err != nil || got != filepath.Join(home, "venv/callers") {
		t.Errorf("before the shell has answered: %q, %v", got, err)
	}
	if got, err := find("agent"); err != nil || got != filepath.Join(onPath, "agent") {
		t.Errorf("on the PATH: %q, %v", got, err)
	}
	if got, err := find("./rel"); err != nil || got != filepath.Join(home, "w/rel") {
		t.Errorf("a path: %q, %v", got, err)
	}
	if got, err := find("~/w/rel"); err != nil || got != filepath.Join(home, "w/rel") {
		t.Errorf("a path below home: %q, %v", got, err)
	}
	for name, says := range map[string][]string{
		"plain":   {onPath},
		"nvmonly": {onPath, filepath.Join(home, ".nvm/versions/node/v20/bin/nvmonly"), "start-up file"},
		"callers": {filepath.Join(home, "venv/callers"), "start-up file"},
		"./gone":  {"./gone is no program"},
		"*":       {"* is not on the PATH"},
	} {
		_, err := find(name)
		var nf *NotFoundError
		if !errors.As(err, &nf) || nf.Name != name {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, s := range says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: it does not say %q: %v", name, s, err)
			}
		}
	}
	keeps = true
	if got, err := find("callers"); err != nil || got != filepath.Join(home, "venv/callers") {
		t.Errorf("a shell that keeps the caller's PATH: %q, %v", got, err)
	}
}
