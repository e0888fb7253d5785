package vt

// cell is one position of the grid, packed: the low 32 bits are what stands
// there, the high 32 bits the number of its style in the style table. The
// zero cell is blank, never written, in the default style. Cells hold no
// pointers, so that the collector never looks into a grid.
//
//	bits  0–20  a code point, or the number of a cluster
//	bit   21    it is a cluster
//	bits 22–23  kind: narrow, wide, the tail of a wide one, or the gap that a
//	            wide character leaves when it wraps
type cell uint64

const (
	cellRuneMask = 1<<21 - 1
	cellCluster  = 1 << 21
	cellKindMask = 3 << 22
	cellWide     = 1 << 22
	cellTail     = 2 << 22
	cellGap      = 3 << 22
	cellContent  = 1<<32 - 1

	cellStyleShift = 32
)

func (c cell) style() uint32 { return uint32(c >> cellStyleShift) }
func (c cell) kind() uint32  { return uint32(c) & cellKindMask }
func (c cell) isTail() bool  { return uint32(c)&cellKindMask == cellTail }
func (c cell) isWide() bool  { return uint32(c)&cellKindMask == cellWide }

// isErased reports whether nothing stands in c: it was erased, or is a gap.
func (c cell) isErased() bool {
	return uint32(c) == 0 || uint32(c)&cellKindMask == cellGap
}

// Cell is one position of the visible screen.
type Cell struct {
	// Text is the whole grapheme cluster, "" if nothing stands here. It is
	// interned: reading a cell does not allocate.
	Text string
	// Width is the cells that it takes: 1, or 2 for a wide character, or 0
	// for the second half of one.
	Width uint8
	Style Style
	// Link is the address of the OSC 8 hyperlink, "" without one.
	Link string
}

// CursorShape is the shape of the cursor (DECSCUSR).
type CursorShape uint8

// The shapes of the cursor.
const (
	CursorBlock CursorShape = iota
	CursorUnderline
	CursorBar
)

// Cursor is where the cursor is, from 0,0, and how it looks.
type Cursor struct {
	X, Y    int
	Visible bool
	Blink   bool
	Shape   CursorShape
}
