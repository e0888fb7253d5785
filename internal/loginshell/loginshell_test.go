package loginshell

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArgs(t *testing.T) {
	for _, c := range []struct {
		shell, line string
		want        []string
	}{
		{"/bin/bash", "", []string{"/bin/bash", "-il"}},
		{"/bin/bash", "exec claude --model x", []string{"/bin/bash", "-ilc", "exec claude --model x"}},
		{"/usr/bin/fish", "claude", []string{"/usr/bin/fish", "-ilc", "claude"}},
		{"/bin/tcsh", "claude", []string{"/bin/tcsh", "-c", "claude"}},
		{"/bin/tcsh", "", []string{"/bin/tcsh", "-l"}},
		{"/usr/bin/nu", "claude", []string{"/usr/bin/nu", "-l", "-i", "-c", "claude"}},
		{"/usr/bin/nu", "", []string{"/usr/bin/nu", "-l", "-i"}},
	} {
		if diff := cmp.Diff(c.want, Args(c.shell, c.line)); diff != "" {
			t.Errorf("%s %q: %s", c.shell, c.line, diff)
		}
	}
}
