package tui

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/vt"
)

func TestReadReview(t *testing.T) {
	dir := t.TempDir()
	env := append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		cmd.Env = env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q", "-b", "main")
	write("a", "one\n")
	git("add", "a")
	write("b", "unknown\n")
	if got := readReview(t.Context(), env, reviewEffect{Dir: dir}); got.Err != nil || !strings.Contains(got.Text, "+one") || !strings.Contains(got.Text, "+unknown") {
		t.Errorf("before the first commit: %v\n%s", got.Err, got.Text)
	}
	if got := readReview(t.Context(), env, reviewEffect{Dir: dir, What: reviewHistory}); got.Err == nil || !strings.Contains(got.Err.Error(), "no commits yet") {
		t.Errorf("its history: %v", got.Err)
	}
	git("commit", "-q", "-m", "first")
	git("checkout", "-q", "-b", "work")
	write("a", "two\n")
	git("commit", "-q", "-a", "-m", "second")
	write("a", "three\n")
	write("b", "new\n")
	for what, want := range map[review][]string{
		reviewChanges: {"-two", "+three", "+++ b/b\n@@ -0,0 +1,1 @@\n+new\n"},
		reviewBase:    {"-one", "+three", "+new\n"},
		reviewHistory: {"a: second", "a: first"},
	} {
		got := readReview(t.Context(), env, reviewEffect{Dir: dir, What: what})
		if got.Err != nil {
			t.Fatal(got.Err)
		}
		for _, w := range want {
			if !strings.Contains(got.Text, w) {
				t.Errorf("%v: no %q in\n%s", what, w, got.Text)
			}
		}
	}
	got := readReview(t.Context(), env, reviewEffect{Dir: dir, What: reviewCommit, Commit: "HEAD"})
	before, files := parseDiff(got.Text)
	if len(files) != 1 || files[0].name != "a" || files[0].added != 1 || files[0].removed != 1 || !strings.Contains(strings.Join(before, "\n"), "second") {
		t.Errorf("a commit: %q, %+v", before, files)
	}
	if got := readReview(t.Context(), env, reviewEffect{Dir: t.TempDir()}); got.Err == nil || !strings.Contains(got.Err.Error(), "not a git repository") {
		t.Errorf("no repository: %v", got.Err)
	}
}

// TestReview goes between the three and does not take an answer for another.
func TestReview(t *testing.T) {
	d := full(t, 100, 30, nil)
	take[Effect](d)
	d.press("d")
	asked := take[reviewEffect](d)
	if len(asked) != 1 || asked[0].Dir != "/home/u/shop" {
		t.Fatalf("%+v", asked)
	}
	d.press("h")
	d.say(reviewMsg{Effect: asked[0], Text: "stale"})
	if strings.Contains(d.screen(), "stale") {
		t.Error("the changes are shown as the history")
	}
	d.say(reviewMsg{Effect: take[reviewEffect](d)[0], Text: strings.Repeat("abc123 a commit\n", 200)})
	if s := d.screen(); !strings.Contains(s, "history (") || !strings.Contains(s, "abc123 a commit") {
		t.Errorf("%s", s)
	}
	d.press("G")
	if s := d.screen(); !strings.Contains(s, "200 of 200 lines") {
		t.Errorf("the end:\n%s", s)
	}
	if d.press("esc"); d.m.overlay != nil {
		t.Error("Esc does not close it")
	}
}

func TestParseDiff(t *testing.T) {
	before, files := parseDiff("abc1234 subject\nsomebody, today\n\n" +
		"diff --git a/old name.go b/new name.go\nsimilarity index 90%\nrename from old name.go\nrename to new name.go\n--- a/old name.go\n+++ b/new name.go\t\n" +
		"@@ -3,4 +3,5 @@ func x()\n same\r\n-gone\n+new\n+more\n same\n\\ No newline at end of file\n" +
		"diff --git \"a/\\303\\244\" \"b/\\303\\244\"\ndeleted file mode 100644\nBinary files a/x and /dev/null differ\n")
	if len(before) != 3 || before[0] != "abc1234 subject" || len(files) != 2 {
		t.Fatalf("%q, %d files", before, len(files))
	}
	f := files[0]
	if f.title() != "new name.go (was old name.go) +2 -1" {
		t.Errorf("%q", f.title())
	}
	want := []diffLine{{' ', "same", 3, 3}, {'-', "gone", 4, 0}, {'+', "new", 0, 4}, {'+', "more", 0, 5}, {' ', "same", 5, 6}}
	if len(f.hunks) != 1 || !slices.Equal(f.hunks[0].lines, want) {
		t.Errorf("%+v", f.hunks)
	}
	if files[1].title() != "ä (deleted binary)" {
		t.Errorf("%q", files[1].title())
	}
	var pairs [][2]int
	for _, r := range f.hunks[0].rows(nil, 0, 0, true) {
		pairs = append(pairs, [2]int{r.left, r.right})
	}
	if !slices.Equal(pairs, [][2]int{{0, 0}, {1, 2}, {-1, 3}, {4, 4}}) {
		t.Errorf("side by side: %v", pairs)
	}
}

// TestReviewColours has code in the colours of its language, on the ground of
// what was added and taken out, in each theme.
func TestReviewColours(t *testing.T) {
	for _, theme := range ThemeNames() {
		d := full(t, 130, 40, func(s *Setup) { s.Looks.Theme = theme })
		take[Effect](d)
		d.press("d")
		d.say(reviewMsg{Effect: take[reviewEffect](d)[0], Text: aDiff})
		at := func(text string) vt.Cell {
			t.Helper()
			for y, l := range strings.Split(d.screen(), "\n") {
				if i := strings.Index(l, text); i >= 0 {
					return d.c.Term.Cell(vt.StringWidth(l[:i]), y)
				}
			}
			t.Fatalf("%s: no %q:\n%s", theme, text, d.screen())
			return vt.Cell{}
		}
		keyword, comment, plain := at("func x() {"), at("// words"), at("old :=")
		if keyword.Style.FG == plain.Style.FG || comment.Style == plain.Style {
			t.Errorf("%s: keyword %+v, comment %+v, plain %+v", theme, keyword.Style, comment.Style, plain.Style)
		}
		added, removed := at("new := 1"), plain
		if grounds := !added.Style.BG.IsDefault() && !removed.Style.BG.IsDefault(); grounds != (theme != "terminal") {
			t.Errorf("%s: grounds %v", theme, grounds)
		}
		if theme == "terminal" {
			for y := range 40 {
				for x := range 130 {
					s := d.c.Term.Cell(x, y).Style
					for _, c := range []vt.Color{s.FG, s.BG} {
						if i, ok := c.Index(); !c.IsDefault() && (!ok || i > 15) {
							t.Fatalf("%d,%d has %v, which is none of the 16", x, y, c)
						}
					}
				}
			}
		}
		if s := d.screen(); !strings.Contains(s, "│  11 +     new := 1") {
			t.Errorf("not side by side:\n%s", s)
		}
		d.press("u")
		if s := d.screen(); strings.Contains(s, "│  11 +     new := 1") || !strings.Contains(s, "   11 +     new := 1") {
			t.Errorf("not unified:\n%s", s)
		}
	}
}

// TestEditFromReview opens the file of the row at its line.
func TestEditFromReview(t *testing.T) {
	d := full(t, 130, 40, nil)
	take[Effect](d)
	d.press("d")
	d.say(reviewMsg{Effect: take[reviewEffect](d)[0], Top: "/home/u", Text: aDiff})
	v := d.m.overlay.(*reviewView)
	d.screen()
	for i, r := range v.rows {
		if r.hunk >= 0 && r.right == 2 {
			v.at = i
		}
	}
	d.press("e")
	calls := take[callEffect](d)
	if len(calls) != 1 {
		t.Fatalf("%+v", calls)
	}
	if r := calls[0].Request.(api.RunRequest); r.Command != "exec vim +11 'parser.go'" || r.Dir != "/home/u" {
		t.Errorf("%+v", r)
	}
	d.say(calledMsg{Effect: calls[0], Reply: &api.SpawnReply{Target: linkOf(9), Title: "edit parser.go"}})
	if l := d.m.tree().leaves(); len(l) != 2 || l[1].Session != linkOf(9) || d.m.focus != onPane {
		t.Errorf("the editor is not in a pane beside: %d panes", len(l))
	}
	for _, tt := range [][2]string{
		{editCommand("code -w", "a b.go", 7), `exec code -w --goto 'a b.go:7'`},
		{editCommand("/usr/bin/hx", "it's", 3), `exec /usr/bin/hx 'it'\''s:3'`},
		{editCommand("vim", "-x", 0), `exec vim './-x'`},
		{editCommand("ed", "a", 9), `exec ed 'a'`},
	} {
		if tt[0] != tt[1] {
			t.Errorf("%s, want %s", tt[0], tt[1])
		}
	}
}

func TestReadFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.go", "b/c.go", ".git-like/x", "d"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := readFiles(t.Context(), []string{"PATH=" + os.Getenv("PATH"), "GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir)}, filesEffect{dir})
	if want := []string{"a.go", "b/c.go", "d"}; got.Err != nil || !slices.Equal(got.Files, want) {
		t.Errorf("%q %v", got.Files, got.Err)
	}
	d := full(t, 120, 40, nil)
	take[Effect](d)
	d.press("e")
	d.say(filesMsg{Effect: take[filesEffect](d)[0], Files: got.Files})
	d.press("c.go", "enter")
	calls := take[callEffect](d)
	if len(calls) != 1 || calls[0].Request.(api.RunRequest).Command != "exec vim 'b/c.go'" {
		t.Errorf("%+v", calls)
	}
}
