//go:build unix

package paths

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func env(kv ...string) func(string) string {
	return func(k string) string {
		for i := 0; i < len(kv); i += 2 {
			if kv[i] == k {
				return kv[i+1]
			}
		}
		return ""
	}
}

func TestResolve(t *testing.T) {
	runtime := t.TempDir()
	open := t.TempDir()
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		env       []string
		home, run string
		def       bool
	}{
		{"default with a runtime directory", []string{"HOME", "/home/u", "XDG_RUNTIME_DIR", runtime}, "/home/u/.termio", runtime + "/termio", true},
		{"own home never shares it", []string{"HOME", "/home/u", "TERMIO_HOME", "/srv/t", "XDG_RUNTIME_DIR", runtime}, "/srv/t", "/srv/t/run", false},
		{"default home named outright", []string{"HOME", "/home/u", "TERMIO_HOME", "/home/u/.termio/", "XDG_RUNTIME_DIR", runtime}, "/home/u/.termio", runtime + "/termio", true},
		{"no user home needed", []string{"TERMIO_HOME", "/srv/t"}, "/srv/t", "/srv/t/run", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := Resolve(env(c.env...))
			if err != nil {
				t.Fatal(err)
			}
			if l.Home != c.home || l.Run != c.run || l.Default != c.def {
				t.Errorf("got %+v", l)
			}
		})
	}
	t.Run("runtime directory of others", func(t *testing.T) {
		l, err := Resolve(env("HOME", "/home/u", "XDG_RUNTIME_DIR", open))
		if err != nil || strings.HasPrefix(l.Run, open) {
			t.Errorf("got %+v, %v", l, err)
		}
	})
	t.Run("a relative home", func(t *testing.T) {
		l, err := Resolve(env("HOME", "/home/u", "TERMIO_HOME", "rel/home"))
		if err == nil || !strings.Contains(err.Error(), `TERMIO_HOME is "rel/home"`) {
			t.Errorf("got %+v, %v", l, err)
		}
	})
	t.Run("nothing set", func(t *testing.T) {
		if _, err := Resolve(env()); err == nil || !strings.Contains(err.Error(), "TERMIO_HOME") {
			t.Errorf("got %v", err)
		}
	})
}

func TestHostSocketIsShort(t *testing.T) {
	l := Layout{Home: "/h", Run: "/h/run"}
	if got := l.HostSocket("ab12cd34-9f2e-4c31-b8d7-3e5a12c90f44"); got != "/h/run/h/ab12cd349f2e.sock" {
		t.Errorf("got %s", got)
	}
}

func TestPrepare(t *testing.T) {
	home := filepath.Join(t.TempDir(), "h")
	l := Layout{Home: home, Run: filepath.Join(home, "run")}
	if err := l.Prepare(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{l.Home, l.AgentsDir(), l.SessionsDir(), l.LogsDir(), l.Run, filepath.Dir(l.HostSocket(""))} {
		if st, err := os.Stat(dir); err != nil || st.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", dir, st, err)
		}
	}
	if err := l.Prepare(); err != nil {
		t.Errorf("a second time: %v", err)
	}
}

func TestPrepareRefuses(t *testing.T) {
	t.Run("socket path too long", func(t *testing.T) {
		home := filepath.Join(t.TempDir(), strings.Repeat("x", MaxSocketPath))
		err := Layout{Home: home, Run: filepath.Join(home, "run")}.Prepare()
		var e *SocketPathError
		if !errors.As(err, &e) || e.Limit != MaxSocketPath || !strings.Contains(err.Error(), "shorter") {
			t.Errorf("got %v", err)
		}
		if _, err := os.Stat(home); err == nil {
			t.Error("it made the directory first")
		}
	})
	t.Run("writable by others", func(t *testing.T) {
		home := t.TempDir()
		if err := os.Chmod(home, 0o777); err != nil {
			t.Fatal(err)
		}
		err := Layout{Home: home, Run: filepath.Join(home, "run")}.Prepare()
		if !errors.Is(err, ErrUnsafe) || !strings.Contains(err.Error(), "chmod go-w") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("cannot be made", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		home := filepath.Join(file, "h")
		err := Layout{Home: home, Run: filepath.Join(home, "run")}.Prepare()
		if err == nil || !strings.Contains(err.Error(), "TERMIO_HOME") {
			t.Errorf("got %v", err)
		}
	})
}

func TestLongestSocketFits(t *testing.T) {
	// The limit is the system's: a path of exactly that length can be bound.
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for n, want := range map[int]bool{MaxSocketPath: true, MaxSocketPath + 1: false} {
		path := filepath.Join(dir, strings.Repeat("x", n-len(dir)-1))
		if got := canBind(path); got != want {
			t.Errorf("bind to %d bytes: %v, want %v", n, got, want)
		}
	}
}
