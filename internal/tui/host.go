package tui

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/tui/chat"
	"github.com/termio-sh/termio/internal/version"
)

const (
	// scrollbackLines is how many lines of it a pane brings along.
	scrollbackLines = 5000
	// inboxLimit bounds what waits to be fed to a pane's engine, in bytes; a
	// host whose viewer does not read sends it a fresh snapshot later.
	inboxLimit = 1 << 20
)

// host is a pane's connection to its session's host: what comes is put into
// an inbox, what goes into a queue, so that neither waits for the loop nor it
// for them.
type host struct {
	link string
	run  int
	stop context.CancelFunc

	mu     sync.Mutex
	room   sync.Cond // of the inbox
	inbox  []hostproto.Message
	size   int
	talk   []chat.Event // of a conversation
	err    error
	queue  []func(ctx context.Context, c *hostproto.Client) error
	queued sync.Cond
	gone   bool

	viewer  *hostproto.Viewer         // of a session in a terminal; nil until it is connected
	waiting []func(*hostproto.Viewer) // for it
}

func newHost(link string, run int, stop context.CancelFunc) *host {
	h := &host{link: link, run: run, stop: stop}
	h.room.L, h.queued.L = &h.mu, &h.mu
	return h
}

// send has something done on the connection, in order.
func (h *host) send(f func(ctx context.Context, c *hostproto.Client) error) {
	h.mu.Lock()
	h.queue = append(h.queue, f)
	h.queued.Signal()
	h.mu.Unlock()
}

// take is what has come.
func (h *host) take() (messages []hostproto.Message, talk []chat.Event, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	messages, talk = h.inbox, h.talk
	h.inbox, h.size, h.talk = nil, 0, nil
	h.room.Broadcast()
	return messages, talk, h.err
}

// close ends the connection and everything that waits for it.
func (h *host) close() {
	h.stop()
	h.mu.Lock()
	h.gone = true
	h.room.Broadcast()
	h.queued.Broadcast()
	if h.viewer != nil {
		h.viewer.Close()
	}
	h.mu.Unlock()
}

// serve is a connection's life. up is told once how connecting went. What a
// session in a terminal sends goes to heard; for a conversation news is told
// whenever the inbox was empty and is not any more.
func (h *host) serve(ctx context.Context, client *api.Client, caller api.Caller, d dialEffect, up func(hostUpMsg), heard func(hostproto.Message, error) bool, news func()) {
	c, v, types, err := connect(ctx, client, caller, d)
	text := c != nil
	msg := hostUpMsg{Link: d.Link, Run: d.Run, Types: types, Text: text, Err: err}
	if ctx.Err() != nil {
		if c != nil {
			c.Close()
		}
		if v != nil {
			v.Close()
		}
		return
	}
	up(msg)
	if v != nil {
		h.watch(v, heard)
	}
	if c == nil {
		return
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	go h.write(ctx, c)
	go h.follow(ctx, c, news)
	for {
		m, err := c.Next(ctx)
		h.mu.Lock()
		for h.size > inboxLimit && !h.gone {
			h.room.Wait()
		}
		was := len(h.inbox) == 0 && len(h.talk) == 0 && h.err == nil
		if err != nil {
			h.err = err
		} else {
			h.inbox = append(h.inbox, m)
			h.size += len(m.Data)
		}
		gone := h.gone
		h.mu.Unlock()
		if gone {
			return
		}
		if was {
			news()
		}
		if err != nil {
			return
		}
	}
}

func (h *host) write(ctx context.Context, c *hostproto.Client) {
	for {
		h.mu.Lock()
		for len(h.queue) == 0 && !h.gone {
			h.queued.Wait()
		}
		queue := h.queue
		h.queue = nil
		gone := h.gone
		h.mu.Unlock()
		if gone {
			return
		}
		for _, f := range queue {
			if f(ctx, c) != nil {
				return // the reader tells that it ended
			}
		}
	}
}

// errInside is a session that would show itself.
var errInside = errors.New("this terminal is in that session, or in one started from it: it would show itself without end")

// connect dials the session's host as a viewer: one that types, where that was
// asked for or nobody else looks, else one that watches. For a session that has
// no terminal it is a connection for its journal.
func connect(ctx context.Context, client *api.Client, caller api.Caller, d dialEffect) (c *hostproto.Client, v *hostproto.Viewer, types bool, err error) {
	r, err := client.Resolve(ctx, api.TargetRequest{Caller: caller, Target: d.Link})
	if err != nil {
		return nil, nil, false, err
	}
	if r.Inside {
		return nil, nil, false, errInside
	}
	name := "termio " + version.Version
	control, err := hostproto.Dial(ctx, r.Socket, hostproto.Hello{Role: hostproto.RoleControl, Client: name})
	if err != nil {
		return nil, nil, false, fmt.Errorf("reach the session: %w", err)
	}
	info := control.Welcome().Info
	if info.Record.Kind == hostproto.KindACP {
		return control, nil, false, nil
	}
	control.Close()
	hello := hostproto.Hello{Role: hostproto.RoleObserve, Client: name, Scrollback: scrollbackLines}
	if types = d.Types || info.Viewers == 0; types {
		size := d.Size
		hello.Role, hello.Size = hostproto.RoleInteract, &size
	}
	if v, err = hostproto.DialViewer(ctx, r.Socket, hello); err != nil {
		return nil, nil, false, fmt.Errorf("reach the session: %w", err)
	}
	return nil, v, types, nil
}
