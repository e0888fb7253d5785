// Package term is the host of a terminal session: a program in a PTY, the
// terminal engine that understands its output, and what is concluded from it.
//
// The ways of the bytes (DESIGN §1.2): one goroutine reads the PTY into a
// host.Tee, from which viewers are served at once; the engine takes the same
// bytes after them. What goes to the program (answers of the engine, typed
// input, deliveries) goes through one inputQueue. Nothing on the way in can
// hold up the way out.
//
// Locks, outermost first: session.mu, then those of host.Hub and host.Peer.
// The engine's terminal belongs to the engine's goroutine alone.
package term
