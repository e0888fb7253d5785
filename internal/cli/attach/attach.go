// Package attach shows a session in the terminal that it is typed into: a
// viewer of the session's host, painted (internal/paint) into the outer
// terminal's alternate screen, or a pipe where there is no terminal.
package attach

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/paint/tty"
	"github.com/termio-sh/termio/vt"
)

// Options say what to attach to, and where.
type Options struct {
	Socket  string // the host's
	Link    string
	Title   string
	Observe bool
	Detach  string // the name of the key that leaves
	Client  string // how to introduce ourselves

	In, Out *os.File
	Getenv  func(string) string
	// Guard is the command line of the terminal's guard; nil for this
	// program's own.
	Guard []string
}

// scrollback is how many lines of it a viewer brings along.
const scrollback = 2000

// Run attaches, until the person leaves or the session ends, and returns how
// it ended, as a line for people.
func Run(ctx context.Context, o Options) (string, error) {
	key, err := vt.ParseKey(o.Detach)
	if err != nil {
		return "", fmt.Errorf("the setting detachKey: %w; say `termio config set detachKey <key>`", err)
	}
	if !tty.Is(o.In) || !tty.Is(o.Out) {
		return pipe(ctx, o)
	}
	return show(ctx, o, key)
}

// name is the session in a sentence.
func (o *Options) name() string {
	id := o.Link[strings.LastIndexByte(o.Link, '/')+1:]
	id = id[:min(len(id), 8)]
	if o.Title != "" {
		return id + " (" + o.Title + ")"
	}
	return id
}

// errHostGone is a connection that ended without a word.
var errHostGone = errors.New("the session's host is gone; `termio sessions list --closed` may say more")

// ended says how a session ended.
func ended(name string, c *hostproto.Closed) string {
	switch {
	case c == nil:
		return "session " + name + " ended"
	case c.Signal != "":
		return "session " + name + " ended: killed by " + c.Signal
	case c.Reason == hostproto.ReasonUser:
		return "session " + name + " was closed"
	case c.ExitCode != nil:
		return fmt.Sprintf("session %s ended: exit code %d", name, *c.ExitCode)
	}
	return "session " + name + " ended: " + c.Reason
}
