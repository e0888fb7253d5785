// Package vt is a terminal engine: bytes in, a screen out. It understands
// what a VT520 and a current xterm understand (see the tables of control
// functions in this package), keeps both screens and the scrollback in little
// memory, answers every query itself, and can put its whole state into bytes
// that make another terminal the same.
//
//	t := vt.New(vt.Options{Cols: 120, Rows: 40, Reply: toProgram})
//	t.Write(output)
//	fmt.Println(t.ScreenText())
//
// It does no I/O, starts no goroutine and keeps no clock.
package vt

// Limits of the engine. Whatever a program sends, a terminal holds no more.
const (
	// DefaultScrollback is the number of lines kept unless Options say else.
	DefaultScrollback = 10_000
	// MaxCols and MaxRows bound the size of a screen.
	MaxCols = 2048
	MaxRows = 1024

	maxTitle      = 4096    // bytes of a title, a path, a notification
	maxTitleStack = 10      // titles pushed with XTWINOPS 22
	maxString     = 8 << 10 // bytes of an OSC or DCS that is not one of those below
	maxClipboard  = 2 << 20 // bytes of an OSC 52
	maxImage      = 4 << 20 // bytes of a kitty graphics or sixel sequence
	keepString    = 16 << 10
	maxCluster    = 64   // bytes of one grapheme cluster; further marks are dropped
	maxURI        = 2083 // bytes of a hyperlink's address, as in other terminals
	maxLinkID     = 250
	maxKeyStack   = 16 // kitty keyboard entries per screen
	maxSGRStack   = 10 // XTPUSHSGR entries
)

// Options configure a terminal. The zero value of a field asks for its
// default.
type Options struct {
	// Cols and Rows are the size, clamped to [1, MaxCols] and [1, MaxRows].
	Cols, Rows int
	// Scrollback is the number of lines kept: 0 for DefaultScrollback,
	// negative for none.
	Scrollback int
	// Reply takes the answers to queries, in order, one call each. The slice
	// is valid during the call only. A nil Reply drops them.
	Reply func([]byte)
	// Event takes what the program says that is not drawing. nil drops it.
	Event func(Event)
	// Name is what XTVERSION answers; "termio" if empty.
	Name string
	// CellWidth and CellHeight are the size of a cell in pixels for the
	// reports that want it; 10×20 if zero.
	CellWidth, CellHeight int
}

// Terminal is a terminal's whole state. It is not safe for concurrent use;
// Reply and Event are called from within Write and Resize and must not call
// back into the terminal.
type Terminal struct {
	cols, rows int
	event      func(Event)
}

// New makes a terminal.
func New(o Options) *Terminal {
	return &Terminal{cols: min(max(o.Cols, 1), MaxCols), rows: min(max(o.Rows, 1), MaxRows), event: o.Event}
}

func (t *Terminal) Write(p []byte) (int, error)                   { return len(p), nil }
func (t *Terminal) Resize(cols, rows int)                         {}
func (t *Terminal) Size() (cols, rows int)                        { return t.cols, t.rows }
func (t *Terminal) Snapshot(dst []byte, o SnapshotOptions) []byte { return dst }

type SnapshotOptions struct {
	Scrollback int
	Reset      bool
}

func (t *Terminal) Title() string                                { return "" }
func (t *Terminal) IconName() string                             { return "" }
func (t *Terminal) WorkingDirectory() string                     { return "" }
func (t *Terminal) ScreenText() string                           { return "" }
func (t *Terminal) Cursor() Cursor                               { return Cursor{} }
func (t *Terminal) AltScreen() bool                              { return false }
func (t *Terminal) Synchronized() bool                           { return false }
func (t *Terminal) ReverseScreen() bool                          { return false }
func (t *Terminal) EndSynchronized()                             {}
func (t *Terminal) InputModes() InputModes                       { return InputModes{} }
func (t *Terminal) Generation() uint64                           { return 0 }
func (t *Terminal) RowGeneration(y int) uint64                   { return 0 }
func (t *Terminal) Cell(x, y int) Cell                           { return Cell{} }
func (t *Terminal) AppendRow(dst []byte, y, x0, x1 int) []byte   { return dst }
func (t *Terminal) RowText(y int) string                         { return "" }
func (t *Terminal) RowWrapped(y int) bool                        { return false }
func (t *Terminal) ScrollbackWrapped(i int) bool                 { return false }
func (t *Terminal) TailText(n int) string                        { return "" }
func (t *Terminal) ScrollbackLen() int                           { return 0 }
func (t *Terminal) AppendScrollbackRow(dst []byte, i int) []byte { return dst }
func (t *Terminal) ScrollbackText(i int) string                  { return "" }
func (t *Terminal) PaletteColor(i int) (rgb Color, set bool)     { return 0, false }
func (t *Terminal) DefaultColors() (fg, bg, cursor Color)        { return 0, 0, 0 }
func (t *Terminal) SetColors(fg, bg, cursor Color)               {}
func (t *Terminal) SetCellSize(width, height int)                {}
func (t *Terminal) MemoryUsed() int                              { return 0 }
