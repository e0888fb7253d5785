//go:build unix

package process

// Relative is a process on the way from one below the host up to it.
type Relative struct {
	Process
	Name string // of its program, as the system shortens it
}
