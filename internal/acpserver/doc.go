// Package acpserver makes this program an agent of the Agent Client Protocol:
// an editor that speaks it can open any hosted session, read what was said, go
// on with it and answer its questions, beside everybody else who looks at it.
//
// A session here is one of termio's, whose id is its own. What the editor gets
// is made of the session's journal (mirror), what it says goes to the session's
// host (attachment); the coordinator is asked only to list, start and reopen
// sessions (Server).
package acpserver
