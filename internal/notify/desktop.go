package notify

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// ErrNoDesktop tells that there is no desktop to tell, or no program for it.
var ErrNoDesktop = errors.New("no desktop, or no program that notifies")

// Desktop tells on the desktop of the environment Env. One note stands for each
// session.
type Desktop struct {
	Env []string

	mu    sync.Mutex
	shown map[string]string // the desktop's own name of a note, by session
}

// Do shows a note or takes it back.
func (d *Desktop) Do(ctx context.Context, a Act) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.shown == nil {
		d.shown = map[string]string{}
	}
	old := d.shown[a.Note.Session]
	if a.Withdraw {
		if old == "" {
			return nil
		}
		delete(d.shown, a.Note.Session)
		return d.withdraw(ctx, old)
	}
	name, err := d.show(ctx, a.Note, old)
	if err == nil {
		d.shown[a.Note.Session] = name
	}
	return err
}

func (d *Desktop) getenv(name string) string {
	for i := len(d.Env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(d.Env[i], name+"="); ok {
			return v
		}
	}
	return ""
}

// find gives the path of a program on the environment's PATH, "" for none.
func (d *Desktop) find(name string) string {
	for _, dir := range filepath.SplitList(d.getenv("PATH")) {
		path := filepath.Join(dir, name)
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0 && filepath.IsAbs(dir) {
			return path
		}
	}
	return ""
}
