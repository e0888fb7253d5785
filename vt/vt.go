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
	maxLinks      = 1 << 20 // bytes of all hyperlinks on the two screens
	maxKeyStack   = 16      // kitty keyboard entries per screen
	maxSGRStack   = 10      // XTPUSHSGR entries
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
	cols, rows   int
	cellW, cellH int
	name         string
	reply        func([]byte)
	event        func(Event)
	out          []byte // a reply under construction

	parser parser
	plain  bool // tests only: no fast paths

	screens [2]screen
	scr     *screen // the active one of them
	alt     bool
	history history

	cur      cursorState
	penID    uint32 // number of the pen's style and link
	penStale bool   // penID is to be computed anew
	link     uint32 // number of the pen's hyperlink
	join     joinState
	last     uint32 // content of the last character printed, for REP; 0 none

	top, bottom int // margins, inclusive
	left, right int
	tabs        []uint64 // a bit for each column

	modes      modeSet
	savedModes modeSet // XTSAVE
	savedMask  modeSet // which of them were saved
	shape      CursorShape
	conf       conformance
	sgrStack   []Style
	otherKeys  int
	rectExtent bool // DECSACE: rectangles, not streams
	checksum   uint8

	title, icon string
	titleStack  []titlePair
	titleModes  uint8 // XTSMTITLE
	cwd         string
	notif       notification
	colors      *colorTable // what OSC 4 changed; nil if nothing
	fg, bg, cc  Color       // what OSC 10, 11, 12 set
	others      *otherColors
	colorStack  []colorSet // XTPUSHCOLORS
	baseFG      Color      // what they answer otherwise
	baseBG      Color
	baseCC      Color

	styles   styleTable
	clusters clusterTable
	links    linkTable
	joins    joinCache
	images   images
	runes    *runeCache

	gen     uint64 // generation of the last visible change
	next    uint64 // generation of changes being made now
	allGen  uint64 // generation of the last change of all rows
	changed bool

	wrapping  bool // the index under way is a line wrapping
	deleting  bool // the scroll under way is DL
	slowPrint bool // printing needs more than the fast path
	gcDue     bool // a table is due for collection
}

// New makes a terminal.
func New(o Options) *Terminal {
	t := &Terminal{
		cols: min(max(o.Cols, 1), MaxCols), rows: min(max(o.Rows, 1), MaxRows),
		cellW: o.CellWidth, cellH: o.CellHeight,
		name: o.Name, reply: o.Reply, event: o.Event,
	}
	if t.name == "" {
		t.name = "termio"
	}
	if t.cellW <= 0 || t.cellH <= 0 {
		t.cellW, t.cellH = 10, 20
	}
	lines := o.Scrollback
	if lines == 0 {
		lines = DefaultScrollback
	}
	t.history.max = max(lines, 0)
	t.baseFG, t.baseBG, t.baseCC = RGB(0xd8, 0xd8, 0xd8), RGB(0, 0, 0), RGB(0xd8, 0xd8, 0xd8)
	t.next = 1
	t.screens[0].init(t.cols, t.rows)
	t.scr = &t.screens[0]
	t.styles.init()
	t.resetState()
	return t
}

// Write feeds output of the program to the terminal. It takes all of p and
// never fails, whatever p holds; sequences may be split anywhere.
func (t *Terminal) Write(p []byte) (int, error) {
	x, y, pending := t.cur.x, t.cur.y, t.cur.pending
	t.feed(p)
	if t.cur.x != x || t.cur.y != y || t.cur.pending != pending {
		t.changed = true
	}
	t.settle()
	return len(p), nil
}

// settle ends a batch of changes.
func (t *Terminal) settle() {
	if t.changed {
		t.changed = false
		t.gen = t.next
		t.next++
	}
}

// Size is the size of the screen in cells.
func (t *Terminal) Size() (cols, rows int) { return t.cols, t.rows }

// Title is the title that the program set.
func (t *Terminal) Title() string { return t.title }

// IconName is the icon name that the program set.
func (t *Terminal) IconName() string { return t.icon }

// WorkingDirectory is the path of the program's last OSC 7, "" if unknown.
func (t *Terminal) WorkingDirectory() string { return t.cwd }

// Cursor is where the cursor is and how it looks.
func (t *Terminal) Cursor() Cursor {
	return Cursor{
		X: t.cur.x, Y: t.cur.y, Visible: t.modes.has(modeCursorVisible),
		Blink: t.modes.has(modeCursorBlink), Shape: t.shape,
	}
}

// AltScreen reports whether the alternate screen is shown.
func (t *Terminal) AltScreen() bool { return t.alt }

// Synchronized reports whether the program holds back its output right now
// (mode 2026). The caller bounds it to a second by its own clock, with
// EndSynchronized.
func (t *Terminal) Synchronized() bool { return t.modes.has(modeSynchronized) }

// EndSynchronized ends a hold that took too long.
func (t *Terminal) EndSynchronized() { t.modes.set(modeSynchronized, false) }

// ReverseScreen reports whether the whole screen is drawn in reverse (DECSCNM).
func (t *Terminal) ReverseScreen() bool { return t.modes.has(modeReverseScreen) }

// InputModes is what the program wants of keys, mouse, focus and pastes.
func (t *Terminal) InputModes() InputModes {
	m := InputModes{
		AppCursor:       t.modes.has(modeAppCursor),
		AppKeypad:       t.modes.has(modeAppKeypad),
		BracketedPaste:  t.modes.has(modeBracketedPaste),
		FocusEvents:     t.modes.has(modeFocus),
		Newline:         t.modes.has(modeNewline),
		BackarrowBS:     t.modes.has(modeBackarrow),
		ModifyOtherKeys: t.otherKeys,
		Kitty:           t.scr.keys.flags(),
	}
	for _, e := range mouseModes {
		if t.modes.has(e.mode) {
			m.Mouse = e.mouse
		}
	}
	for _, e := range mouseEncodings {
		if t.modes.has(e.mode) {
			m.MouseEncoding = e.encoding
		}
	}
	return m
}

// Generation rises with every visible change.
func (t *Terminal) Generation() uint64 { return t.gen }

// RowGeneration is the generation of the last change of visible row y: a
// painter that drew at generation g redraws the rows with a higher one.
func (t *Terminal) RowGeneration(y int) uint64 {
	if y < 0 || y >= t.rows {
		return 0
	}
	return max(t.scr.meta[t.scr.order[y]].gen, t.allGen)
}

// SetCellSize sets the size of a cell in pixels for the reports that want it.
func (t *Terminal) SetCellSize(width, height int) {
	if width > 0 && height > 0 {
		t.cellW, t.cellH = min(width, 4096), min(height, 4096)
	}
}
