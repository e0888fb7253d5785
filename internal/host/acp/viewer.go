//go:build unix

package acp

import (
	"github.com/termio-sh/termio/internal/host"
)

// Snapshot is what a viewer starts from.
func (s *session) Snapshot(p *host.Peer) (host.Snapshot, bool) {
	return host.Snapshot{}, false
}

// Input is what the owning viewer typed.
func (s *session) Input(*host.Peer, []byte) {}
