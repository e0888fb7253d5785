package daemon

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
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

// Call makes one call, as api.Client.Call does.
func (l Local) Call(ctx context.Context, name string, request, reply any) error {
	v, ok := api.FindVerb(name)
	if !ok {
		return api.Errorf(api.CodeBadOp, "there is no verb %q", name)
	}
	body, err := json.Marshal(request)
	if err != nil {
		return api.Errorf(api.CodeBadRequest, "encode the request: %v", err)
	}
	got, err := l.d.call(ctx, v, l.d.verbs()[name], body)
	if err != nil {
		return l.d.failure(err)
	}
	data, err := api.Encode(got)
	if err != nil {
		return api.Errorf(api.CodeInternal, "%v", err)
	}
	if err := json.Unmarshal(data, reply); err != nil {
		return api.Errorf(api.CodeInternal, "read the reply: %v", err)
	}
	return nil
}

// serveCommand runs a command line for a program that is too small to know it.
func (d *Daemon) serveCommand(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	command, parseErr := api.ParseCommand(body)
	if err != nil || parseErr != nil || d.o.Command == nil {
		d.reply(w, nil, api.Errorf(api.CodeBadRequest, "this is no command line that can be run here"))
		return
	}
	if d.ctx.Err() != nil {
		panic(http.ErrAbortHandler) // the whole program calls the next coordinator
	}
	f := &commandFrames{w: w}
	f.send(api.CommandLife, nil) // before anything happens, as in serve
	over := make(chan struct{})
	var alive sync.WaitGroup
	alive.Go(func() { f.keepAlive(over) })
	code := d.o.Command(r.Context(), Local{d}, command, frameWriter{f, api.CommandOut}, frameWriter{f, api.CommandErr})
	close(over)
	alive.Wait()
	f.frame(api.CommandExit, []byte{byte(code)}) // and the end of the reply sends it
}

// commandFrames writes what a command prints as frames.
type commandFrames struct {
	mu sync.Mutex
	w  http.ResponseWriter
}

func (f *commandFrames) frame(kind byte, payload []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return api.WriteCommandFrame(f.w, kind, payload)
}

// send writes a frame that must not wait for the next one.
func (f *commandFrames) send(kind byte, payload []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if api.WriteCommandFrame(f.w, kind, payload) == nil {
		http.NewResponseController(f.w).Flush() // a client that is gone reads nothing
	}
}

func (f *commandFrames) keepAlive(over <-chan struct{}) {
	alive := time.NewTicker(aliveEvery)
	defer alive.Stop()
	for {
		select {
		case <-over:
			return
		case <-alive.C:
			f.send(api.CommandLife, nil)
		}
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
