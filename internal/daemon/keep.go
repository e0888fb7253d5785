package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/termio-sh/termio/internal/filelock"
)

// errReplaced is the cause of an end because another coordinator is at work.
var errReplaced = errors.New("another coordinator has taken this one's place")

// keep watches what others may change, until the coordinator's life ends: its
// socket and its hosts', the user's manifests and settings. Directories are watched, since a
// file that is replaced is no longer the one that was watched.
func (d *Daemon) keep(sock **socket, lock **filelock.Lock, serve func(*socket)) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		// Everything is looked at again when it is used, too.
		d.log.Warn("changes of files are noticed late", "why", err.Error())
		watcher = &fsnotify.Watcher{}
	} else {
		defer watcher.Close()
		d.watch(watcher)
	}
	look, prune := time.NewTicker(watchEvery), time.NewTicker(pruneEvery)
	defer look.Stop()
	defer prune.Stop()
	for {
		select {
		case <-d.ctx.Done():
			return
		case ev := <-watcher.Events:
			switch filepath.Dir(ev.Name) {
			case d.o.Layout.AgentsDir():
				d.agents.catalog.get()
				continue
			case d.o.Layout.ConfigDir():
				d.settings.get()
				continue
			}
		case err := <-watcher.Errors:
			d.log.Warn("changes of files are noticed late", "why", fmt.Sprint(err))
		case <-prune.C:
			d.prune()
		case <-look.C:
			if watcher.Events != nil {
				d.watch(watcher) // what was removed and made anew is watched again
			}
		}
		replaced, err := d.guard(sock, lock)
		switch {
		case err != nil:
			d.stop(err)
			return
		case replaced:
			go serve(*sock)
			if watcher.Events != nil {
				d.watch(watcher)
			}
		}
		d.summonLost()
	}
}

func (d *Daemon) watch(w *fsnotify.Watcher) {
	for _, dir := range []string{d.o.Layout.Run, filepath.Dir(d.o.Layout.HostSocket("")), d.o.Layout.ConfigDir(), d.o.Layout.AgentsDir()} {
		if err := w.Add(dir); err != nil {
			d.log.Warn("changes of files are noticed late", "dir", dir, "why", err.Error())
		}
	}
}

// guard makes sure that the API can be reached. A socket that was removed is
// opened anew, as when a user's runtime directory is cleared at logout. One
// that another process has opened meanwhile is left to it.
func (d *Daemon) guard(sock **socket, lock **filelock.Lock) (replaced bool, err error) {
	if (*sock).current() && (*lock).Current() {
		return false, nil
	}
	if err := d.o.Layout.Prepare(); err != nil {
		return false, err
	}
	if !(*lock).Current() {
		fresh, err := filelock.Try(d.o.Layout.DaemonLock())
		if errors.Is(err, filelock.ErrHeld) {
			return false, errReplaced
		}
		if err != nil {
			return false, err
		}
		(*lock).Release()
		*lock = fresh
		if (*sock).current() {
			return false, nil
		}
	}
	if answers(d.o.Layout.DaemonSocket()) {
		return false, errReplaced
	}
	fresh, err := listen(d.o.Layout.DaemonSocket())
	if err != nil {
		return false, err
	}
	d.log.Warn("the socket had been removed and was opened anew", "pid", os.Getpid())
	(*sock).replaced.Store(true)
	(*sock).Close()
	*sock = fresh
	return true, nil
}
