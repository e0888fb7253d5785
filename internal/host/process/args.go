//go:build unix

package process

import "bytes"

// Someone is a process with its arguments; none where they cannot be read, or
// where it has ended.
type Someone struct {
	Process
	Argv []string
}

// splitArgs takes a list of texts that end in zeros apart.
func splitArgs(data []byte) (args []string) {
	for part := range bytes.SplitSeq(bytes.TrimRight(data, "\x00"), []byte{0}) {
		args = append(args, string(part))
	}
	if len(args) == 1 && args[0] == "" {
		return nil
	}
	return args
}
