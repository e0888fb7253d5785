package api

import (
	"context"
	"sync"
	"time"
)

// Calls makes calls; *Client does.
type Calls interface {
	Call(ctx context.Context, verb string, request, reply any) error
}

// Waited is the end of one of several waits.
type Waited struct {
	Target string // as it was asked for
	Reply  WaitReply
	Err    error
}

// WaitSeveral waits for several sessions at once and gives each end to each, in
// the order in which they come, on the caller's goroutine. With any the others
// are given up at the first that is an outcome: no error, and not the end of
// the time. Otherwise it waits for all. A wait sends nothing, so that one which
// loses its coordinator begins again with the next.
func WaitSeveral(ctx context.Context, c Calls, caller Caller, targets []string, timeoutMs int, any bool, each func(Waited)) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ends := make(chan Waited)
	var work sync.WaitGroup
	for _, target := range targets {
		work.Go(func() {
			w := Waited{Target: target}
			w.Reply, w.Err = waitOne(ctx, c, WaitRequest{Caller: caller, Target: target, TimeoutMs: timeoutMs})
			ends <- w
		})
	}
	go func() { work.Wait(); close(ends) }()
	over := false
	for w := range ends {
		if over {
			continue // given up
		}
		each(w)
		if any && w.Err == nil && !w.Reply.TimedOut {
			over = true
			cancel()
		}
	}
}

// maxRetakes bounds how often a wait is begun again.
const maxRetakes = 20

func waitOne(ctx context.Context, c Calls, r WaitRequest) (reply WaitReply, err error) {
	began := time.Now()
	asked := r.TimeoutMs
	if asked == 0 {
		asked = DefaultWaitMs
	}
	for range maxRetakes {
		if err = c.Call(ctx, VerbWait, r, &reply); err == nil || ctx.Err() != nil || From(err).Code != CodeUnavailable {
			return reply, err
		}
		left := asked - int(time.Since(began).Milliseconds())
		if left <= 0 {
			return reply, err
		}
		r.TimeoutMs = left
		select {
		case <-ctx.Done():
		case <-time.After(retryPause):
		}
	}
	return reply, err
}

// DefaultWaitMs is how long a wait is that says nothing else, in milliseconds.
const DefaultWaitMs = 300_000
