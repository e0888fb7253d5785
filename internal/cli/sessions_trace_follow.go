package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/version"
)

// follow prints the changes of a session, those that were and those to come,
// until it ends. It asks the session's own host, as attach does.
func (o *traceOptions) follow(ctx context.Context, target string) error {
	a := o.app
	caller, err := a.targetCaller(o.scope, target)
	if err != nil {
		return err
	}
	var reply api.ResolveReply
	if err := a.call(ctx, api.VerbResolve, api.TargetRequest{Caller: caller, Target: target}, &reply); err != nil {
		return err
	}
	c, err := hostproto.Dial(ctx, reply.Socket, hostproto.Hello{
		Role: hostproto.RoleControl, Client: "termio " + version.Version + " trace",
	})
	if err != nil {
		return fmt.Errorf("follow the trace of %s: %w", name(reply.Target, reply.Title), err)
	}
	defer c.Close()
	// Subscribed first: a change that comes in between is told twice, and
	// printed once.
	if _, err := c.Subscribe(ctx); err != nil {
		return fmt.Errorf("follow the trace of %s: %w", name(reply.Target, reply.Title), err)
	}
	return o.print(ctx, c)
}

func (o *traceOptions) print(ctx context.Context, c *hostproto.Client) error {
	var last *hostproto.Change
	for {
		var now hostproto.TraceReply
		err := c.Call(ctx, hostproto.OpTrace, nil, &now)
		for _, change := range newer(now.Changes, last) {
			if err := o.line(change); err != nil {
				return err
			}
		}
		if n := len(now.Changes); n > 0 {
			last = &now.Changes[n-1]
		}
		ended := false
		for err == nil {
			var m hostproto.Message
			if m, err = c.Next(ctx); err != nil || m.Event == nil {
				continue
			}
			ended = m.Event.Type == hostproto.EventExited
			if ended || m.Event.Type == hostproto.EventStatus || m.Event.Type == hostproto.EventDelivery {
				break
			}
		}
		switch {
		case ended, errors.Is(err, hostproto.ErrClosed):
			return nil
		case ctx.Err() != nil:
			return nil // the person had enough
		case err != nil:
			return fmt.Errorf("follow the trace: %w", err)
		}
	}
}

// newer are the changes after last, all of them when that is not there.
func newer(all []hostproto.Change, last *hostproto.Change) []hostproto.Change {
	if last == nil {
		return all
	}
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].At.Equal(last.At) && all[i].To == last.To && all[i].Cause == last.Cause {
			return all[i+1:]
		}
	}
	return all
}

// line prints one change: with --json as an object of its own.
func (o *traceOptions) line(c hostproto.Change) error {
	change := api.TraceChange{At: c.At, From: c.From, To: c.To, Channel: c.Cause.Channel, Rule: c.Cause.Rule, Text: c.Cause.Text}
	if !o.app.json {
		return o.app.print(o.app.table([][]field{traceRow(change)}))
	}
	b, err := json.Marshal(change)
	if err != nil {
		return fmt.Errorf("print a change: %w", err)
	}
	return o.app.print(string(b) + "\n")
}
