package cli

import (
	"os"
	"path/filepath"

	"github.com/termio-sh/termio/internal/paint/tty"
)

// faceProgram is the companion that is the face: what it is built on costs
// every start of a program that links it, so that it is one of its own.
const faceProgram = "termio-tui"

// faceFits reports whether a person sits at a terminal that can show the face.
func (a *App) faceFits() bool {
	in, ok := a.In.(*os.File)
	term := a.Getenv("TERM")
	return ok && tty.Is(in) && a.Terminal() && term != "" && term != "dumb"
}

// showFace makes this process the face of a project. It reports false where
// that is not to be had: without the companion beside this program, or on a
// system where a terminal cannot be taken over.
func (a *App) showFace(project, dir string) (shown bool, err error) {
	return a.becomeFace("-project", project, "-dir", dir)
}

// showConversation makes this process the face of one session over ACP, as
// showFace does.
func (a *App) showConversation(link string) (shown bool, err error) {
	dir, err := a.Getwd()
	if err != nil {
		dir = "/"
	}
	return a.becomeFace("-session", link, "-dir", dir)
}

func (a *App) becomeFace(args ...string) (shown bool, err error) {
	self, err := os.Executable()
	if err != nil {
		return false, nil
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	path := filepath.Join(filepath.Dir(self), faceProgram)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false, nil
	}
	return true, become(path, append([]string{faceProgram, "-core", self}, args...), a.Environ())
}
