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

// End is how an attachment ended.
type End struct {
	Text   string            // a line for people
	Closed *hostproto.Closed // how the session ended; nil when it goes on
}

// Run attaches, until the person leaves or the session ends.
func Run(ctx context.Context, o Options) (End, error) {
	key, err := vt.ParseKey(o.Detach)
	if err != nil {
		return End{}, fmt.Errorf("the setting detachKey: %w; say `termio config set detachKey <key>`", err)
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
var errHostGone = errors.New("the session's host is gone, and with it its program; open it again, in its conversation: termio sessions reopen <id> (`termio sessions list --closed` has it)")

// ended says how a session ended, and how to go on where nobody ended it.
func ended(o *Options, c *hostproto.Closed) End {
	text := endOf(o.name(), c)
	if c != nil && (c.Reason == hostproto.ReasonKilled || c.Reason == hostproto.ReasonHostLost) {
		id := o.Link[strings.LastIndexByte(o.Link, '/')+1:]
		text += "; open it again, in its conversation: termio sessions reopen " + id[:min(len(id), 8)]
	}
	return End{text, c}
}

func endOf(name string, c *hostproto.Closed) string {
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
