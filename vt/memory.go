package vt

import "unsafe"

// MemoryLimit is the number of bytes that a terminal of the given size holds
// at most, whatever a program sends: two screens, the scrollback when every
// line is as dense as it can be, the tables of styles, clusters and links when
// every cell has its own, and the longest sequence.
func MemoryLimit(cols, rows, scrollback int) int {
	cells := 2 * cols * rows
	const fixed = 64 << 10
	tables := 4*cells + 2*minCollect // they may double before they are collected
	return fixed + cells*8 + rows*64 + 4*maxImage + maxImages + maxImage/2 +
		tables*(2*40+2*32+16+maxCluster+3*8) + maxLinks +
		max(scrollback, 0)*(historyRowBytes+8) + 4*chunkSize + maxTitle*2*(maxTitleStack+4) +
		(maxColorStack+2)*int(unsafe.Sizeof(colorSet{}))
}
