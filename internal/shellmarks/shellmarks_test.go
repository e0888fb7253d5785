package shellmarks

import (
	"slices"
	"strings"
	"testing"
)

// What the launch takes it keeps to be given back, and a path reaches the shell
// as it is.
func TestFor(t *testing.T) {
	env := []string{"A=1", "ENV=/of/the/user", "TERMIO_SHELL_ENV=old", "ZDOTDIR=/z"}
	l, ok := For("/usr/bin/bash", "/d $x`y\"\\", env)
	want := []string{"A=1", "ZDOTDIR=/z", "ENV=/d \\$x\\`y\\\"\\\\/termio.bash", "TERMIO_SHELL_ENV=/of/the/user"}
	if !ok || !slices.Equal(l.Env, want) || !slices.Equal(l.Argv, []string{"/usr/bin/bash", "--posix", "-il"}) || l.Name != "termio.bash" {
		t.Errorf("bash: %+v, %v", l, ok)
	}
	if l, _ := For("/bin/bash2/bash", "/d", []string{"TERMIO_SHELL_ENV=old"}); !slices.Equal(l.Env, []string{"ENV=/d/termio.bash"}) {
		t.Errorf("without ENV: %v", l.Env)
	}
	if l, ok := For("/bin/zsh", "/d", env); ok && (l.Name != ".zshenv" || !slices.Contains(l.Env, "ZDOTDIR=/d") || !slices.Contains(l.Env, "TERMIO_ZDOTDIR=/z")) {
		t.Errorf("zsh: %+v", l)
	}
	l, ok = For("/usr/bin/fish", `/it's \`, env)
	if !ok || l.Argv[len(l.Argv)-1] != `source '/it\'s \\/termio.fish'` || !slices.Equal(l.Env, env) {
		t.Errorf("fish: %+v, %v", l, ok)
	}
	for _, other := range []string{"/bin/sh", "/bin/dash", "/bin/rbash", "/usr/bin/nu", "", "/bin/bash/"} {
		if l, ok := For(other, "/d", env); ok && !strings.HasSuffix(other, "bash/") {
			t.Errorf("%q is started as %v", other, l.Argv)
		}
	}
	if len(env) != 4 || env[1] != "ENV=/of/the/user" {
		t.Errorf("the environment was changed: %v", env)
	}
}
