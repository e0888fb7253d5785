package daemon

import (
	"slices"
	"testing"

	"github.com/termio-sh/termio/internal/shellenv"
)

// Rows 36, 39: the caller's environment counts before the login shell's, the
// manifest only fills, and the PATH is that of both.
func TestRow036AgentEnvironment(t *testing.T) {
	env := mergeEnv(
		[]string{"A=caller", "PATH=/c:/both", "Q=0"},
		[]string{"A=login", "B=line1\nline2", "PATH=/both:/l"},
		map[string]string{"Q": "1", "M": "manifest"},
	)
	for name, want := range map[string]string{"A": "caller", "B": "line1\nline2", "Q": "0", "M": "manifest", "PATH": "/c:/both:/l"} {
		if got := shellenv.Get(env, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if n := len(slices.DeleteFunc(env, func(kv string) bool { return kv[:2] != "A=" })); n != 1 {
		t.Errorf("A is there %d times", n)
	}
}
