package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/paint"
	"github.com/termio-sh/termio/internal/paint/tty"
	"github.com/termio-sh/termio/internal/paths"
	"github.com/termio-sh/termio/vt"
)

// shell is what is around the model: it carries out what the model wants, and
// paints. Bubbletea's loop calls it, and so do the goroutines that read the
// keyboard and the panes' hosts (see direct.go). mu is taken before any lock of
// a host.
type shell struct {
	o       *Options
	ctx     context.Context
	outer   *outer
	screen  *tty.Screen
	signals *signals
	client  *api.Client
	program *tea.Program
	store   *store
	layout  paths.Layout

	mu      sync.Mutex // guards what follows
	over    bool       // the loop has ended
	m       *Model
	canvas  *Canvas
	painter *paint.Painter
	hosts   map[string]*host
	keys    passed
	one     [1]hostproto.Message // scratch

	pace    pace
	frame   []byte
	dirty   bool
	writing bool
	written sync.Cond // writing ended
	away    bool      // the outer terminal is the user's
	err     error

	timer  *time.Timer // for the next tick or frame
	wakeAt time.Time
	tickAt time.Time
}

// Messages of the shell's own.
type (
	newsMsg   struct{ host *host } // its inbox is not empty
	wakeMsg   struct{}
	signalMsg struct{ signal os.Signal }
	failMsg   struct{ err error }
)

func (s *shell) Init() tea.Cmd {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.do(s.m.Init())
	return nil
}

// View is nothing: internal/paint writes to the outer terminal.
func (s *shell) View() tea.View { return tea.View{} }

func (s *shell) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	switch msg := msg.(type) {
	case newsMsg:
		s.news(msg.host, now)
	case wakeMsg:
		s.wakeAt = time.Time{}
	case signalMsg:
		if err := s.signal(msg.signal); err != nil {
			s.err = err
			return s, tea.Quit
		}
	case failMsg:
		s.err = msg.err
		return s, tea.Quit
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg, tea.WindowSizeMsg:
		s.feed(msg, now)
		s.pace.input(now, s.m.Changed())
	default:
		s.feed(msg, now)
	}
	if !s.tickAt.IsZero() && !now.Before(s.tickAt) {
		s.tickAt = time.Time{}
		s.feed(tickMsg{}, now)
	}
	if s.m.quit {
		return s, tea.Quit
	}
	s.after(now)
	return s, nil
}

// feed gives the model a message.
func (s *shell) feed(msg any, now time.Time) {
	s.do(s.m.Update(msg, now))
	s.dirty = s.dirty || s.m.Changed()
}

// news feeds a pane what its host sent.
func (s *shell) news(h *host, now time.Time) {
	if s.hosts[h.link] != h {
		return
	}
	messages, talk, err := h.take()
	n := 0
	for _, m := range messages {
		n += len(m.Data)
	}
	p := s.m.activePane()
	s.pace.output(now, n, p != nil && p.link == h.link, s.dirty)
	s.feed(hostMsg{Link: h.link, Run: h.run, Messages: messages, Talk: talk, Err: err}, now)
}

// arm has the loop woken when a frame or a tick is due.
func (s *shell) arm(now time.Time) {
	if d, ok := s.m.nextTick(); ok {
		if at := now.Add(d); s.tickAt.IsZero() || at.Before(s.tickAt) {
			s.tickAt = at
		}
	}
	next := s.tickAt
	if s.dirty && !s.writing && !s.away {
		if due := s.pace.due(); next.IsZero() || due.Before(next) {
			next = due
		}
	}
	if next.IsZero() || !s.wakeAt.IsZero() && !next.Before(s.wakeAt) {
		return
	}
	s.wakeAt = next
	d := max(next.Sub(now), 0)
	if s.timer == nil {
		s.timer = time.AfterFunc(d, func() { s.program.Send(wakeMsg{}) })
	} else {
		s.timer.Reset(d)
	}
}

// flush paints what is due.
func (s *shell) flush(now time.Time) {
	if !s.dirty || s.writing || s.away || now.Before(s.pace.due()) {
		return
	}
	s.m.Draw(s.canvas)
	s.frame = s.painter.Frame(s.frame[:0], paint.Scene{Screen: s.canvas.Term, Inset: s.m.pictured()})
	s.dirty = false
	s.pace.painted(now)
	if len(s.frame) == 0 {
		return
	}
	rest, err := s.outer.start(s.frame)
	if err != nil {
		s.fail(err)
		return
	}
	if len(rest) > 0 {
		s.writing = true
		rest := append([]byte(nil), rest...)
		s.start(func() { s.finish(rest) })
	}
}

// finish writes what the outer terminal did not take at once.
func (s *shell) finish(rest []byte) {
	err := s.outer.finish(rest)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writing = false
	s.written.Broadcast()
	if err != nil {
		s.fail(err)
	} else if !s.over {
		s.after(time.Now())
	}
}

// start runs f beside the loop. A panic there ends the loop, which gives the
// terminal back first.
func (s *shell) start(f func()) {
	go func() {
		defer func() {
			if r := recover(); r != nil {
				s.program.Send(failMsg{fmt.Errorf("panic: %v\n%s", r, debug.Stack())})
			}
		}()
		f()
	}()
}

// fail ends the loop; the first failure counts.
func (s *shell) fail(err error) {
	s.start(func() { s.program.Send(failMsg{err}) })
}

// do carries out what the model wants.
func (s *shell) do(effects []Effect) {
	for _, e := range effects {
		switch e := e.(type) {
		case listEffect:
			caller := s.m.Caller
			s.start(func() {
				if kept, news := s.store.news(); news {
					s.program.Send(keptMsg{kept})
				}
				r, err := s.client.List(s.ctx, api.ListRequest{Caller: caller, Closed: e.Closed, Lost: true})
				s.program.Send(rosterMsg{Reply: r, Err: err, Closed: e.Closed})
			})
		case watchEffect:
			caller := s.m.Caller
			s.start(func() { s.watch(caller) })
		case dialEffect:
			s.dial(e)
		case hangUpEffect:
			s.hangUp(e.Link)
		case typeEffect:
			s.toViewer(e.Link, func(v *hostproto.Viewer) { v.Input(e.Bytes) })
		case resizeEffect:
			s.toViewer(e.Link, func(v *hostproto.Viewer) { v.Request(hostproto.OpResize, 0, e.Size) })
		case seenEffect:
			if p := s.m.panes[e.Link]; p != nil && p.text {
				s.toHost(e.Link, func(ctx context.Context, c *hostproto.Client) error { return c.Send(ctx, hostproto.OpSeen, struct{}{}) })
			} else {
				s.toViewer(e.Link, func(v *hostproto.Viewer) { v.Request(hostproto.OpSeen, 0, struct{}{}) })
			}
		case callEffect:
			s.start(func() {
				reply, err := s.call(e)
				s.program.Send(calledMsg{e, reply, err})
			})
		case commandEffect:
			s.start(func() {
				out, err := s.o.command(s.ctx, e.Args)
				s.program.Send(commandMsg{e, out, err})
			})
		case journalEffect:
			s.start(func() {
				events, err := readJournal(s.layout.SessionDir(e.Link[strings.LastIndexByte(e.Link, '/')+1:]))
				s.program.Send(journalMsg{e, events, err})
			})
		case chatEffect:
			s.toHost(e.Link, func(ctx context.Context, c *hostproto.Client) error { return s.chatDo(ctx, c, e) })
		case reviewEffect:
			s.start(func() { s.program.Send(readReview(s.ctx, s.o.Environ, e)) })
		case copyEffect:
			s.painter.Pass(vt.Event{Kind: vt.EventClipboard, Text: "c", Data: []byte(e.Text)})
			s.dirty = true
		case passEffect:
			s.painter.Pass(e.Event)
			s.dirty = true
		case keepEffect:
			if !s.m.alone() { // what it shows is not how anybody arranged it
				s.store.keep(e.Change)
			}
		case foldersEffect:
			s.start(func() { s.program.Send(readFolders(s.store.projects, e)) })
		case filesEffect:
			s.start(func() { s.program.Send(readFiles(s.ctx, s.o.Environ, e)) })
		case looksEffect:
			s.store.saveLooks(e.Looks)
		case suspendEffect:
			s.start(func() { s.program.Send(signalMsg{suspendSignal}) })
		}
	}
}

// call asks the coordinator, with the environment that a new session gets.
func (s *shell) call(e callEffect) (any, error) {
	request := e.Request
	var reply any
	switch r := request.(type) {
	case api.SpawnRequest:
		r.Env = s.o.Environ
		request, reply = r, new(api.SpawnReply)
	case api.HistoryResumeRequest:
		r.Env = s.o.Environ
		request, reply = r, new(api.SpawnReply)
	case api.ReopenRequest:
		r.Env = s.o.Environ
		request, reply = r, new(api.ReopenReply)
	case api.RunRequest:
		r.Env = s.o.Environ
		request, reply = r, new(api.SpawnReply)
	case api.OpenRequest:
		reply = new(api.OpenReply)
	case api.WorktreesRequest:
		reply = new(api.WorktreesReply)
	case api.ReadRequest:
		reply = new(api.ReadReply)
	case api.OptionsRequest:
		reply = new(api.OptionsReply)
	case api.RenameRequest:
		reply = new(api.RenameReply)
	case api.AgentsRequest:
		reply = new(api.AgentsReply)
	case api.HistoryRequest:
		reply = new(api.HistoryReply)
	case api.SendRequest:
		reply = new(api.SendReply)
	default:
		reply = new(api.CloseReply)
	}
	return reply, s.client.Call(s.ctx, e.Verb, request, reply)
}

func (s *shell) dial(d dialEffect) {
	s.hangUp(d.Link)
	ctx, stop := context.WithCancel(s.ctx)
	h := newHost(d.Link, d.Run, stop)
	s.hosts[d.Link] = h
	caller := s.m.Caller
	s.start(func() {
		h.serve(
			ctx, s.client, caller, d, func(m hostUpMsg) { s.program.Send(m) },
			func(m hostproto.Message, err error) bool { return s.heard(h, m, err) }, func() { s.program.Send(newsMsg{h}) },
		)
	})
}

func (s *shell) hangUp(link string) {
	if h := s.hosts[link]; h != nil {
		h.close()
		delete(s.hosts, link)
	}
}

func (s *shell) toViewer(link string, f func(*hostproto.Viewer)) {
	if h := s.hosts[link]; h != nil {
		h.toViewer(f)
	}
}

func (s *shell) toHost(link string, f func(context.Context, *hostproto.Client) error) {
	if h := s.hosts[link]; h != nil {
		h.send(f)
	}
}

// watchAgain is the time between two tries to reach a coordinator.
const watchAgain = 300 * time.Millisecond

// watch tells of every change of a session's status, for as long as we live.
func (s *shell) watch(caller api.Caller) {
	for s.ctx.Err() == nil {
		if _, err := s.client.Daemon(s.ctx); err == nil {
			s.program.Send(watchMsg{Up: true})
			err = s.client.Stream(s.ctx, api.VerbWatch, api.WatchRequest{
				Caller: caller, States: []string{working, needsYou, done, idle, closed},
			}, s.event)
			if err == nil {
				err = api.ErrEnded
			}
			s.program.Send(watchMsg{Err: err})
		} else {
			s.program.Send(watchMsg{Err: err})
		}
		select {
		case <-s.ctx.Done():
		case <-time.After(watchAgain):
		}
	}
}

// event takes a line of the watch.
func (s *shell) event(line []byte) error {
	e := new(api.WatchEvent)
	if err := json.Unmarshal(line, e); err != nil {
		return fmt.Errorf("read an event of the coordinator: %w", err)
	}
	if e.Link != "" { // else it is a heartbeat, or was lost and is told anew
		s.program.Send(watchMsg{Event: e})
	}
	return s.ctx.Err()
}

// giveUp is how long the outer terminal may take to take the end.
const giveUp = 500 * time.Millisecond

// errStuck is a terminal that does not take what gives it back.
var errStuck = errors.New("the terminal takes nothing; its guard goes on trying")

// enter takes the outer terminal over.
func (s *shell) enter() error {
	s.away, s.dirty, s.m.chrome = false, true, true
	s.canvas.shape.known = false
	return s.outer.write(s.painter.Enter(nil))
}

// leave gives the user's screen back, if the outer terminal takes that. It is
// called with mu held.
func (s *shell) leave() bool {
	s.away = true // no frame starts any more
	late := false
	limit := time.AfterFunc(giveUp, func() {
		s.mu.Lock()
		late = true
		s.mu.Unlock()
		s.written.Broadcast()
	})
	defer limit.Stop()
	for s.writing && !late {
		s.written.Wait()
	}
	if s.writing {
		return false
	}
	ended := make(chan error, 1)
	bytes := s.painter.Restore(nil)
	go func() { ended <- s.outer.write(bytes) }()
	deadline := time.NewTimer(giveUp)
	defer deadline.Stop()
	select {
	case err := <-ended:
		return err == nil
	case <-deadline.C:
		return false
	}
}

// giveBack restores the outer terminal for good.
func (s *shell) giveBack() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	if !s.leave() {
		return errStuck
	}
	return s.screen.Release()
}

// suspend leaves the terminal to the shell while stop lasts.
func (s *shell) suspend(stop func()) error {
	if !s.leave() {
		return errStuck
	}
	if err := s.screen.Yield(); err != nil {
		return err
	}
	stop()
	return s.resume()
}

// resume takes the terminal again.
func (s *shell) resume() error {
	if err := s.screen.Hold(); err != nil {
		return err
	}
	if err := s.enter(); err != nil {
		return err
	}
	return s.resized()
}

// resized takes the outer terminal's new size.
func (s *shell) resized() error {
	cols, rows, err := tty.Size(s.o.Out)
	if err != nil || cols <= 0 || rows <= 0 {
		return err
	}
	s.painter.SetCellSize(tty.CellSize(s.o.Out))
	s.painter.Resize(cols, rows)
	s.canvas.shape.known = false
	s.feed(tea.WindowSizeMsg{Width: cols, Height: rows}, time.Now())
	return nil
}
