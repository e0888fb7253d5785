//go:build unix

package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestWaitIsTakenUp: a coordinator that dies in the middle of a wait is
// followed by the next, with what the first one gave for that; without it the
// call fails, since it is not known what happened.
func TestWaitIsTakenUp(t *testing.T) {
	l := layout(t)
	var calls atomic.Int32
	var gives atomic.Bool
	serve(t, l, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if calls.Add(1) == 1 {
			w.WriteHeader(http.StatusProcessing)
			if gives.Load() {
				w.Header().Set(WaitHeader, `{"id":"x"}`)
				w.WriteHeader(http.StatusProcessing)
			}
			panic(http.ErrAbortHandler)
		}
		var q AwaitRequest
		if err := json.Unmarshal(body, &q); err != nil || !strings.HasSuffix(r.URL.Path, "/"+VerbAwait) || q.Wait != `{"id":"x"}` || q.Caller.Cwd != "/p" {
			t.Errorf("%s is asked for %s", r.URL.Path, body)
		}
		io.WriteString(w, `{"ok":true,"schema_version":1,"target":"t","title":"t","status":"done","timed_out":false}`)
	})
	c := client(t, ClientOptions{Layout: l, NoStart: true})
	request := SendRequest{Caller: Caller{Cwd: "/p"}, Target: "t", Text: "x", Waiting: Waiting{Wait: true}}
	var reply WaitReply
	expect(t, c.Call(context.Background(), VerbSend, request, &reply), CodeUnavailable, "may or may not have happened")
	calls.Store(0)
	gives.Store(true)
	if err := c.Call(context.Background(), VerbSend, request, &reply); err != nil || reply.Status != "done" {
		t.Errorf("%v, %+v", err, reply)
	}
}

// TestWaitOutlivesTheTimeout: TimeoutEnv bounds the silence of a wait, not the
// wait; and the coordinator is told how often to say that it lives.
func TestWaitOutlivesTheTimeout(t *testing.T) {
	t.Setenv(TimeoutEnv, "0.3")
	l := layout(t)
	var silent atomic.Bool
	serve(t, l, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if r.Header.Get(AliveHeader) != "300" {
			t.Errorf("the client bears silence for %q ms", r.Header.Get(AliveHeader))
		}
		for range 10 {
			if !silent.Load() {
				w.WriteHeader(http.StatusProcessing)
			}
			select {
			case <-time.After(90 * time.Millisecond):
			case <-r.Context().Done():
				return
			}
		}
		io.WriteString(w, `{"ok":true,"schema_version":1,"status":"done"}`)
	})
	c := client(t, ClientOptions{Layout: l, NoStart: true})
	var reply WaitReply
	if err := c.Call(context.Background(), VerbSend, SendRequest{Waiting: Waiting{Wait: true}}, &reply); err != nil {
		t.Errorf("a wait of 0.9 s: %v", err)
	}
	expect(t, c.Call(context.Background(), VerbSend, SendRequest{}, &SendReply{}), CodeUnavailable, TimeoutEnv)
	silent.Store(true)
	expect(t, c.Call(context.Background(), VerbSend, SendRequest{Waiting: Waiting{Wait: true}}, &reply), CodeUnavailable, TimeoutEnv)
}

func TestStream(t *testing.T) {
	l := layout(t)
	var mode atomic.Value
	serve(t, l, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusProcessing)
		if mode.Load() == "refuses" {
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, `{"ok":false,"error":"disabled","message":"off","schema_version":1}`)
			return
		}
		io.WriteString(w, "one\n\ntwo\n")
		if mode.Load() == "stays" {
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}
	})
	c := client(t, ClientOptions{Layout: l, NoStart: true})
	var got []string
	collect := func(line []byte) error { got = append(got, string(line)); return nil }
	mode.Store("ends")
	if err := c.Stream(context.Background(), VerbWatch, WatchRequest{}, collect); !errors.Is(err, ErrEnded) || strings.Join(got, " ") != "one two" {
		t.Errorf("%v after %q", err, got)
	}
	mode.Store("stays")
	ctx, cancel := context.WithCancel(context.Background())
	err := c.Stream(ctx, VerbWatch, WatchRequest{}, func(line []byte) error {
		if string(line) == "two" {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a stream that is left: %v", err)
	}
	stop := errors.New("enough")
	if err := c.Stream(context.Background(), VerbWatch, WatchRequest{}, func([]byte) error { return stop }); err != stop {
		t.Errorf("a reader that stops: %v", err)
	}
	mode.Store("refuses")
	expect(t, c.Stream(context.Background(), VerbWatch, WatchRequest{}, collect), CodeDisabled, "off")
	expect(t, c.Stream(context.Background(), VerbList, ListRequest{}, collect), CodeBadOp)
}
