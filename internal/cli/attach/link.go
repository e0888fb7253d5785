package attach

import (
	"context"
	"fmt"

	"github.com/termio-sh/termio/internal/hostproto"
)

// connect says hello as the viewer that o asks for.
func connect(ctx context.Context, o *Options, size hostproto.Size, lines int) (*hostproto.Viewer, error) {
	h := hostproto.Hello{Role: hostproto.RoleInteract, Client: o.Client, Size: &size, Scrollback: lines}
	if o.Observe {
		h.Role, h.Size = hostproto.RoleObserve, nil
	}
	v, err := hostproto.DialViewer(ctx, o.Socket, h)
	if err != nil {
		return nil, fmt.Errorf("attach to %s: %w", o.name(), err)
	}
	return v, nil
}
