package vt

// charset is a set of 94 or 96 characters that can be designated to G0–G3.
type charset uint8

const (
	charsASCII        charset = iota
	charsGraphics             // DEC Special Graphics: lines and symbols
	charsTechnical            // DEC Technical
	charsLatin1               // ISO Latin-1 supplemental
	charsSupplemental         // DEC Supplemental
	charsUK
	charsDutch
	charsFinnish
	charsFrench
	charsFrenchCanadian
	charsGerman
	charsItalian
	charsNorwegian
	charsPortuguese
	charsSpanish
	charsSwedish
	charsSwiss
	charsCount
)

// charsets is what DECSC saves of the character sets.
type charsets struct {
	g      [4]charset
	gl, gr uint8
	single uint8 // SS2 or SS3 pending: 2 or 3, else 0
}

// charsetNames lists the final bytes (with an intermediate before some) of
// the designations of each set of 94 characters, the first being the one
// that reports use.
var charsetNames = [charsCount]string{
	charsASCII:          "B",
	charsGraphics:       "0 2",
	charsTechnical:      ">",
	charsLatin1:         "A", // of 96
	charsSupplemental:   "%5 <",
	charsUK:             "A",
	charsDutch:          "4",
	charsFinnish:        "5 C",
	charsFrench:         "R f",
	charsFrenchCanadian: "Q 9",
	charsGerman:         "K",
	charsItalian:        "Y",
	charsNorwegian:      "` E 6",
	charsPortuguese:     "%6",
	charsSpanish:        "Z",
	charsSwedish:        "7 H",
	charsSwiss:          "=",
}

// charsetByName finds a set by the last bytes of its designation.
func charsetByName(name string, of96 bool) (charset, bool) {
	if of96 {
		return charsLatin1, name == "A"
	}
	if name == "1" {
		return charsASCII, true
	}
	for c, names := range charsetNames {
		if charset(c) == charsLatin1 {
			continue
		}
		for names != "" {
			one := names
			rest := ""
			for i := range len(names) {
				if names[i] == ' ' {
					one, rest = names[:i], names[i+1:]
					break
				}
			}
			if one == name {
				return charset(c), true
			}
			names = rest
		}
	}
	return 0, false
}

// name is the designation of c.
func (c charset) name() string {
	names := charsetNames[c]
	for i := range len(names) {
		if names[i] == ' ' {
			return names[:i]
		}
	}
	return names
}

// nationalPositions are the bytes that national sets replace.
const nationalPositions = "#@[\\]^_`{|}~"

// nationalSets are the characters at nationalPositions.
var nationalSets = [charsCount]string{
	charsUK:             "£@[\\]^_`{|}~",
	charsDutch:          "£¾ĳ½|^_`¨ƒ¼´",
	charsFinnish:        "#@ÄÖÅÜ_éäöåü",
	charsFrench:         "£à°ç§^_`éùè¨",
	charsFrenchCanadian: "#àâçêî_ôéùèû",
	charsGerman:         "#§ÄÖÜ^_`äöüß",
	charsItalian:        "£§°çé^_ùàòèì",
	charsNorwegian:      "#ÄÆØÅÜ_äæøåü",
	charsPortuguese:     "#@ÃÇÕ^_`ãçõ~",
	charsSpanish:        "£§¡Ñ¿^_`°ñç~",
	charsSwedish:        "#ÉÄÖÅÜ_éäöåü",
	charsSwiss:          "ùàéçêîèôäöüû",
}

// graphicsSet is DEC Special Graphics from 5F on.
const graphicsSet = "\u00a0◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"

// technicalSet is DEC Technical from 21 on; a space stands for none.
const technicalSet = "⎷┌─⌠⌡│⎡⎣⎤⎦⎛⎝⎞⎠⎨⎬           ≤≠≥∫∴∝∞÷" +
	"Δ∇ΦΓ∼≃Θ×Λ⇔⇒≡ΠΨ Σ  √ΩΞΥ⊂⊃∩∪∧∨¬αβχδεφγηιθκλ ν∂πψρστ ƒωξυζ←↑→↓"

// mapped is the character that set c has at b (20–7E).
func (c charset) mapped(b byte) rune {
	switch c {
	case charsASCII:
		return rune(b)
	case charsGraphics:
		if b >= 0x5f {
			return runeAt(graphicsSet, int(b-0x5f))
		}
	case charsTechnical:
		if b >= 0x21 {
			if r := runeAt(technicalSet, int(b-0x21)); r != ' ' && r != 0 {
				return r
			}
			return ' '
		}
	case charsLatin1:
		return rune(b) | 0x80
	case charsSupplemental:
		switch b {
		case 0x28:
			return '¤'
		case 0x57:
			return 'Œ'
		case 0x5d:
			return 'Ÿ'
		case 0x77:
			return 'œ'
		case 0x7d:
			return 'ÿ'
		}
		return rune(b) | 0x80
	default:
		for i := range len(nationalPositions) {
			if nationalPositions[i] == b {
				return runeAt(nationalSets[c], i)
			}
		}
	}
	return rune(b)
}

func runeAt(s string, n int) rune {
	for _, r := range s {
		if n == 0 {
			return r
		}
		n--
	}
	return 0
}

// leftHalf maps a byte 20–7E through the set in GL, or a single shift.
func (t *Terminal) leftHalf(b byte) rune {
	cs := &t.cur.sets
	g := cs.gl
	if cs.single != 0 {
		g = cs.single
		cs.single = 0
		t.updatePrint()
	}
	return cs.g[g].mapped(b)
}

// rightHalf maps a byte A0–FF through the set in GR.
func (t *Terminal) rightHalf(b byte) rune {
	c := t.cur.sets.g[t.cur.sets.gr]
	if c == charsASCII || b == 0xa0 || b == 0xff {
		return rune(b)
	}
	return c.mapped(b & 0x7f)
}

// designate handles ESC ( … and its siblings.
func (t *Terminal) designate(inter []byte, final byte) {
	var g int
	of96 := false
	switch inter[0] {
	case '(':
	case ')':
		g = 1
	case '*':
		g = 2
	case '+':
		g = 3
	default: // - . /
		g, of96 = int(inter[0]-','), true
	}
	name := string(append(append([]byte(nil), inter[1:]...), final))
	if c, ok := charsetByName(name, of96); ok {
		t.cur.sets.g[g] = c
		t.updatePrint()
	}
}

// announce is the ANSI conformance levels of ESC SP L, M and N: ASCII in G0 and
// GL, for the first two Latin-1 in G1 and GR too.
func (t *Terminal) announce(latin bool) {
	cs := &t.cur.sets
	cs.g[0], cs.gl = charsASCII, 0
	if latin {
		cs.g[1], cs.gr = charsLatin1, 1
	}
	t.updatePrint()
}

// updatePrint decides whether printing may take the fast path.
func (t *Terminal) updatePrint() {
	cs := &t.cur.sets
	t.slowPrint = t.modes.has(modeInsert) || cs.single != 0 || cs.g[cs.gl] != charsASCII
}
