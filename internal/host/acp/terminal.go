//go:build unix

package acp

import (
	"bytes"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/termio-sh/termio/internal/host"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/prompt"
	"github.com/termio-sh/termio/vt"
)

// Bounds of a terminal that is shown.
const (
	terminalLines = 2000                   // of its scrollback
	goneLinger    = 500 * time.Millisecond // for peers to read its end
)

// children are the agent's terminals, as sessions that can only be looked at.
type children struct {
	mu   sync.Mutex // comes after a session's and a terminal's
	open map[string]*terminal
	wg   sync.WaitGroup
}

// records are those of the terminals that can be reached.
func (c *children) records() (out []hostproto.Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(c.open)) {
		out = append(out, c.open[id].record)
	}
	return out
}

// wait returns when those that are gone are gone for everybody.
func (c *children) wait() { c.wg.Wait() }

// terminal is one of them: a screen of its own, which its program's output is
// written to, and a socket at which it is served as any session is.
type terminal struct {
	s      *session
	dir    string // its folder
	record hostproto.Record
	hub    *host.Hub
	tee    *host.Tee
	cur    *host.Cursor
	ready  chan struct{} // closed when it is served, or cannot be

	mu       sync.Mutex
	screen   *vt.Terminal
	status   hostproto.Status
	cr       bool // the last byte was a carriage return
	lastOut  time.Time
	gone     bool
	listener net.Listener
}

// showTerminal makes a terminal visible. That it cannot be is the log's affair:
// the agent's program runs all the same.
func (s *session) showTerminal(command, dir string) *terminal {
	id := uuid.NewString()
	s.mu.Lock()
	parent, place := s.record, filepath.Dir(s.dir)
	s.mu.Unlock()
	now := time.Now().UTC()
	rec := hostproto.Record{
		Version: hostproto.RecordVersion, ID: id, Kind: hostproto.KindAgentTerminal, Agent: "terminal", AgentName: "Terminal",
		LiveTitle: prompt.Title(command), Project: parent.Project, Dir: dir, Cwd: dir, Command: command, Shell: parent.Shell,
		Parent: parent.ID, Root: parent.Root, Depth: parent.Depth + 1, Created: now, Size: parent.Size,
		HostPID: parent.HostPID, HostBoot: parent.HostBoot, State: "working", Since: now,
		Socket: filepath.Join(filepath.Dir(parent.Socket), strings.ReplaceAll(id, "-", "")[:12]+".sock"),
	}
	if rec.Root == "" {
		rec.Root = parent.ID
	}
	t := &terminal{
		s: s, dir: filepath.Join(place, id), record: rec, hub: host.NewHub(), ready: make(chan struct{}),
		screen: vt.New(vt.Options{Cols: rec.Size.Cols, Rows: rec.Size.Rows, Scrollback: terminalLines}),
		status: hostproto.Status{State: "working", Since: now, Turn: 1},
	}
	t.tee, t.cur = host.NewTee()
	s.children.wg.Add(1)
	go func() {
		defer s.children.wg.Done()
		defer close(t.ready)
		if err := t.serve(); err != nil {
			s.log("a terminal of the agent's cannot be shown: %v", err)
		}
	}()
	return t
}

// serve opens the terminal's socket and tells the coordinator of it.
func (t *terminal) serve() error {
	if err := os.Mkdir(t.dir, 0o700); err != nil {
		return err
	}
	l, err := host.Listen(t.record.Socket)
	if err != nil {
		os.RemoveAll(t.dir)
		return err
	}
	w := host.NewRecordWriter(t.dir, func(err error) { t.s.log("the record of a terminal: %v", err) })
	if err := w.SaveNow(t.record); err != nil {
		l.Close()
		os.RemoveAll(t.dir)
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.listener = l
	if t.gone { // it was short
		t.unserve()
		return nil
	}
	go host.NewServer(t, t.hub).Serve(l)
	c := &t.s.children
	c.mu.Lock()
	if c.open == nil {
		c.open = map[string]*terminal{}
	}
	c.open[t.record.ID] = t
	c.mu.Unlock()
	t.s.hub.Publish(hostproto.Event{Type: hostproto.EventTerminal, Terminal: &t.record}, false)
	return nil
}

// unserve takes away what serve made; t.mu is held.
func (t *terminal) unserve() {
	t.listener.Close()
	if err := os.RemoveAll(t.dir); err != nil {
		t.s.log("the folder of a terminal: %v", err)
	}
}

// Output writes to the screen what came of a pipe, where a line's end has no
// carriage return.
func (t *terminal) Output(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]byte, 0, len(p)+bytes.Count(p, []byte{'\n'}))
	for _, c := range p {
		if c == '\n' && !t.cr {
			out = append(out, '\r')
		}
		t.cr = c == '\r'
		out = append(out, c)
	}
	t.lastOut = time.Now()
	t.screen.Write(out)
	for len(out) > 0 {
		n := copy(t.tee.Space(), out)
		t.tee.Publish(n)
		out = out[n:]
		for {
			read, size, _ := t.cur.Next()
			if len(read) == 0 && size == nil {
				break
			}
			t.cur.Advance(len(read))
		}
	}
}

// Exited tells how the program ended; its screen stays until it is released.
func (t *terminal) Exited(code int, signal string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	said := fmt.Sprintf("exit %d", code)
	if signal != "" {
		said = "ended by " + signal
	}
	t.status = hostproto.Status{State: "idle", Since: time.Now().UTC(), Description: said, Turn: 1}
	st := t.status
	t.hub.Publish(hostproto.Event{Type: hostproto.EventStatus, Status: &st}, true)
}

// Released ends it for everybody.
func (t *terminal) Released() {
	c := &t.s.children
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gone = true
	c.mu.Lock()
	delete(c.open, t.record.ID)
	c.mu.Unlock()
	if t.listener == nil {
		return // serve sees it
	}
	t.unserve()
	closed := hostproto.Closed{At: time.Now().UTC(), Reason: hostproto.ReasonExited}
	t.tee.Close()
	t.hub.PublishLast(hostproto.Event{Type: hostproto.EventExited, Closed: &closed, At: closed.At})
	c.wg.Go(func() { t.hub.Drain(goneLinger) })
}

func (t *terminal) info() hostproto.Info {
	i := hostproto.Info{Record: t.record, Status: t.status, Size: t.record.Size, LastOutput: t.lastOut}
	i.Record.State, i.Record.Since = t.status.State, t.status.Since
	i.Seq, i.Viewers = t.hub.Seq()
	return i
}

// Info is the terminal right now.
func (t *terminal) Info() hostproto.Info {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.info()
}

// Subscribe is Info for a peer that gets every event after it.
func (t *terminal) Subscribe(p *host.Peer) hostproto.Info {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hub.Subscribe(p)
	return t.info()
}

// Control answers what only looks; all else is the agent's.
func (t *terminal) Control(_ *host.Peer, q hostproto.Request, reply replyFunc) {
	switch q.Op {
	case hostproto.OpScreen:
		handle(q, reply, func(r hostproto.ScreenRequest, reply replyFunc) {
			t.mu.Lock()
			text := t.screen.ScreenText()
			if r.Lines > 0 {
				text = t.screen.TailText(r.Lines)
			}
			t.mu.Unlock()
			reply(hostproto.Screen{Text: text, Size: t.record.Size}, nil)
		})
	case hostproto.OpSeen:
		reply(t.Info(), nil)
	case hostproto.OpResize:
		reply(t.record.Size, nil) // it has the size that it was made with
	case hostproto.OpTrace:
		reply(hostproto.TraceReply{Changes: []hostproto.Change{}}, nil)
	case hostproto.OpQueue:
		reply(hostproto.Queue{Prompts: []hostproto.Queued{}}, nil)
	default:
		refuse(reply, hostproto.CodeWrongAgent, "this terminal is the agent's of termio://session/%s, and can only be looked at: read it or attach to it; it goes when its agent is done with it, or when that session is closed", t.record.Parent)
	}
}

// Attached, Left, Owns and Input have nothing to do: nobody types here.
func (t *terminal) Attached(*host.Peer)      {}
func (t *terminal) Left(*host.Peer)          {}
func (t *terminal) Owns(*host.Peer)          {}
func (t *terminal) Input(*host.Peer, []byte) {}

// Snapshot is what a viewer starts from.
func (t *terminal) Snapshot(p *host.Peer) (host.Snapshot, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone {
		return host.Snapshot{}, false
	}
	return host.Snapshot{
		Data: t.screen.Snapshot(nil, vt.SnapshotOptions{Scrollback: p.Hello().Scrollback}),
		Size: t.record.Size, Owner: t.hub.Owner() == p, Cursor: t.tee.Join(),
	}, true
}
