package project

import "testing"

func TestFind(t *testing.T) {
	const home = "/home/u"
	repo := func(top string) Place { return Place{Top: top, Main: top} }
	linked := Place{Top: "/wt/fix", Main: "/code/app"}
	for _, c := range []struct {
		name  string
		dir   string
		at    Place
		roots []string
		want  string
	}{
		{"nothing registered, no repository", "/tmp/x", Place{}, nil, "/tmp/x"},
		{"nothing registered, below a repository's root", "/code/app/src", repo("/code/app"), nil, "/code/app"},
		{"registered directory", "/data/set/a", Place{}, []string{"/data/set"}, "/data/set"},
		{"longest match", "/code/app/pkg/a/src", repo("/code/app"), []string{"/code/app", "/code/app/pkg/a", "/code"}, "/code/app/pkg/a"},
		{"longest match, other order", "/code/app/pkg/a/src", repo("/code/app"), []string{"/code/app/pkg/a", "/code/app"}, "/code/app/pkg/a"},
		{"a name is no prefix", "/code/app2", Place{}, []string{"/code/app"}, "/code/app2"},
		{"linked worktree, nothing registered", "/wt/fix/src", linked, nil, "/code/app"},
		{"linked worktree of a registered project", "/wt/fix/src", linked, []string{"/code/app"}, "/code/app"},
		{"linked worktree, nested project of the main one", "/wt/fix/pkg/a/x", linked, []string{"/code/app", "/code/app/pkg/a"}, "/code/app/pkg/a"},
		{"linked worktree registered itself", "/wt/fix/src", linked, []string{"/code/app", "/wt/fix"}, "/wt/fix"},
		{"repository below a registered plain directory", "/code/app/src", repo("/code/app"), []string{"/code"}, "/code/app"},
		{"home swallows nothing", "/home/u/notes", Place{}, []string{home}, "/home/u/notes"},
		{"home is itself", home, Place{}, []string{home}, home},
		{"a repository of the whole home", "/home/u/notes", repo(home), nil, "/home/u/notes"},
		{"the root swallows nothing", "/srv/x", Place{}, []string{"/"}, "/srv/x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := find(c.dir, c.roots, home, c.at); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestParseWorktrees(t *testing.T) {
	out := "worktree /code/app.git\x00bare\x00\x00" +
		"worktree /code/app\x00HEAD 1\x00branch refs/heads/main\x00\x00" +
		"worktree /wt/with space\nand newline\x00HEAD 1\x00branch refs/heads/feat/x\x00locked\x00\x00" +
		"worktree /wt/gone\x00HEAD 1\x00detached\x00prunable gitdir file points to non-existent location\x00\x00" +
		"worktree /wt/detached\x00HEAD 1\x00detached\x00\x00"
	want := []Worktree{
		{"/code/app", "main"},
		{"/wt/with space\nand newline", "feat/x"},
		{"/wt/detached", ""},
	}
	got := parseWorktrees([]byte(out))
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%d: got %+v, want %+v", i, got[i], want[i])
		}
	}
}
