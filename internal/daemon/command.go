package daemon

import (
	"bytes"
	"context"
	"io"
	"reflect"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/api"
)

// CommandRunner runs a command line as the program would, with c for the
// coordinator, and returns its exit code. The command line stands above the
// coordinator, so it is given to it.
type CommandRunner func(ctx context.Context, c Local, command api.Command, out, errout io.Writer) int

// Local is the coordinator for callers in its own process. It answers as the
// socket would.
type Local struct{ d *Daemon }

// Call makes one call, as api.Client.Call does. reply points to what the verb
// replies with, which is handed over as it is.
func (l Local) Call(ctx context.Context, name string, request, reply any) error {
	v, ok := api.FindVerb(name)
	if !ok {
		return api.Errorf(api.CodeBadOp, "there is no verb %q", name)
	}
	got, err := l.d.call(ctx, v, l.d.doing[name], request)
	if err != nil {
		return l.d.failure(err)
	}
	from, into := reflect.ValueOf(got), reflect.ValueOf(reply).Elem()
	if !from.IsValid() || !from.Type().AssignableTo(into.Type()) {
		return api.Errorf(api.CodeInternal, "%s replied with a %T, not what %T is for", name, got, reply)
	}
	into.Set(from)
	return nil
}

// commandFrames collects what a command prints as frames, and sends it at its
// end, or with the next sign of life.
type commandFrames struct {
	conn io.Writer
	gone func() // the client is

	mu    sync.Mutex
	buf   bytes.Buffer
	life  *time.Timer
	over  bool
	broke error
}

// manyFrames are not kept longer, in bytes.
const manyFrames = 256 << 10

func (f *commandFrames) frame(kind byte, payload []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broke != nil {
		return f.broke
	}
	if err := api.WriteCommandFrame(&f.buf, kind, payload); err != nil {
		return err
	}
	if f.buf.Len() > manyFrames {
		f.flush()
	}
	return f.broke
}

// flush sends what was collected. f.mu must be held.
func (f *commandFrames) flush() {
	if f.broke == nil {
		if _, f.broke = f.conn.Write(f.buf.Bytes()); f.broke != nil {
			f.gone()
		}
	}
	f.buf.Reset()
}

// send sends a frame without content at once.
func (f *commandFrames) send(kind byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.over && api.WriteCommandFrame(&f.buf, kind, nil) == nil {
		f.flush()
	}
}

// alive gives a sign of life now and then, until the end.
func (f *commandFrames) alive() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.life = time.AfterFunc(aliveEvery, func() {
		f.send(api.CommandLife)
		f.mu.Lock()
		defer f.mu.Unlock()
		if !f.over {
			f.life.Reset(aliveEvery)
		}
	})
}

func (f *commandFrames) end(code byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	f.life.Stop()
	if api.WriteCommandFrame(&f.buf, api.CommandExit, []byte{code}) == nil {
		f.flush()
	}
}

// frameWriter is where a command's output of one kind goes.
type frameWriter struct {
	f    *commandFrames
	kind byte
}

func (w frameWriter) Write(p []byte) (int, error) {
	if err := w.f.frame(w.kind, p); err != nil {
		return 0, err
	}
	return len(p), nil
}
