package tui

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// What a review shows of a worktree.
type review uint8

const (
	reviewChanges review = iota // against the commit that is checked out
	reviewBase                  // against where its branch left the main one
	reviewHistory
	reviewCommit // of the history
)

func (r review) String() string {
	return [...]string{"changes", "changes since the base branch", "history", "commit"}[r]
}

// reviewEffect reads a worktree; what was read comes as reviewMsg.
type reviewEffect struct {
	Dir    string
	What   review
	Commit string
}

type reviewMsg struct {
	Effect reviewEffect
	Top    string // the worktree's root, which names are from
	Text   string
	Err    error
}

// reviewView shows what git says of a session's worktree. It changes nothing
// there.
type reviewView struct {
	asked  reviewEffect
	top    string // the worktree's root
	before []string
	files  []*diffFile
	rows   []reviewRow // nil until they came
	side   bool        // how the rows were laid out
	choice byte        // 'u' unified, 's' side by side, 0 as there is room
	error  string
	at     int // the row that the cursor is on
	first  int
	left   int         // columns that long lines are moved by
	room   int         // lines that were shown last
	above  *reviewView // the history that a commit was chosen in
}

// wide views take all columns.
func (*reviewView) wide() {}

func (m *Model) openReview() []Effect {
	v := &reviewView{asked: reviewEffect{Dir: m.place()}}
	m.overlay = v
	return []Effect{v.asked}
}

func (m *Model) reviewed(msg reviewMsg) {
	v, ok := m.overlay.(*reviewView)
	if !ok || msg.Effect != v.asked {
		return
	}
	v.at, v.first, v.left, v.error, v.top = 0, 0, 0, "", msg.Top
	v.before, v.files = nil, nil
	text := strings.TrimRight(msg.Text, "\n")
	switch {
	case msg.Err != nil:
		v.rows, v.error = []reviewRow{}, oneLine(msg.Err.Error())
		return
	case strings.TrimSpace(text) == "":
		v.before = []string{"nothing has changed"}
	case msg.Effect.What == reviewHistory:
		v.rows = nil
		for l := range strings.SplitSeq(clean(text), "\n") {
			commit, _, _ := strings.Cut(l, " ")
			v.rows = append(v.rows, reviewRow{text: l, commit: commit, file: -1, hunk: -1})
		}
		return
	default:
		v.before, v.files = parseDiff(text)
	}
	v.rows = rowsOf(v.before, v.files, v.side)
}

// sideFrom is the width from which two texts stand beside one another.
const sideFrom = 100

// lay lays the rows out anew where the width or the person wants another way.
func (v *reviewView) lay(w int) {
	side := v.choice == 's' || v.choice == 0 && w >= sideFrom
	if side == v.side || v.asked.What == reviewHistory {
		return
	}
	was := reviewRow{file: -1, hunk: -1}
	if v.at < len(v.rows) {
		was = v.rows[v.at]
	}
	v.side = side
	if v.rows == nil || v.error != "" {
		return
	}
	v.rows = rowsOf(v.before, v.files, side)
	v.at = min(v.at, max(len(v.rows)-1, 0))
	for i, r := range v.rows { // where one was, roughly
		if r.file == was.file && r.hunk == was.hunk && r.head == was.head && was.file >= 0 {
			v.at = i
			break
		}
	}
}

func (v *reviewView) key(m *Model, k tea.KeyPressMsg) []Effect {
	ask := func(e reviewEffect) []Effect {
		v.asked, v.rows = e, nil
		return []Effect{e}
	}
	dir := v.asked.Dir
	switch k.String() {
	case "j", "down":
		v.at++
	case "k", "up":
		v.at--
	case "pgdown", "ctrl+f", "space":
		v.at, v.first = v.at+v.room, v.first+v.room
	case "pgup", "ctrl+b":
		v.at, v.first = v.at-v.room, v.first-v.room
	case "g", "home":
		v.at = 0
	case "G", "end":
		v.at = len(v.rows) - 1
	case "right", ">":
		v.left += 8
	case "left", "<":
		v.left = max(v.left-8, 0)
	case "]", "n":
		v.file(1)
	case "[", "N":
		v.file(-1)
	case "u":
		v.choice = 'u'
	case "s":
		v.choice = 's'
	case "c":
		return ask(reviewEffect{Dir: dir})
	case "b":
		return ask(reviewEffect{Dir: dir, What: reviewBase})
	case "h":
		return ask(reviewEffect{Dir: dir, What: reviewHistory})
	case "r":
		return ask(v.asked)
	case "e":
		return v.edit(m)
	case "enter":
		return v.choose(m)
	default:
		m.overlay = nil
		if v.above != nil {
			m.overlay = v.above
		}
	}
	v.at = max(min(v.at, len(v.rows)-1), 0)
	return nil
}

// choose goes to what the row names: a commit, a file of the list.
func (v *reviewView) choose(m *Model) []Effect {
	if v.at >= len(v.rows) {
		return nil
	}
	r := v.rows[v.at]
	switch {
	case r.commit != "":
		next := &reviewView{asked: reviewEffect{Dir: v.asked.Dir, What: reviewCommit, Commit: r.commit}, choice: v.choice, above: v}
		m.overlay = next
		return []Effect{next.asked}
	case r.file >= 0 && r.hunk < 0 && !r.head:
		for i, to := range v.rows {
			if to.head && to.file == r.file {
				v.at, v.first = i, i
			}
		}
		return nil
	}
	return v.edit(m)
}

// edit opens the row's file in the person's editor, at the row's line.
func (v *reviewView) edit(m *Model) []Effect {
	if v.at >= len(v.rows) || v.rows[v.at].file < 0 {
		m.say("this row is of no file")
		return nil
	}
	r := v.rows[v.at]
	f := v.files[r.file]
	line := 0
	if r.hunk >= 0 {
		for _, k := range []int{r.right, r.left} {
			if k >= 0 && line == 0 {
				line = f.hunks[r.hunk].lines[k].new
			}
		}
	}
	m.overlay = nil
	return m.edit(cmp.Or(v.top, v.asked.Dir), f.name, line)
}

// file goes to the next file, or back.
func (v *reviewView) file(step int) {
	for i := v.at + step; i >= 0 && i < len(v.rows); i += step {
		if v.rows[i].head {
			v.at, v.first = i, i
			return
		}
	}
}

func (*reviewView) paste(*Model, string) {}

func (v *reviewView) view(m *Model, w, h int) (string, []string, string) {
	v.lay(w)
	v.room = h
	if v.at < v.first || v.at >= v.first+h {
		v.first = window(v.first, v.at, len(v.rows), h)
	}
	v.first = max(min(v.first, len(v.rows)-h), 0)
	title := projectName(v.asked.Dir) + ": " + v.asked.What.String()
	if v.asked.Commit != "" {
		title += " " + v.asked.Commit
	}
	keys := "c changes  b base  h history  ] next file  e edit  u s layout  Esc close"
	if v.asked.What == reviewHistory {
		keys = "Enter see the commit  c changes  b base  Esc close"
	}
	switch {
	case v.error != "":
		return title, wrap(v.error, w), keys
	case v.rows == nil:
		return title, []string{"asking git"}, keys
	}
	var lines []string
	for i := v.first; i < min(v.first+h, len(v.rows)); i++ {
		lines = append(lines, v.row(m, i, w))
	}
	if len(v.rows) > h {
		title += fmt.Sprintf(" (%d of %d lines)", min(v.first+h, len(v.rows)), len(v.rows))
	}
	return title, lines, keys
}

const (
	gitFor     = 20 * time.Second
	reviewMost = 4 << 20 // bytes of a diff that are shown
)

// readReview asks git. Nothing is written, not even git's index, and no program
// that the repository names is run.
func readReview(ctx context.Context, env []string, e reviewEffect) reviewMsg {
	top, text, err := askGit(ctx, env, e)
	return reviewMsg{Effect: e, Top: top, Text: text, Err: err}
}

func askGit(ctx context.Context, env []string, e reviewEffect) (top, text string, err error) {
	ctx, cancel := context.WithTimeout(ctx, gitFor)
	defer cancel()
	git := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-C", e.Dir, "--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.quotepath=false"}, args...)...)
		cmd.Env = env
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		if err != nil {
			return "", fmt.Errorf("git %s: %w: %s", args[0], err, firstLine(errs.String()))
		}
		text := out.String()
		if len(text) > reviewMost {
			text = text[:reviewMost] + "\n(the rest is left out)"
		}
		return text, nil
	}
	if top, err = git("rev-parse", "--show-toplevel"); err != nil {
		return "", "", err
	}
	top = strings.TrimSuffix(top, "\n")
	diff := func(from string) (string, error) {
		text, err := git("diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "--patch", from, "--")
		if err != nil {
			return "", err
		}
		more, err := git("ls-files", "-z", "--others", "--exclude-standard", "--full-name", ":/")
		if err == nil {
			text += unknownFiles(top, more)
		}
		return text, err
	}
	_, none := git("rev-parse", "--verify", "--quiet", "HEAD")
	empty := none != nil // nothing was committed yet
	switch e.What {
	case reviewCommit:
		text, err = git("show", "--no-color", "--no-ext-diff", "--no-textconv", "--date=iso", "--first-parent", "-m", "--format=%h %s%n%an, %ad%n%n%b", "--patch", e.Commit, "--")
	case reviewHistory:
		if empty {
			return top, "", errors.New("there are no commits yet")
		}
		text, err = git("log", "--no-color", "--date=short", "--format=%h %ad %an: %s", "-n", "500")
	case reviewBase:
		err = errors.New("there is no main or master branch to compare with")
		for _, branch := range []string{"origin/HEAD", "origin/main", "origin/master", "main", "master"} {
			if base, e := git("merge-base", "HEAD", branch); e == nil {
				text, err = diff(strings.TrimSpace(base))
				break
			}
		}
	default:
		from := "HEAD"
		if empty {
			if from, err = git("hash-object", "-t", "tree", os.DevNull); err != nil {
				return top, "", err
			}
		}
		text, err = diff(strings.TrimSpace(from))
	}
	return top, text, err
}

// Bounds of files that git does not know and that are shown.
const (
	mostUnknown     = 50
	mostUnknownSize = 256 << 10
)

// unknownFiles are files that git does not know, as a diff that adds them.
func unknownFiles(top, list string) string {
	var b strings.Builder
	n := 0
	for name := range strings.SplitSeq(list, "\x00") {
		if name == "" {
			continue
		}
		if n++; n > mostUnknown {
			break
		}
		fmt.Fprintf(&b, "\ndiff --git a/%s b/%s\n%s\n+++ b/%s\n", name, name, unknownToGit, name)
		path := filepath.Join(top, name)
		st, err := os.Lstat(path)
		if err != nil || !st.Mode().IsRegular() || st.Size() > mostUnknownSize {
			continue
		}
		data, err := os.ReadFile(path)
		switch {
		case err != nil || len(data) == 0:
			continue
		case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
			fmt.Fprintf(&b, "Binary files /dev/null and b/%s differ\n", name)
			continue
		}
		lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		fmt.Fprintf(&b, "@@ -0,0 +1,%d @@\n", len(lines))
		for _, l := range lines {
			b.WriteString("+" + l + "\n")
		}
	}
	return b.String()
}
