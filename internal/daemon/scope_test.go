//go:build unix

package daemon

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/api"
)

// variable runs a command in a session that shows a variable of its
// environment, and returns the value.
func (h *home) variable(target, name string) string {
	h.Helper()
	if _, err := h.client.Send(h.Context(), api.SendRequest{Caller: h.caller(), Target: target, Text: "echo \"<" + name + "=$" + name + ">\"", Enter: true}); err != nil {
		h.Fatal(err)
	}
	value := ""
	shown := regexp.MustCompile(`(?m)^<` + name + `=([^$>]*)>$`)
	h.eventually(name+" is shown", func() bool {
		m := shown.FindStringSubmatch(h.screen(target))
		if m != nil {
			value = m[1]
		}
		return m != nil
	})
	return value
}

func TestCallerInsideASession(t *testing.T) {
	h := newHome(t)
	ctx := t.Context()
	os.Setenv("TMUX", "not for sessions")
	defer os.Unsetenv("TMUX")
	mine := h.run("clear")
	otherDir := filepath.Join(filepath.Dir(h.dir), "other")
	if err := os.Mkdir(otherDir, 0o700); err != nil {
		t.Fatal(err)
	}
	other, err := h.client.Run(ctx, api.RunRequest{Caller: api.Caller{Cwd: otherDir}, Command: "true", Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	id := strings.TrimPrefix(mine, "termio://session/")
	token := h.variable(mine, "TERMIO_TOKEN")
	if len(token) < 40 {
		t.Fatalf("token %q", token)
	}
	saved, err := os.ReadFile(filepath.Join(h.layout.SessionDir(id), tokenName))
	if err != nil || strings.Contains(string(saved), token) {
		t.Errorf("the token is on disk as it is: %s, %v", saved, err)
	}

	inside := api.Caller{Session: id, Token: token, Cwd: otherDir}
	list, err := h.client.List(ctx, api.ListRequest{Caller: inside})
	if err != nil || list.Project != "demo" || len(list.Sessions) != 1 || list.Sessions[0].Link != mine {
		t.Errorf("inside: %+v, %v", list, err)
	}
	_, err = h.client.Read(ctx, api.ReadRequest{Caller: inside, Target: other.Target})
	refused(t, err, api.CodeNotFound)
	if strings.Contains(err.Error(), "other") {
		t.Errorf("it tells of another project: %v", err)
	}
	sibling, err := h.client.Run(ctx, api.RunRequest{Caller: inside, Command: "true", Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	if rec := h.record(sibling.Target); rec.Project != h.dir || rec.Parent != id || rec.Dir != otherDir {
		t.Errorf("a sibling: %+v", rec)
	}
	fromSibling := api.Caller{
		Session: strings.TrimPrefix(sibling.Target, "termio://session/"), Token: h.variable(sibling.Target, "TERMIO_TOKEN"), Cwd: h.dir,
	}
	for _, tt := range []struct {
		who    api.Caller
		target string
		inside bool
	}{
		{inside, mine, true},
		{fromSibling, mine, true},
		{fromSibling, sibling.Target, true},
		{inside, sibling.Target, false},
		{h.caller(), mine, false},
	} {
		r, err := h.client.Resolve(ctx, api.TargetRequest{Caller: tt.who, Target: tt.target})
		if err != nil || r.Inside != tt.inside {
			t.Errorf("%s from %q: inside is %v, want %v; %v", tt.target, tt.who.Session, r.Inside, tt.inside, err)
		}
	}
	_, err = h.client.Open(ctx, api.OpenRequest{Caller: inside, Dir: otherDir})
	refused(t, err, api.CodeNoScope)

	for name, c := range map[string]api.Caller{
		"no token":         {Session: id, Cwd: h.dir},
		"a token made up":  {Session: id, Token: strings.Repeat("A", 43), Cwd: h.dir},
		"another's token":  {Session: strings.TrimPrefix(other.Target, "termio://session/"), Token: token, Cwd: h.dir},
		"no such session":  {Session: "00000000-0000-4000-8000-000000000000", Token: token, Cwd: h.dir},
		"out by --all":     {Session: id, Token: token, All: true},
		"out by --project": {Session: id, Token: token, Project: otherDir},
		"a path for an id": {Session: "../../../etc", Token: token},
	} {
		_, err := h.client.List(ctx, api.ListRequest{Caller: c})
		if code(err) != api.CodeNoScope {
			t.Errorf("%s: %v", name, err)
		}
	}
	h.kill9()
	if list, err := h.client.List(ctx, api.ListRequest{Caller: inside}); err != nil || len(list.Sessions) != 2 {
		t.Errorf("the next coordinator does not know the token: %+v, %v", list, err)
	}
	for name, want := range map[string]string{
		"TERMIO_SESSION": id, "TERMIO_SOCK": h.layout.HostSocket(id), "TERMIO_HOME": h.layout.Home,
		"TERM": "xterm-256color", "TERM_PROGRAM": "termio", "TMUX": "", "PWD": h.dir,
	} {
		if got := h.variable(mine, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestCallerOutside(t *testing.T) {
	h := newHome(t)
	ctx := t.Context()
	target := h.run("true")
	list := func(c api.Caller) (api.ListReply, error) { return h.client.List(ctx, api.ListRequest{Caller: c}) }

	sub := filepath.Join(h.dir, "a", "b")
	if err := os.MkdirAll(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	linked := filepath.Join(outside, "link")
	if err := os.Symlink(sub, linked); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]api.Caller{
		"below":            {Cwd: sub},
		"through a link":   {Cwd: linked},
		"--project":        {Cwd: "/", Project: h.dir},
		"--all":            {All: true},
		"--all, no cwd":    {All: true, Cwd: "/gone"},
		"--project, below": {Cwd: "/gone", Project: sub},
	} {
		if r, err := list(c); err != nil || len(r.Sessions) != 1 || r.Sessions[0].Link != target {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if r, err := list(api.Caller{Cwd: outside}); err != nil || r.Project != filepath.Base(outside) || len(r.Sessions) != 0 {
		t.Errorf("an unregistered directory: %+v, %v", r, err)
	}
	_, err := list(api.Caller{Cwd: filepath.Join(h.dir, "gone")})
	refused(t, err, api.CodeNoScope, "gone", "--project")
	_, err = list(api.Caller{Project: "/no/such"})
	refused(t, err, api.CodeNoScope, "/no/such")
	_, err = list(api.Caller{})
	refused(t, err, api.CodeNoScope, "--all")
	_, err = list(api.Caller{All: true, Project: h.dir})
	refused(t, err, api.CodeBadRequest)
	_, err = h.client.Read(ctx, api.ReadRequest{Caller: api.Caller{Cwd: outside}, Target: target})
	refused(t, err, api.CodeNotFound, "--project "+h.dir)
}

func TestOpen(t *testing.T) {
	h := newHome(t)
	ctx := t.Context()
	sub := filepath.Join(h.dir, "nested")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	first, err := h.client.Open(ctx, api.OpenRequest{Caller: h.caller()})
	if err != nil || !first.New || first.Dir != h.dir || first.Project != "demo" || first.Sessions == nil {
		t.Fatalf("open: %+v, %v", first, err)
	}
	if again, err := h.client.Open(ctx, api.OpenRequest{Caller: h.caller(), Dir: h.dir}); err != nil || again.New {
		t.Errorf("again: %+v, %v", again, err)
	}
	target := h.run("true")
	nested, err := h.client.Open(ctx, api.OpenRequest{Caller: h.caller(), Dir: sub})
	if err != nil || !nested.New || nested.Dir != sub || len(nested.Sessions) != 0 {
		t.Errorf("nested: %+v, %v", nested, err)
	}
	if r, err := h.client.Open(ctx, api.OpenRequest{Caller: h.caller()}); err != nil || len(r.Sessions) != 1 || r.Sessions[0].Link != target {
		t.Errorf("with a session: %+v, %v", r, err)
	}
	_, err = h.client.Open(ctx, api.OpenRequest{Caller: h.caller(), Dir: filepath.Join(h.dir, "gone")})
	refused(t, err, api.CodeBadRequest, "gone")
	h.kill9()
	if r, err := h.client.List(ctx, api.ListRequest{Caller: api.Caller{Cwd: sub}}); err != nil || r.Project != "nested" {
		t.Errorf("the next coordinator: %+v, %v", r, err)
	}
}

func TestWorktreesBelongToTheirProject(t *testing.T) {
	h := newHome(t)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", h.dir, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git %v: %v: %s", args, err, out)
		}
	}
	tree := filepath.Join(filepath.Dir(h.dir), "fix")
	git("init", "-q", "-b", "trunk")
	git("commit", "-q", "--allow-empty", "-m", "one")
	git("worktree", "add", "-q", "-b", "fix", tree)
	inMain := h.run("true")
	inTree, err := h.client.Run(t.Context(), api.RunRequest{Caller: api.Caller{Cwd: tree}, Command: "true", Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{h.dir, tree} {
		r, err := h.client.List(t.Context(), api.ListRequest{Caller: api.Caller{Cwd: dir}})
		if err != nil || r.Project != "demo" || len(r.Sessions) != 2 {
			t.Fatalf("seen from %s: %+v, %v", dir, r, err)
		}
		if a, b := r.Sessions[0], r.Sessions[1]; a.Link != inMain || a.Worktree != "" || b.Link != inTree.Target || b.Worktree != tree || b.Project != h.dir {
			t.Errorf("seen from %s: %+v", dir, r.Sessions)
		}
	}
	open, err := h.client.Open(t.Context(), api.OpenRequest{Caller: h.caller()})
	want := []api.Worktree{{Dir: h.dir, Branch: "trunk"}, {Dir: tree, Branch: "fix"}}
	if err != nil || !slices.Equal(open.Worktrees, want) {
		t.Errorf("open: %+v, %v", open, err)
	}
}
