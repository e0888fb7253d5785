package vt

// InputModes is what the program has asked for about the bytes that it wants
// for keys, the mouse, focus changes and pastes.
type InputModes struct {
	AppCursor      bool // DECCKM (mode 1): cursor keys as SS3
	AppKeypad      bool // DECKPAM/DECNKM (mode 66): keypad keys as SS3
	BracketedPaste bool // mode 2004
	FocusEvents    bool // mode 1004
	Newline        bool // LNM (mode 20): Enter sends CR LF
	BackarrowBS    bool // DECBKM (mode 67): Backspace sends BS, not DEL
	Mouse          MouseMode
	MouseEncoding  MouseEncoding
	// ModifyOtherKeys is xterm's resource as set by CSI > 4 ; n m: 0 off,
	// 1 keys without a legacy form of their own, 2 all modified keys.
	ModifyOtherKeys int
	Kitty           KittyFlags // the top of the kitty keyboard stack; 0 legacy
}

// KittyFlags are the progressive enhancements of the kitty keyboard protocol.
type KittyFlags uint8

// The five enhancements.
const (
	KittyDisambiguate   KittyFlags = 1 << iota // escape codes where legacy is ambiguous
	KittyEventTypes                            // repeat and release are reported
	KittyAlternateKeys                         // shifted and base-layout key too
	KittyAllKeys                               // every key, text too, as escape code
	KittyAssociatedText                        // with the text that the key makes
)

// MouseMode says which mouse events the program wants.
type MouseMode uint8

// The mouse tracking modes, each with its DEC private mode.
const (
	MouseNone   MouseMode = iota
	MouseX10              // 9: presses only, no modifiers
	MouseButton           // 1000: presses, releases, wheel
	MouseDrag             // 1002: and motion while a button is down
	MouseMotion           // 1003: and all motion
)

// MouseEncoding is the form of a mouse report.
type MouseEncoding uint8

// The encodings, each with its DEC private mode.
const (
	MouseEncodingDefault   MouseEncoding = iota // CSI M and three bytes; nothing past column 223
	MouseEncodingUTF8                           // 1005: the same, positions in UTF-8
	MouseEncodingSGR                            // 1006: CSI < b ; x ; y M or m
	MouseEncodingURXVT                          // 1015: CSI b ; x ; y M
	MouseEncodingSGRPixels                      // 1016: as SGR, position in pixels
)
