//go:build unix

package acp

import "github.com/termio-sh/termio/internal/hostproto"

// prompted gives the agent what the session was started with. How that went is
// an event and stands in Info, since nobody waits for a reply.
func (s *session) prompted(text string) {
	s.send(hostproto.SendRequest{Text: text, Enter: true}, func(body any, failure *hostproto.Error) {
		end := &hostproto.Delivery{First: true, Error: failure}
		if r, ok := body.(hostproto.SendReply); ok {
			end.SendReply = r
		}
		if failure != nil {
			s.log("the first prompt: %v", failure)
		}
		s.mu.Lock()
		s.first = end
		s.mu.Unlock()
		s.hub.Publish(hostproto.Event{Type: hostproto.EventDelivery, Delivery: end}, false)
	})
}
