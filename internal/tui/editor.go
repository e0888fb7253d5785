package tui

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/api"
)

// filesEffect asks for the files below a directory.
type filesEffect struct{ Dir string }

type filesMsg struct {
	Effect filesEffect
	Files  []string // relative to the directory
	Err    error
}

const (
	filesFor  = 10 * time.Second
	mostFiles = 50_000
)

// readFiles lists files: those that git knows or would add, or, outside of a
// repository, all but hidden ones.
func readFiles(ctx context.Context, env []string, e filesEffect) filesMsg {
	ctx, cancel := context.WithTimeout(ctx, filesFor)
	defer cancel()
	msg := filesMsg{Effect: e}
	cmd := exec.CommandContext(ctx, "git", "-C", e.Dir, "--no-optional-locks", "-c", "core.fsmonitor=false", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	cmd.Env = env
	if out, err := cmd.Output(); err == nil {
		for name := range bytes.SplitSeq(out, []byte{0}) {
			if len(name) > 0 && len(msg.Files) < mostFiles {
				msg.Files = append(msg.Files, string(name))
			}
		}
		return msg
	}
	msg.Err = filepath.WalkDir(e.Dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil || len(msg.Files) >= mostFiles:
			return filepath.SkipAll
		case err != nil:
			return nil // what cannot be read is not offered
		case path != e.Dir && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case d.Type().IsRegular():
			if name, err := filepath.Rel(e.Dir, path); err == nil {
				msg.Files = append(msg.Files, name)
			}
		}
		return nil
	})
	return msg
}

// openFiles asks for a file of the worktree to be edited.
func (m *Model) openFiles() []Effect {
	dir := m.place()
	m.files = &pickerView{title: "Edit a file of " + projectName(dir) + " with " + editorName(m.Editor), in: newInput("its name", ""), empty: "looking for files"}
	m.overlay = m.files
	return []Effect{filesEffect{dir}}
}

func (m *Model) heardFiles(msg filesMsg) {
	m.chatFiles(msg)
	v := m.files
	if v == nil || m.overlay != overlay(v) {
		return
	}
	m.chrome = true
	v.empty = "nothing fits"
	if msg.Err != nil {
		v.empty = oneLine(msg.Err.Error())
	}
	items := make([]item, len(msg.Files))
	for i, name := range msg.Files {
		items[i] = item{name, "", func(m *Model) []Effect { return m.edit(msg.Effect.Dir, name, 0) }}
	}
	v.list(items)
}

// place is the directory that the row, or the pane that has the keys, is in.
func (m *Model) place() string {
	if m.focus == onPane && m.active != nil {
		if s := m.fleet.get(m.active.Session); s != nil && s.Project != "" {
			if s.Worktree != "" {
				return s.Worktree
			}
			return s.Project
		}
	}
	return m.where()
}

// edit opens a file in the person's editor, in a pane beside what is shown. The
// pane goes when the editor ends.
func (m *Model) edit(dir, name string, line int) []Effect {
	if m.active != nil && m.room(false) {
		m.beside = &splitting{at: m.active.Session}
	}
	a := m.area()
	r := api.RunRequest{
		Caller: m.caller(), Dir: dir, Title: "edit " + filepath.Base(name), Command: editCommand(m.Editor, name, line),
		Cols: max(a.W, 20), Rows: max(a.H-1, 5),
	}
	return []Effect{callEffect{Verb: api.VerbRun, Request: r, What: "start the editor", Then: func(m *Model, reply any) []Effect {
		link, title := reply.(*api.SpawnReply).Target, reply.(*api.SpawnReply).Title
		m.editors[link] = name
		m.wanted(link, title, api.SpawnRequest{Agent: plainAgent, Dir: dir})
		m.cursor = "session " + link
		return append(append(m.showStarted(link), m.enter()...), m.list()...)
	}}}
}

// editorOver takes the pane of an editor that ended away.
func (m *Model) editorOver(link string) []Effect {
	name, ok := m.editors[link]
	if !ok {
		return nil
	}
	delete(m.editors, link)
	m.say(name + " is closed")
	return m.dropPane(link)
}

// editorOf is the person's editor.
func editorOf(getenv func(string) string) string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if e := strings.TrimSpace(getenv(name)); e != "" {
			return e
		}
	}
	return "vi"
}

// editorName is the program of an editor's command line.
func editorName(editor string) string {
	if f := strings.Fields(editor); len(f) > 0 {
		return filepath.Base(f[0])
	}
	return editor
}

// editCommand is the shell command that edits a file, at a line from 1 on, in
// the way that the editor takes it; 0 is no line.
func editCommand(editor, name string, line int) string {
	file := quoteShell(name)
	if strings.HasPrefix(name, "-") {
		file = quoteShell("./" + name)
	}
	if line > 0 {
		switch editorName(editor) {
		case "vi", "vim", "nvim", "nano", "emacs", "emacsclient", "micro", "kak", "joe", "ne", "mg", "vim.tiny", "vim.basic":
			file = fmt.Sprintf("+%d %s", line, file)
		case "hx", "helix", "zed", "subl":
			file = quoteShell(fmt.Sprintf("%s:%d", name, line))
		case "code", "codium", "cursor", "windsurf":
			file = "--goto " + quoteShell(fmt.Sprintf("%s:%d", name, line))
		}
	}
	return "exec " + editor + " " + file
}

// quoteShell makes a text one word of a shell.
func quoteShell(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
