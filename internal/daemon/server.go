package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/termio-sh/termio/internal/api"
)

// maxRequest is the largest request, in bytes: a payload of any sensible size
// and an environment.
const maxRequest = 6 << 20

// aliveEvery is how often a call at work says so, so that its client does not
// give it up.
const aliveEvery = 4 * time.Second

// verb answers one call, whose request is a []byte of JSON, or for callers in
// this process the request itself.
type verb func(ctx context.Context, request any) (any, error)

// answer makes a verb of a function on a request.
func answer[Request, Reply any](f func(context.Context, Request) (Reply, error)) verb {
	return func(ctx context.Context, request any) (any, error) {
		r, ok := request.(Request)
		if body, is := request.([]byte); is {
			if err := json.Unmarshal(body, &r); err != nil {
				return nil, api.Errorf(api.CodeBadRequest, "the request cannot be read: %v", err)
			}
		} else if !ok {
			return nil, api.Errorf(api.CodeInternal, "a %T is no request of this call", request)
		}
		stamp(ctx, &r)
		return f(ctx, r)
	}
}

func (d *Daemon) verbs() map[string]verb {
	return map[string]verb{
		api.VerbACPProbe:    answer(d.acpProbe),
		api.VerbACPModels:   answer(d.acpModels),
		api.VerbACPSessions: answer(d.acpSessions),
		api.VerbACPLoad:     answer(d.acpLoad),
		api.VerbACPWarm:     answer(d.acpWarm),
		api.VerbList:        answer(d.list),
		api.VerbSpawn:       answer(d.spawn),
		api.VerbRun:         answer(d.runCommand),
		api.VerbSend:        answer(d.send),
		api.VerbRead:        answer(d.read),
		api.VerbClose:       answer(d.close),
		api.VerbFocus:       answer(d.focus),
		api.VerbRename:      answer(d.rename),
		api.VerbResolve:     answer(d.resolve),
		api.VerbTrace:       answer(d.trace),
		api.VerbReopen:      answer(d.reopen),
		api.VerbOptions:     answer(d.options),

		api.VerbTranscript:     answer(d.transcript),
		api.VerbHistory:        answer(d.searchHistory),
		api.VerbHistoryResume:  answer(d.resumeHistory),
		api.VerbHistoryStatus:  answer(d.historyStatus),
		api.VerbHistoryRebuild: answer(d.rebuildHistory),

		api.VerbAwait:          answer(d.await),
		api.VerbQueue:          answer(d.queue),
		api.VerbWait:           answer(d.waitFor),
		api.VerbCloseDone:      answer(d.closeDone),
		api.VerbWorktrees:      answer(d.worktrees),
		api.VerbRemoveWorktree: answer(d.removeWorktree),
		api.VerbOpen:           answer(d.open),
		api.VerbAgents:         answer(d.listAgents),
		api.VerbNotify:         answer(d.notify),
		api.VerbDaemon:         answer(d.status),
		api.VerbStop:           answer(d.stopAsked),
	}
}

// handler serves the API.
func (d *Daemon) handler() http.Handler {
	mux := http.NewServeMux()
	for _, v := range api.Verbs() {
		if v.Events != nil {
			mux.HandleFunc(v.Path, func(w http.ResponseWriter, r *http.Request) { d.serveWatch(w, r, v) })
			continue
		}
		mux.HandleFunc(v.Path, func(w http.ResponseWriter, r *http.Request) { d.serve(w, r, v, d.doing[v.Name]) })
	}
	mux.HandleFunc(api.OpenAPIPath, d.serveOpenAPI)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		d.reply(w, nil, api.Errorf(api.CodeBadOp, "there is no call %s", r.URL.Path))
	})
	return mux
}

// accept reads a call's request and tells its client that it begins.
func (d *Daemon) accept(w http.ResponseWriter, r *http.Request, v api.Verb) ([]byte, error) {
	if r.Method != http.MethodPost {
		return nil, api.Errorf(api.CodeBadOp, "%s is called with POST", v.Path)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			err = api.Errorf(api.CodeBadRequest, "the request is larger than %d bytes; send less at once", maxRequest)
		}
		return nil, err
	}
	if d.ctx.Err() != nil {
		panic(http.ErrAbortHandler) // the client calls the next coordinator
	}
	// Before anything happens: a client that has not heard this may call again.
	w.WriteHeader(http.StatusProcessing)
	return body, nil
}

func (d *Daemon) serve(w http.ResponseWriter, r *http.Request, v api.Verb, do verb) {
	body, err := d.accept(w, r, v)
	if err != nil {
		d.reply(w, nil, err)
		return
	}
	type outcome struct {
		reply any
		err   error
	}
	done, tickets := make(chan outcome, 1), make(chan string, 1)
	ctx := withTicket(r.Context(), func(t string) {
		select {
		case tickets <- t:
		case <-r.Context().Done():
		}
	})
	go func() {
		reply, err := d.call(ctx, v, do, body)
		done <- outcome{reply, err}
	}()
	alive := time.NewTicker(aliveFor(r.Header))
	defer alive.Stop()
	for {
		select {
		case o := <-done:
			if errors.Is(o.err, errMoved) {
				panic(http.ErrAbortHandler) // the client takes the wait up with the next one
			}
			w.Header().Del(api.WaitHeader)
			d.reply(w, o.reply, o.err)
			return
		case t := <-tickets:
			w.Header().Set(api.WaitHeader, t)
			w.WriteHeader(http.StatusProcessing)
		case <-alive.C:
			w.WriteHeader(http.StatusProcessing) // interim; the reply follows
		}
	}
}

// aliveFor is how often a call says that it is at work: often enough for how
// long its client bears silence.
func aliveFor(h http.Header) time.Duration {
	ms, err := strconv.Atoi(h.Get(api.AliveHeader))
	if err != nil || ms <= 0 {
		return aliveEvery
	}
	return min(max(time.Duration(ms)*time.Millisecond/3, 100*time.Millisecond), aliveEvery)
}

// call runs one verb.
func (d *Daemon) call(ctx context.Context, v api.Verb, do verb, request any) (reply any, err error) {
	defer func() {
		if p := recover(); p != nil {
			d.log.Error("a call failed by a defect", "verb", v.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = api.Errorf(api.CodeInternal, "%s failed by a defect of ours (%v); the log in %s has the details", v.Name, p, d.o.Layout.LogsDir())
		}
	}()
	if err := d.admit(ctx, v); err != nil {
		return nil, err
	}
	if do == nil {
		return nil, api.Errorf(api.CodeBadOp, "%s replies with a stream: call %s", v.Name, v.Path)
	}
	return do(ctx, request)
}

// admit lets a call in: once every host was looked at, and not when what it
// belongs to is switched off.
func (d *Daemon) admit(ctx context.Context, v api.Verb) error {
	if v.Sessions && !d.settings.get().ControlsSessions() {
		return api.Errorf(api.CodeDisabled, "session control is off; turn it on with `termio config set sessionControl true` (in %s)", d.o.Layout.Settings())
	}
	select {
	case <-d.adopted:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// failure is err as callers see it; defects are logged.
func (d *Daemon) failure(err error) *api.Error {
	failure := api.From(err)
	if failure.Code == api.CodeInternal {
		d.log.Error("a call failed", "why", err.Error())
	}
	return failure
}

// reply writes the reply of a call, or its failure.
func (d *Daemon) reply(w http.ResponseWriter, reply any, err error) {
	status := http.StatusOK
	if err != nil {
		failure := d.failure(err)
		reply, status = failure, failure.HTTPStatus()
	}
	data, err := api.Encode(reply)
	if err != nil {
		failure := api.Errorf(api.CodeInternal, "%v", err)
		data, _ = api.Encode(failure)
		status = failure.HTTPStatus()
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(data) // a client that is gone reads nothing
}
