package vt

// The parser follows the state machine of the DEC VT500 series as it is
// commonly drawn, with two tables one can read: byteClass sorts the 256 bytes
// into kinds, transitions says for each state and kind what is done and which
// state comes next. In the ground state, UTF-8 is decoded first (print.go);
// C1 controls are then U+0080–U+009F, or single bytes after ESC % @.

// parserState is a state of the machine.
type parserState uint8

const (
	stGround parserState = iota
	stEscape
	stEscapeInter
	stCSIEntry
	stCSIParam
	stCSIInter
	stCSIIgnore
	stDCSEntry
	stDCSParam
	stDCSInter
	stDCSIgnore
	stDCSData
	stOSC
	stString // SOS, PM, APC
	parserStates
)

// class is a kind of byte.
type class uint8

const (
	clC0     class = iota // 00–17, 19, 1C–1F but BEL: executed
	clBEL                 // 07
	clCancel              // 18, 1A
	clESC                 // 1B
	clInter               // 20–2F
	clDigit               // 30–39
	clColon               // 3A
	clSemi                // 3B
	clPriv                // 3C–3F
	clFinal               // 40–7E but those below
	clP                   // 50: DCS after ESC
	clStr                 // 58 SOS, 5E PM, 5F APC after ESC
	clLB                  // 5B: CSI after ESC
	clRB                  // 5D: OSC after ESC
	clDEL                 // 7F
	clHigh                // 80–FF
	classes
)

// action is what a transition does.
type action uint8

const (
	acNone     action = iota
	acExecute         // a C0 control
	acCancel          // CAN, SUB
	acEnterEsc        // forget parameters; ends a string
	acCollect         // an intermediate or private byte
	acParam           // a digit or separator
	acESC             // dispatch an escape sequence
	acCSI             // dispatch a control sequence
	acHook            // a device control string begins
	acStart           // an OSC, SOS, PM or APC begins
	acPut             // a byte of a string
	acEnd             // BEL ends an OSC
	acClear           // a CSI or DCS begins
)

// transition packs an action (low 4 bits) and a state (high 4 bits).
type transition uint8

func to(a action, s parserState) transition { return transition(s)<<4 | transition(a) }

// byteClass is the class of the bytes 00–7F; those above are clHigh.
const byteClass = "" +
	"\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x02\x03\x00\x00\x00\x00" +
	"\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04" +
	"\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x06\x07\x08\x08\x08\x08" +
	"\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09" +
	"\x0a\x09\x09\x09\x09\x09\x09\x09\x0b\x09\x09\x0c\x09\x0d\x0b\x0b" +
	"\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09" +
	"\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x0e"

func classOf(b byte) class {
	if b >= 0x80 {
		return clHigh
	}
	return class(byteClass[b])
}

// Rows that several states share. The order of the columns is that of the
// classes: C0, BEL, cancel, ESC, intermediate, digit, colon, semicolon,
// private, final, P, string, [, ], DEL, high.
const (
	xEsc = transition(stEscape)<<4 | transition(acEnterEsc)
	xCan = transition(stGround)<<4 | transition(acCancel)
	xCSI = transition(stGround)<<4 | transition(acCSI)
	xEnd = transition(stGround)<<4 | transition(acESC)
	xDCS = transition(stDCSData)<<4 | transition(acHook)
)

// transitions is the machine. A state's high-byte column keeps the state:
// what is not a string ignores bytes above 7F there.
var transitions = [parserStates][classes]transition{
	stEscape: {
		to(acExecute, stEscape), to(acExecute, stEscape), xCan, xEsc,
		to(acCollect, stEscapeInter), xEnd, xEnd, xEnd, xEnd, xEnd,
		to(acClear, stDCSEntry), to(acStart, stString), to(acClear, stCSIEntry), to(acStart, stOSC),
		to(acNone, stEscape), to(acNone, stEscape),
	},
	stEscapeInter: {
		to(acExecute, stEscapeInter), to(acExecute, stEscapeInter), xCan, xEsc,
		to(acCollect, stEscapeInter), xEnd, xEnd, xEnd, xEnd, xEnd, xEnd, xEnd, xEnd, xEnd,
		to(acNone, stEscapeInter), to(acNone, stEscapeInter),
	},
	stCSIEntry: {
		to(acExecute, stCSIEntry), to(acExecute, stCSIEntry), xCan, xEsc,
		to(acCollect, stCSIInter), to(acParam, stCSIParam), to(acParam, stCSIParam), to(acParam, stCSIParam),
		to(acCollect, stCSIParam), xCSI, xCSI, xCSI, xCSI, xCSI,
		to(acNone, stCSIEntry), to(acNone, stCSIEntry),
	},
	stCSIParam: {
		to(acExecute, stCSIParam), to(acExecute, stCSIParam), xCan, xEsc,
		to(acCollect, stCSIInter), to(acParam, stCSIParam), to(acParam, stCSIParam), to(acParam, stCSIParam),
		to(acNone, stCSIIgnore), xCSI, xCSI, xCSI, xCSI, xCSI,
		to(acNone, stCSIParam), to(acNone, stCSIParam),
	},
	stCSIInter: {
		to(acExecute, stCSIInter), to(acExecute, stCSIInter), xCan, xEsc,
		to(acCollect, stCSIInter), to(acNone, stCSIIgnore), to(acNone, stCSIIgnore), to(acNone, stCSIIgnore),
		to(acNone, stCSIIgnore), xCSI, xCSI, xCSI, xCSI, xCSI,
		to(acNone, stCSIInter), to(acNone, stCSIInter),
	},
	stCSIIgnore: {
		to(acExecute, stCSIIgnore), to(acExecute, stCSIIgnore), xCan, xEsc,
		to(acNone, stCSIIgnore), to(acNone, stCSIIgnore), to(acNone, stCSIIgnore), to(acNone, stCSIIgnore),
		to(acNone, stCSIIgnore), to(acNone, stGround), to(acNone, stGround), to(acNone, stGround),
		to(acNone, stGround), to(acNone, stGround),
		to(acNone, stCSIIgnore), to(acNone, stCSIIgnore),
	},
	stDCSEntry: {
		to(acNone, stDCSEntry), to(acNone, stDCSEntry), xCan, xEsc,
		to(acCollect, stDCSInter), to(acParam, stDCSParam), to(acNone, stDCSIgnore), to(acParam, stDCSParam),
		to(acCollect, stDCSParam), xDCS, xDCS, xDCS, xDCS, xDCS,
		to(acNone, stDCSEntry), to(acNone, stDCSIgnore),
	},
	stDCSParam: {
		to(acNone, stDCSParam), to(acNone, stDCSParam), xCan, xEsc,
		to(acCollect, stDCSInter), to(acParam, stDCSParam), to(acNone, stDCSIgnore), to(acParam, stDCSParam),
		to(acNone, stDCSIgnore), xDCS, xDCS, xDCS, xDCS, xDCS,
		to(acNone, stDCSParam), to(acNone, stDCSIgnore),
	},
	stDCSInter: {
		to(acNone, stDCSInter), to(acNone, stDCSInter), xCan, xEsc,
		to(acCollect, stDCSInter), to(acNone, stDCSIgnore), to(acNone, stDCSIgnore), to(acNone, stDCSIgnore),
		to(acNone, stDCSIgnore), xDCS, xDCS, xDCS, xDCS, xDCS,
		to(acNone, stDCSInter), to(acNone, stDCSIgnore),
	},
	stDCSIgnore: {
		to(acNone, stDCSIgnore), to(acNone, stDCSIgnore), xCan, xEsc,
		to(acNone, stDCSIgnore), to(acNone, stDCSIgnore), to(acNone, stDCSIgnore), to(acNone, stDCSIgnore),
		to(acNone, stDCSIgnore), to(acNone, stDCSIgnore), to(acNone, stDCSIgnore), to(acNone, stDCSIgnore),
		to(acNone, stDCSIgnore), to(acNone, stDCSIgnore),
		to(acNone, stDCSIgnore), to(acNone, stDCSIgnore),
	},
	stDCSData: {
		to(acPut, stDCSData), to(acPut, stDCSData), xCan, xEsc,
		to(acPut, stDCSData), to(acPut, stDCSData), to(acPut, stDCSData), to(acPut, stDCSData),
		to(acPut, stDCSData), to(acPut, stDCSData), to(acPut, stDCSData), to(acPut, stDCSData),
		to(acPut, stDCSData), to(acPut, stDCSData),
		to(acNone, stDCSData), to(acPut, stDCSData),
	},
	stOSC: {
		to(acNone, stOSC), to(acEnd, stGround), xCan, xEsc,
		to(acPut, stOSC), to(acPut, stOSC), to(acPut, stOSC), to(acPut, stOSC),
		to(acPut, stOSC), to(acPut, stOSC), to(acPut, stOSC), to(acPut, stOSC),
		to(acPut, stOSC), to(acPut, stOSC),
		to(acPut, stOSC), to(acPut, stOSC),
	},
	stString: {
		to(acPut, stString), to(acPut, stString), xCan, xEsc,
		to(acPut, stString), to(acPut, stString), to(acPut, stString), to(acPut, stString),
		to(acPut, stString), to(acPut, stString), to(acPut, stString), to(acPut, stString),
		to(acPut, stString), to(acPut, stString),
		to(acPut, stString), to(acPut, stString),
	},
}

const maxParams = 32

// parser is the machine's state between bytes.
type parser struct {
	state     parserState
	eightBit  bool // ESC % @: bytes are not UTF-8
	c1Lead    bool // the byte before, outside the ground state, was C2
	prefix    byte // 3C–3F before the parameters, or 0
	inter     [2]byte
	interN    uint8
	tooMany   bool // intermediates
	strKind   byte // 'P' DCS, ']' OSC, 'X', '^', '_'
	final     byte // of the DCS being read
	strLimit  int
	strTooBig bool
	strBEL    bool // the string ended with BEL

	nparam int
	colons uint32 // bit i: parameter i stands after a colon
	params [maxParams]int32

	str  []byte
	utf  [4]byte // the start of a character that is not complete
	utfN uint8
}

const maxParamValue = 65535

// begin forgets what the last sequence collected.
func (p *parser) begin() {
	p.prefix, p.interN, p.tooMany, p.nparam, p.colons = 0, 0, false, 0, 0
}

// collect keeps an intermediate or private byte.
func (p *parser) collect(b byte) {
	switch {
	case b >= 0x3c:
		p.prefix = b
	case int(p.interN) < len(p.inter):
		p.inter[p.interN] = b
		p.interN++
	default:
		p.tooMany = true
	}
}

// param takes a digit or a separator. Parameters past the last that fits are
// dropped, values are clamped.
func (p *parser) param(b byte) {
	if p.nparam == 0 {
		p.params[0], p.nparam = -1, 1
	}
	switch b {
	case ';', ':':
		if p.nparam <= maxParams {
			p.nparam++
		}
		if p.nparam <= maxParams {
			p.params[p.nparam-1] = -1
			if b == ':' {
				p.colons |= 1 << (p.nparam - 1)
			}
		}
	default:
		if p.nparam <= maxParams {
			v := &p.params[p.nparam-1]
			*v = min(max(*v, 0)*10+int32(b-'0'), maxParamValue)
		}
	}
}

// count is the number of parameters given.
func (p *parser) count() int { return min(p.nparam, maxParams) }

// arg is parameter i, or def if it was left out.
func (p *parser) arg(i, def int) int {
	if i >= p.count() || p.params[i] < 0 {
		return def
	}
	return int(p.params[i])
}

// arg1 is parameter i where both nothing and zero mean one.
func (p *parser) arg1(i int) int { return max(p.arg(i, 1), 1) }

// step feeds one byte to the machine outside the ground state.
func (t *Terminal) step(b byte) {
	p := &t.parser
	if b >= 0x80 && t.stepC1(b) {
		return
	}
	p.c1Lead = b == 0xc2
	tr := transitions[p.state][classOf(b)]
	from := p.state
	p.state = parserState(tr >> 4)
	switch action(tr & 15) {
	case acExecute:
		t.execute(b)
	case acCancel:
		p.str = p.str[:0]
	case acEnterEsc:
		if from >= stDCSData {
			p.strBEL = false
			t.endString()
		}
		p.begin()
	case acClear:
		p.begin()
	case acCollect:
		p.collect(b)
	case acParam:
		p.param(b)
	case acESC:
		t.escDispatch(b)
	case acCSI:
		t.csiDispatch(b)
	case acHook:
		p.final = b
		t.startString('P')
	case acStart:
		t.startString(b)
	case acPut:
		t.putString(b)
	case acEnd:
		p.strBEL = true
		t.endString()
	}
}

// stepC1 handles a C1 control outside the ground state: a single byte when
// bytes are not UTF-8, else C2 followed by it. In a string only ST counts.
func (t *Terminal) stepC1(b byte) bool {
	p := &t.parser
	if b >= 0xa0 || !(p.eightBit || p.c1Lead) {
		return false
	}
	if p.state >= stDCSIgnore {
		if b != 0x9c {
			return false
		}
		if n := len(p.str); p.c1Lead && !p.strTooBig && n > 0 && p.state > stDCSIgnore {
			p.str = p.str[:n-1]
		}
		state := p.state
		p.state, p.c1Lead, p.strBEL = stGround, false, false
		if state >= stDCSData {
			t.endString()
		}
		return true
	}
	p.c1Lead = false
	p.state = stGround
	t.c1(b)
	return true
}

// c1 executes a C1 control: it is ESC and the byte 40 hex lower.
func (t *Terminal) c1(b byte) {
	t.parser.begin()
	t.parser.state = stEscape
	t.step(b - 0x40)
}

// startString begins to collect a string. How much is kept depends on what it
// turns out to be; see putString.
func (t *Terminal) startString(kind byte) {
	p := &t.parser
	p.strKind, p.strTooBig = kind, false
	p.str = p.str[:0]
	p.strLimit = maxString
	switch {
	case kind == 'P' && p.final == 'q' && p.interN == 0, kind == '_':
		p.strLimit = maxImage
	case kind == 'X', kind == '^':
		p.strLimit = 0
	}
}

func (t *Terminal) putString(b byte) {
	p := &t.parser
	if p.strTooBig {
		return
	}
	if len(p.str) >= p.strLimit {
		t.stringFull()
		if p.strTooBig {
			return
		}
	}
	p.str = append(p.str, b)
}

// stringFull decides what happens to a string that has reached its limit: a
// clipboard text may go on, anything else is dropped whole, for half a
// string is none.
func (t *Terminal) stringFull() {
	p := &t.parser
	if p.strKind == ']' && p.strLimit == maxString && len(p.str) > 3 && string(p.str[:3]) == "52;" {
		p.strLimit = maxClipboard
		return
	}
	p.strTooBig = true
	p.str = p.str[:0]
}

// endString acts on a complete string.
func (t *Terminal) endString() {
	p := &t.parser
	if !p.strTooBig {
		switch p.strKind {
		case ']':
			t.oscDispatch(p.str)
		case 'P':
			t.dcsDispatch(p.str)
		case '_':
			t.apcDispatch(p.str)
		}
	}
	if cap(p.str) > keepString {
		p.str = nil
	}
	p.str = p.str[:0]
}
