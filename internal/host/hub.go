package host

import (
	"slices"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

// Hub knows a host's peers: who gets events, and which viewer owns input and
// size. The newest interactive viewer does; when it leaves, the one before.
type Hub struct {
	mu          sync.Mutex
	peers       map[*Peer]bool
	subscribers map[*Peer]bool
	interactive []*Peer // oldest first
	viewers     int
	seq         uint64
}

// NewHub gives an empty Hub.
func NewHub() *Hub {
	return &Hub{peers: map[*Peer]bool{}, subscribers: map[*Peer]bool{}}
}

func (h *Hub) add(p *Peer) {
	h.mu.Lock()
	h.peers[p] = true
	h.mu.Unlock()
}

// Subscribe sends all later events to p and returns the sequence number of the
// last one before.
func (h *Hub) Subscribe(p *Peer) uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subscribers[p] = true
	return h.seq
}

// Publish numbers ev and sends it to the subscribers, and to all viewers when
// viewers is true.
func (h *Hub) Publish(ev hostproto.Event, viewers bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seq++
	ev.Seq = h.seq
	if ev.At.IsZero() {
		ev.At = time.Now()
	}
	for p := range h.peers {
		if h.subscribers[p] || viewers && p.Role() != hostproto.RoleControl {
			p.Event(ev)
		}
	}
}

// PublishLast is Publish to everybody, for the event that ends the session:
// viewers get it after the last byte of output.
func (h *Hub) PublishLast(ev hostproto.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seq++
	ev.Seq = h.seq
	for p := range h.peers {
		if h.subscribers[p] || p.Role() != hostproto.RoleControl {
			p.Last(ev)
		}
	}
}

// Seq is the number of the newest event, Viewers how many are attached.
func (h *Hub) Seq() (seq uint64, viewers int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.seq, h.viewers
}

// tellViewers says how many viewers are attached, to those who want to know
// whether somebody looks.
func (h *Hub) tellViewers() {
	_, n := h.Seq()
	h.Publish(hostproto.Event{Type: hostproto.EventViewers, Viewers: &n}, false)
}

// Owner is the viewer that owns input and size, or nil.
func (h *Hub) Owner() *Peer {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.owner()
}

func (h *Hub) owner() *Peer {
	if n := len(h.interactive); n > 0 {
		return h.interactive[n-1]
	}
	return nil
}

// attach adds a viewer. An interactive one becomes the owner; the one before
// is told.
func (h *Hub) attach(p *Peer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.viewers++
	if p.Role() != hostproto.RoleInteract {
		return
	}
	if was := h.owner(); was != nil {
		was.Event(hostproto.Event{Type: hostproto.EventOwner})
	}
	h.interactive = append(h.interactive, p)
}

// remove forgets a peer. When it owned the session, the next owner is told and
// returned.
func (h *Hub) remove(p *Peer) *Peer {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.peers, p)
	delete(h.subscribers, p)
	if p.Role() == hostproto.RoleControl {
		return nil
	}
	h.viewers--
	was := h.owner()
	h.interactive = slices.DeleteFunc(h.interactive, func(q *Peer) bool { return q == p })
	now := h.owner()
	if was != p || now == nil {
		return nil
	}
	now.Event(hostproto.Event{Type: hostproto.EventOwner, Owner: true})
	return now
}

// Drain lets every peer read what is queued for it and closes all, within d.
func (h *Hub) Drain(d time.Duration) {
	h.mu.Lock()
	peers := make([]*Peer, 0, len(h.peers))
	for p := range h.peers {
		peers = append(peers, p)
	}
	h.mu.Unlock()
	var wg sync.WaitGroup
	for _, p := range peers {
		wg.Go(func() { p.drain(d) })
	}
	wg.Wait()
}
