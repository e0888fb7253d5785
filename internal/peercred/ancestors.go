package peercred

import "os"

// maxLineage bounds a walk upwards.
const maxLineage = 64

// Ancestors are a process and those above it, nearest first, up to this process
// or the first one. They are empty where the system does not tell.
func Ancestors(pid int) []int {
	var line []int
	for me := os.Getpid(); pid > 1 && pid != me && len(line) < maxLineage; {
		line = append(line, pid)
		parent, ok := parentOf(pid)
		if !ok {
			break
		}
		pid = parent
	}
	return line
}
