package tui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/termio-sh/termio/vt"
)

// What a review shows of a worktree.
type review uint8

const (
	reviewChanges review = iota // against the commit that is checked out
	reviewBase                  // against where its branch left the main one
	reviewHistory
)

func (r review) String() string {
	return [...]string{"changes", "changes since the base branch", "history"}[r]
}

// reviewEffect reads a worktree; what was read comes as reviewMsg.
type reviewEffect struct {
	Dir  string
	What review
}

type reviewMsg struct {
	Effect reviewEffect
	Text   string
	Err    error
}

// reviewView shows what git says of a session's worktree. It changes nothing
// there.
type reviewView struct {
	dir   string
	what  review
	lines []string // nil until they came
	error string
	first int
	room  int // lines that were shown last
}

// wide views take all columns.
func (*reviewView) wide() {}

func (m *Model) openReview() []Effect {
	v := &reviewView{dir: m.where()}
	if m.focus == onPane && m.active != nil {
		if s := m.fleet.get(m.active.Session); s != nil && s.Project != "" {
			v.dir = s.Project
			if s.Worktree != "" {
				v.dir = s.Worktree
			}
		}
	}
	m.overlay = v
	return []Effect{reviewEffect{v.dir, v.what}}
}

func (m *Model) reviewed(msg reviewMsg) {
	v, ok := m.overlay.(*reviewView)
	if !ok || msg.Effect != (reviewEffect{v.dir, v.what}) {
		return
	}
	v.first, v.error = 0, ""
	v.lines = strings.Split(strings.TrimRight(clean(msg.Text), "\n"), "\n")
	if msg.Err != nil {
		v.lines, v.error = nil, oneLine(msg.Err.Error())
	} else if strings.TrimSpace(msg.Text) == "" {
		v.lines = []string{"nothing has changed"}
	}
}

func (v *reviewView) key(m *Model, k tea.KeyPressMsg) []Effect {
	was := v.what
	switch k.String() {
	case "j", "down":
		v.first++
	case "k", "up":
		v.first--
	case "pgdown", "ctrl+f", "space":
		v.first += v.room
	case "pgup", "ctrl+b":
		v.first -= v.room
	case "g", "home":
		v.first = 0
	case "G", "end":
		v.first = len(v.lines)
	case "]", "n":
		v.file(1)
	case "[", "N":
		v.file(-1)
	case "c":
		v.what = reviewChanges
	case "b":
		v.what = reviewBase
	case "h":
		v.what = reviewHistory
	case "r":
		return []Effect{reviewEffect{v.dir, v.what}}
	default:
		m.overlay = nil
	}
	v.first = max(min(v.first, len(v.lines)-v.room), 0)
	if v.what != was {
		v.lines = nil
		return []Effect{reviewEffect{v.dir, v.what}}
	}
	return nil
}

// file goes to the next file, or back.
func (v *reviewView) file(step int) {
	for i := v.first + step; i >= 0 && i < len(v.lines); i += step {
		if strings.HasPrefix(v.lines[i], "diff --git ") {
			v.first = i
			return
		}
	}
}

func (*reviewView) paste(*Model, string) {}

func (v *reviewView) view(m *Model, w, h int) (string, []string, string) {
	v.room = h
	v.first = max(min(v.first, len(v.lines)-h), 0)
	title := projectName(v.dir) + ": " + v.what.String()
	keys := "c changes  b base  h history  ] next file  r again  Esc close"
	switch {
	case v.error != "":
		return title, wrap(v.error, w), keys
	case v.lines == nil:
		return title, []string{"asking git"}, keys
	}
	var lines []string
	for _, l := range v.lines[v.first:min(v.first+h, len(v.lines))] {
		lines = append(lines, m.diffLine(vt.Truncate(l, w, m.glyphs.Ellipsis)))
	}
	if len(v.lines) > h {
		title += fmt.Sprintf(" (%d of %d lines)", min(v.first+h, len(v.lines)), len(v.lines))
	}
	return title, lines, keys
}

// diffLine is a line of a unified diff in its colours.
func (m *Model) diffLine(l string) string {
	for _, p := range []struct {
		prefix string
		style  func(...string) string
	}{
		{"diff --git ", m.theme.Bold.Render},
		{"+++ ", m.theme.Dim.Render},
		{"--- ", m.theme.Dim.Render},
		{"index ", m.theme.Dim.Render},
		{"@@", m.theme.Working.Render},
		{"+", m.theme.Done.Render},
		{"-", m.theme.Error.Render},
	} {
		if strings.HasPrefix(l, p.prefix) {
			return p.style(l)
		}
	}
	return m.theme.Plain.Render(l)
}

const (
	gitFor     = 20 * time.Second
	reviewMost = 4 << 20 // bytes of a diff that are shown
)

// readReview asks git. Nothing is written, not even git's index, and no program
// that the repository names is run.
func readReview(ctx context.Context, env []string, e reviewEffect) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitFor)
	defer cancel()
	git := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-C", e.Dir, "--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false"}, args...)...)
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
	if _, err := git("rev-parse", "--show-toplevel"); err != nil {
		return "", err
	}
	diff := func(from string) (string, error) {
		text, err := git("diff", "--no-color", "--no-ext-diff", "--no-textconv", "--stat", "--patch", from, "--")
		if err != nil {
			return "", err
		}
		more, err := git("ls-files", "--others", "--exclude-standard")
		if err == nil && strings.TrimSpace(more) != "" {
			text = "new files that git does not know:\n " + strings.ReplaceAll(strings.TrimSpace(more), "\n", "\n ") + "\n\n" + text
		}
		return text, err
	}
	switch e.What {
	case reviewHistory:
		return git("log", "--no-color", "--date=short", "--format=%h %ad %an: %s", "-n", "500")
	case reviewBase:
		for _, branch := range []string{"origin/HEAD", "origin/main", "origin/master", "main", "master"} {
			if base, err := git("merge-base", "HEAD", branch); err == nil {
				return diff(strings.TrimSpace(base))
			}
		}
		return "", errors.New("there is no main or master branch to compare with")
	}
	return diff("HEAD")
}
