package vt

// Key is one key event, as a keyboard gives it: which key, with which
// modifiers. EncodeKey turns it into the bytes that a program reads.
type Key struct {
	// Code names the key; KeyRune is a key that types Rune.
	Code KeyCode
	// Rune is the character that the key types without modifiers: 'a', not
	// 'A', also when Shift is held. Only for KeyRune.
	Rune rune
	// Shifted is what Shift makes of it; 0 is the upper case of Rune.
	Shifted rune
	// Base is the character in this place of a US keyboard, 0 if it is Rune.
	// Only kitty's alternate keys report it.
	Base rune
	// Text is what the event types; "" takes it from Rune, Shifted and Mods.
	Text string
	Mods Mods
	// Event is told apart only for programs that asked for it (kitty flag
	// KittyEventTypes); to others a repeat is a press and a release nothing.
	Event KeyEvent
}

// Mods are the modifiers held, with the bits that the kitty protocol uses
// (its parameter is their value plus one).
type Mods uint8

// The modifiers.
const (
	ModShift Mods = 1 << iota
	ModAlt
	ModCtrl
	ModSuper
	ModHyper
	ModMeta
	ModCapsLock
	ModNumLock

	// modsLegacy are those that xterm's encodings know.
	modsLegacy = ModShift | ModAlt | ModCtrl
	modsLocks  = ModCapsLock | ModNumLock
)

// KeyEvent is what happened to the key.
type KeyEvent uint8

// The key events.
const (
	KeyPress KeyEvent = iota
	KeyRepeat
	KeyRelease
)

// KeyCode names a key.
type KeyCode uint8

// The keys, as the kitty keyboard protocol tells them apart.
const (
	KeyRune KeyCode = iota
	KeyEscape
	KeyEnter
	KeyTab
	KeyBackspace
	KeyInsert
	KeyDelete
	KeyLeft
	KeyRight
	KeyUp
	KeyDown
	KeyPageUp
	KeyPageDown
	KeyHome
	KeyEnd
	KeyF1
	KeyF2
	KeyF3
	KeyF4
	KeyF5
	KeyF6
	KeyF7
	KeyF8
	KeyF9
	KeyF10
	KeyF11
	KeyF12
	KeyCapsLock // from here to the end in the order of their kitty numbers
	KeyScrollLock
	KeyNumLock
	KeyPrintScreen
	KeyPause
	KeyMenu
	KeyF13
	KeyF14
	KeyF15
	KeyF16
	KeyF17
	KeyF18
	KeyF19
	KeyF20
	KeyF21
	KeyF22
	KeyF23
	KeyF24
	KeyF25
	KeyF26
	KeyF27
	KeyF28
	KeyF29
	KeyF30
	KeyF31
	KeyF32
	KeyF33
	KeyF34
	KeyF35
	KeyKP0
	KeyKP1
	KeyKP2
	KeyKP3
	KeyKP4
	KeyKP5
	KeyKP6
	KeyKP7
	KeyKP8
	KeyKP9
	KeyKPDecimal
	KeyKPDivide
	KeyKPMultiply
	KeyKPSubtract
	KeyKPAdd
	KeyKPEnter
	KeyKPEqual
	KeyKPSeparator
	KeyKPLeft
	KeyKPRight
	KeyKPUp
	KeyKPDown
	KeyKPPageUp
	KeyKPPageDown
	KeyKPHome
	KeyKPEnd
	KeyKPInsert
	KeyKPDelete
	KeyKPBegin
	KeyMediaPlay
	KeyMediaPause
	KeyMediaPlayPause
	KeyMediaReverse
	KeyMediaStop
	KeyMediaFastForward
	KeyMediaRewind
	KeyMediaTrackNext
	KeyMediaTrackPrevious
	KeyMediaRecord
	KeyLowerVolume
	KeyRaiseVolume
	KeyMuteVolume
	KeyLeftShift
	KeyLeftControl
	KeyLeftAlt
	KeyLeftSuper
	KeyLeftHyper
	KeyLeftMeta
	KeyRightShift
	KeyRightControl
	KeyRightAlt
	KeyRightSuper
	KeyRightHyper
	KeyRightMeta
	KeyISOLevel3Shift
	KeyISOLevel5Shift

	keyCount
)

// keyForm is how one key is written.
type keyForm struct {
	// number and final make CSI number ; modifiers final, both for legacy and
	// for kitty. Number 1 is left out where nothing follows it.
	number uint16
	final  byte
	// ss3 is the final byte after SS3: of F1–F4 always when nothing modifies
	// them, of the cursor keys in application cursor mode, of the keypad in
	// application keypad mode.
	ss3   byte
	class keyClass
	// plain is the key that a keypad key stands for to programs that do not
	// tell the two apart; KeyRune with text for those that type something.
	plain KeyCode
	text  byte
}

type keyClass uint8

const (
	classKittyOnly keyClass = iota // no legacy form at all
	classC0                        // Enter, Tab, Backspace, Escape: a control character
	classCursor                    // CSI, or SS3 in application cursor mode
	classPF                        // F1–F4: SS3
	classTilde                     // CSI number ~
	classKeypad                    // as plain or text, or SS3 in application keypad mode
	classModifier                  // a modifier by itself
)

// keyForms is indexed by KeyCode. The numbers are those of the kitty keyboard
// protocol's table of functional keys, which for the keys that xterm has are
// xterm's.
var keyForms = [keyCount]keyForm{
	KeyEscape:    {number: 27, final: 'u', class: classC0},
	KeyEnter:     {number: 13, final: 'u', class: classC0},
	KeyTab:       {number: 9, final: 'u', class: classC0},
	KeyBackspace: {number: 127, final: 'u', class: classC0},

	KeyInsert:   {number: 2, final: '~', class: classTilde},
	KeyDelete:   {number: 3, final: '~', class: classTilde},
	KeyPageUp:   {number: 5, final: '~', class: classTilde},
	KeyPageDown: {number: 6, final: '~', class: classTilde},
	KeyUp:       {number: 1, final: 'A', ss3: 'A', class: classCursor},
	KeyDown:     {number: 1, final: 'B', ss3: 'B', class: classCursor},
	KeyRight:    {number: 1, final: 'C', ss3: 'C', class: classCursor},
	KeyLeft:     {number: 1, final: 'D', ss3: 'D', class: classCursor},
	KeyEnd:      {number: 1, final: 'F', ss3: 'F', class: classCursor},
	KeyHome:     {number: 1, final: 'H', ss3: 'H', class: classCursor},

	KeyF1:  {number: 1, final: 'P', ss3: 'P', class: classPF},
	KeyF2:  {number: 1, final: 'Q', ss3: 'Q', class: classPF},
	KeyF3:  {number: 13, final: '~', ss3: 'R', class: classPF}, // CSI R is a cursor position report
	KeyF4:  {number: 1, final: 'S', ss3: 'S', class: classPF},
	KeyF5:  {number: 15, final: '~', class: classTilde},
	KeyF6:  {number: 17, final: '~', class: classTilde},
	KeyF7:  {number: 18, final: '~', class: classTilde},
	KeyF8:  {number: 19, final: '~', class: classTilde},
	KeyF9:  {number: 20, final: '~', class: classTilde},
	KeyF10: {number: 21, final: '~', class: classTilde},
	KeyF11: {number: 23, final: '~', class: classTilde},
	KeyF12: {number: 24, final: '~', class: classTilde},

	KeyCapsLock: {number: 57358, final: 'u', class: classModifier},
	KeyNumLock:  {number: 57360, final: 'u', class: classModifier},

	KeyKP0:         {number: 57399, final: 'u', ss3: 'p', class: classKeypad, text: '0'},
	KeyKP1:         {number: 57400, final: 'u', ss3: 'q', class: classKeypad, text: '1'},
	KeyKP2:         {number: 57401, final: 'u', ss3: 'r', class: classKeypad, text: '2'},
	KeyKP3:         {number: 57402, final: 'u', ss3: 's', class: classKeypad, text: '3'},
	KeyKP4:         {number: 57403, final: 'u', ss3: 't', class: classKeypad, text: '4'},
	KeyKP5:         {number: 57404, final: 'u', ss3: 'u', class: classKeypad, text: '5'},
	KeyKP6:         {number: 57405, final: 'u', ss3: 'v', class: classKeypad, text: '6'},
	KeyKP7:         {number: 57406, final: 'u', ss3: 'w', class: classKeypad, text: '7'},
	KeyKP8:         {number: 57407, final: 'u', ss3: 'x', class: classKeypad, text: '8'},
	KeyKP9:         {number: 57408, final: 'u', ss3: 'y', class: classKeypad, text: '9'},
	KeyKPDecimal:   {number: 57409, final: 'u', ss3: 'n', class: classKeypad, text: '.'},
	KeyKPDivide:    {number: 57410, final: 'u', ss3: 'o', class: classKeypad, text: '/'},
	KeyKPMultiply:  {number: 57411, final: 'u', ss3: 'j', class: classKeypad, text: '*'},
	KeyKPSubtract:  {number: 57412, final: 'u', ss3: 'm', class: classKeypad, text: '-'},
	KeyKPAdd:       {number: 57413, final: 'u', ss3: 'k', class: classKeypad, text: '+'},
	KeyKPEnter:     {number: 57414, final: 'u', ss3: 'M', class: classKeypad, plain: KeyEnter},
	KeyKPEqual:     {number: 57415, final: 'u', ss3: 'X', class: classKeypad, text: '='},
	KeyKPSeparator: {number: 57416, final: 'u', ss3: 'l', class: classKeypad, text: ','},
	KeyKPLeft:      {number: 57417, final: 'u', class: classKeypad, plain: KeyLeft},
	KeyKPRight:     {number: 57418, final: 'u', class: classKeypad, plain: KeyRight},
	KeyKPUp:        {number: 57419, final: 'u', class: classKeypad, plain: KeyUp},
	KeyKPDown:      {number: 57420, final: 'u', class: classKeypad, plain: KeyDown},
	KeyKPPageUp:    {number: 57421, final: 'u', class: classKeypad, plain: KeyPageUp},
	KeyKPPageDown:  {number: 57422, final: 'u', class: classKeypad, plain: KeyPageDown},
	KeyKPHome:      {number: 57423, final: 'u', class: classKeypad, plain: KeyHome},
	KeyKPEnd:       {number: 57424, final: 'u', class: classKeypad, plain: KeyEnd},
	KeyKPInsert:    {number: 57425, final: 'u', class: classKeypad, plain: KeyInsert},
	KeyKPDelete:    {number: 57426, final: 'u', class: classKeypad, plain: KeyDelete},
	KeyKPBegin:     {number: 1, final: 'E', ss3: 'E', class: classCursor},
}

// form is the key's entry in keyForms. The keys that stand in their numbers'
// order and are only kitty's need no entry of their own.
func (c KeyCode) form() keyForm {
	if c >= keyCount {
		return keyForm{}
	}
	f := keyForms[c]
	if f.number != 0 || c < KeyCapsLock {
		return f
	}
	f.final = 'u'
	switch {
	case c >= KeyMediaPlay:
		f.number = 57428 + uint16(c-KeyMediaPlay)
	case c >= KeyF13:
		f.number = 57376 + uint16(c-KeyF13)
	default:
		f.number = 57358 + uint16(c-KeyCapsLock)
	}
	if c >= KeyLeftShift || c == KeyScrollLock {
		f.class = classModifier
	}
	return f
}
