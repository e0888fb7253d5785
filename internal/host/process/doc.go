// Package process is what a session's host does with processes: it leads a
// session of its own, inherits orphans, reaps, and ends everything that it
// started by walking it, never by name (DESIGN §2).
package process
