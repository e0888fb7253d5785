package attach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/termio-sh/termio/internal/hostproto"
)

// pipe copies: the snapshot and every byte after it to the output, the input
// to the program. The end of the input ends only the input.
func pipe(ctx context.Context, o Options) (End, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	role := hostproto.RoleInteract
	if o.Observe {
		role = hostproto.RoleObserve
	}
	client, err := hostproto.Dial(ctx, o.Socket, hostproto.Hello{Role: role, Client: o.Client})
	if err != nil {
		return End{}, fmt.Errorf("attach to %s: %w", o.name(), err)
	}
	defer client.Close()
	if !o.Observe {
		go typeAll(ctx, client, o.In)
	}
	for {
		m, err := client.Next(ctx)
		if err != nil {
			return End{}, lost(ctx, err)
		}
		if len(m.Data) > 0 {
			if _, err := o.Out.Write(m.Data); err != nil {
				if errors.Is(err, syscall.EPIPE) {
					return End{Text: "the reader of the pipe went away; the session goes on"}, nil
				}
				return End{}, fmt.Errorf("write the session's output: %w", err)
			}
		}
		if m.Event != nil && m.Event.Type == hostproto.EventExited {
			return ended(&o, m.Event.Closed), nil
		}
	}
}

// typeAll types what r brings. What cannot be sent has nowhere to go: the
// connection's end is told by its reader.
func typeAll(ctx context.Context, client *hostproto.Client, r io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if client.Input(ctx, buf[:n]) != nil || err != nil {
			return
		}
	}
}

// lost explains why a connection ended.
func lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, hostproto.ErrClosed) {
		return errHostGone
	}
	return fmt.Errorf("the connection to the session: %w", err)
}
