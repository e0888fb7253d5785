package daemon

import (
	"context"
	"errors"
	"time"
)

// errSilent is a host that does not answer while a long call to it is at work.
var errSilent = errors.New("it does not answer")

// whileAnswering runs call, which may rightly take long, and asks meanwhile,
// every askTime, by ping. When a ping gets no answer in askTime, call is ended
// and the error is errSilent. What else a ping fails with, call finds itself.
func whileAnswering(ctx context.Context, ping, call func(context.Context) error) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	// Most calls are over long before: no goroutine waits beside them.
	first := time.AfterFunc(askTime, func() {
		next := time.NewTimer(askTime)
		defer next.Stop()
		for ; ; next.Reset(askTime) {
			pong := make(chan error, 1) // of its own: it may wait behind call to be sent
			go func() { pong <- ping(ctx) }()
			select {
			case err := <-pong:
				if err != nil {
					return
				}
			case <-next.C:
				end(errSilent)
				return
			case <-ctx.Done():
				return
			}
			select {
			case <-next.C:
			case <-ctx.Done():
				return
			}
		}
	})
	defer first.Stop()
	err := call(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errSilent) {
		return errSilent
	}
	return err
}
