// Package tui is the face of termio in a terminal: a sidebar of projects and
// sessions, those that need a person first, and beside it the sessions' own
// terminals.
//
// The core is pure: a Model takes messages (Update) and gives back effects, as
// values, and draws itself on a canvas, an engine (vt) of the outer terminal's
// size. The shell around it (shell.go) reads the keyboard and decodes it with
// bubbletea, which also is the loop, carries effects out (effects.go, host.go)
// and has internal/paint write what changed on the canvas to the outer
// terminal, which it takes and gives back exactly as `termio sessions attach`
// does.
package tui
