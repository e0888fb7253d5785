package vt

// SnapshotOptions say what a snapshot holds beside the screen.
type SnapshotOptions struct {
	// Scrollback is the number of lines of the scrollback: 0 none, negative
	// all.
	Scrollback int
	// Reset begins with sequences that bring a terminal in any state to where
	// the snapshot starts, without RIS.
	Reset bool
}

func (t *Terminal) Snapshot(dst []byte, o SnapshotOptions) []byte { return dst }
