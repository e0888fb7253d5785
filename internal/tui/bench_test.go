package tui

import (
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/paint"
)

// large is a model with many sessions at a large size.
func large(b *testing.B) *Model {
	bindings, _ := newBindings(nil)
	m := New(Setup{Cols: 200, Rows: 60, Home: "/home/u/shop", Bindings: bindings, Unicode: true}, noon)
	var all []api.Session
	for range 30 {
		all = append(all, roster()...)
	}
	for i := range all {
		all[i].Link = linkOf(i)
	}
	m.Update(rosterMsg{Reply: api.ListReply{Sessions: all}}, noon)
	p := m.activePane()
	size := p.size()
	m.Update(hostMsg{Link: p.link, Run: p.run, Messages: []hostproto.Message{
		{Type: hostproto.FrameEvent, Event: &hostproto.Event{Type: hostproto.EventReady, Size: &size, Owner: true}},
	}}, noon)
	return m
}

// BenchmarkEcho is what a character in the session costs, from the host's
// message to the bytes for the outer terminal.
func BenchmarkEcho(b *testing.B) {
	m := large(b)
	c := NewCanvas(200, 60)
	painter := paint.New(paint.Options{Cols: 200, Rows: 60})
	p := m.activePane()
	var frame []byte
	for b.Loop() {
		m.Update(hostMsg{Link: p.link, Run: p.run, Messages: []hostproto.Message{{Type: hostproto.FrameOutput, Data: []byte("x")}}}, noon)
		m.Draw(c)
		frame = painter.Frame(frame[:0], paint.Scene{Screen: c.Term})
	}
}

// BenchmarkSidebar is what a turn of the sign of work costs, with 210 sessions.
func BenchmarkSidebar(b *testing.B) {
	m := large(b)
	c := NewCanvas(200, 60)
	painter := paint.New(paint.Options{Cols: 200, Rows: 60})
	var frame []byte
	now := noon
	for b.Loop() {
		now = now.Add(time.Millisecond)
		m.Update(tickMsg{}, now)
		m.Draw(c)
		frame = painter.Frame(frame[:0], paint.Scene{Screen: c.Term})
	}
}
