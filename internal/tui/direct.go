package tui

import (
	"bytes"
	"runtime"
	"time"
	"unicode/utf8"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/vt"
)

// What takes time between a key and its echo is the waking of goroutines, one
// after the other. So what a session's host sends is fed to the model and
// painted by the goroutine that reads it, and plain characters that go to a
// session are sent by the one that reads the keyboard, both with the shell's
// lock. Everything else goes through bubbletea's loop.

// toViewer does something with a pane's connection: now, or once it is there.
func (h *host) toViewer(f func(v *hostproto.Viewer)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.gone:
	case h.viewer == nil:
		h.waiting = append(h.waiting, f)
	default:
		f(h.viewer) // which does not wait; its reader tells if it has ended
	}
}

// watch takes what comes, for as long as the connection lasts or heard wants
// more.
func (h *host) watch(v *hostproto.Viewer, heard func(hostproto.Message, error) bool) {
	h.mu.Lock()
	if h.gone {
		h.mu.Unlock()
		v.Close()
		return
	}
	h.viewer = v
	for _, f := range h.waiting {
		f(v)
	}
	h.waiting = nil
	h.mu.Unlock()
	for {
		t, p, e, err := v.Next()
		if !heard(hostproto.Message{Type: t, Data: p, Event: e}, err) || err != nil {
			return
		}
	}
}

// feedBytes is how much output is fed at once, in bytes.
const feedBytes = 8 << 10

// heard takes a message of a pane's host, whose data are valid until it
// returns. It reports false when nobody wants more.
func (s *shell) heard(h *host, m hostproto.Message, err error) bool {
	// A flood lets others have the lock: a key must not wait for all of it.
	for m.Type == hostproto.FrameOutput && len(m.Data) > feedBytes {
		first := m
		first.Data, m.Data = m.Data[:feedBytes], m.Data[feedBytes:]
		if !s.heard(h, first, nil) {
			return false
		}
		runtime.Gosched()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || s.hosts[h.link] != h {
		return false
	}
	now := time.Now()
	p := s.m.activePane()
	s.pace.output(now, len(m.Data), p != nil && p.link == h.link, s.dirty)
	msg := hostMsg{Link: h.link, Run: h.run, Err: err}
	if err == nil {
		s.one[0] = m
		msg.Messages = s.one[:]
	}
	s.feed(msg, now)
	s.after(now)
	return true
}

// after paints what is due, and has the loop woken for the rest.
func (s *shell) after(now time.Time) {
	s.flush(now)
	s.arm(now)
}

// settleFor is how long after a sequence of keys plain characters go the same
// way as it, so that they cannot overtake it.
const settleFor = 150 * time.Millisecond

// straight takes what the keyboard sent if all of it is plain characters for
// the session that has the keys. Everything else, false, is for bubbletea.
func (s *shell) straight(p []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.over || s.away || s.keys.busy(now) || !s.m.straight(p, now) {
		s.keys.pass(p, now)
		return false
	}
	s.m.now = now
	s.do([]Effect{typeEffect{s.m.active.Session, bytes.Clone(p)}})
	s.pace.input(now, false)
	return true
}

// straight reports whether what was typed goes to a session as it is.
func (m *Model) straight(p []byte, now time.Time) bool {
	pane := m.typing()
	if pane == nil || !pane.owner || !pane.untouched() || now.Before(m.deaf) {
		return false
	}
	modes := pane.term.InputModes()
	return modes.Kitty == 0 && modes.ModifyOtherKeys == 0 && plainText(p, modes)
}

// plainText reports whether bytes of a terminal are characters that stand for
// themselves in a program's modes too.
func plainText(p []byte, modes vt.InputModes) bool {
	for i := 0; i < len(p); {
		c := p[i]
		switch {
		case c >= ' ' && c < 0x7f:
			i++
		case c == '\r' && !modes.Newline, c == 0x7f && !modes.BackarrowBS:
			i++
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(p[i:])
			if r == utf8.RuneError || r < 0xa0 {
				return false
			}
			i += n
		default:
			return false
		}
	}
	return len(p) > 0
}

// passed is what of the keyboard's bytes bubbletea has got.
type passed struct {
	last    time.Time // the last of them
	tail    []byte    // their end, in which a mark may begin
	pasting bool      // between the marks of a paste
}

var (
	pasteBegin = []byte("\x1b[200~")
	pasteEnd   = []byte("\x1b[201~")
)

// pass notes bytes that bubbletea gets.
func (k *passed) pass(p []byte, now time.Time) {
	k.last = now
	all := append(k.tail, p...)
	for {
		mark := pasteBegin
		if k.pasting {
			mark = pasteEnd
		}
		i := bytes.Index(all, mark)
		if i < 0 {
			break
		}
		all, k.pasting = all[i+len(mark):], !k.pasting
	}
	k.tail = append(k.tail[:0], all[max(len(all)-len(pasteEnd)+1, 0):]...)
}

// busy reports whether bubbletea may still be at what it got.
func (k *passed) busy(now time.Time) bool { return k.pasting || now.Sub(k.last) < settleFor }
