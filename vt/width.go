package vt

//go:generate go -C internal/unitab run . -o ../../unitab.go -tests ../../testdata/grapheme-break-test.txt

import "strings"

// props is what the engine must know of one code point, packed in a byte:
// its class for grapheme segmentation (bits 0–4), its width in cells when it
// stands alone (bits 5–6: 0, 1 or 2), and whether a variation selector after
// it chooses between a text and an emoji shape (bit 7).
type props uint8

const (
	propClassMask  props = 0x1f
	propWidthShift       = 5
	propVSBase     props = 0x80
)

// class is the code point's class for grapheme segmentation.
func (p props) class() breakClass { return breakClass(p & propClassMask) }

// width is the code point's own width in cells: 0, 1 or 2.
func (p props) width() int { return int(p>>propWidthShift) & 3 }

// The variation selectors that choose the text (one cell) and the emoji (two
// cells) shape of the character before them.
const (
	variationText  = 0xfe0e // VS15
	variationEmoji = 0xfe0f // VS16
)

// runeProps looks r up. A value that is no Unicode scalar has the properties
// of U+FFFD.
func runeProps(r rune) props {
	if uint32(r) > 0x10ffff {
		r = 0xfffd
	}
	return props(unitabBlocks[int(unitabIndex[r>>unitabShift])<<unitabShift|int(r)&(1<<unitabShift-1)])
}

// clusterWidth is the width in cells of a cluster of width w after r, whose
// properties are p, has joined it; last holds the properties of the rune that
// stood before r in the cluster. A cluster begins with the width of its first
// rune, runeProps(r).width().
//
// The emoji selector makes a base that has both shapes two cells wide and the
// text selector makes it one; everything else makes a cluster as wide as its
// widest part, which gives flags, ZWJ families, keycaps and Hangul syllables
// two cells and an Indic conjunct the width of its widest letter.
func clusterWidth(w int, last props, r rune, p props) int {
	switch {
	case r == variationEmoji:
		if last&propVSBase != 0 {
			return 2
		}
	case r == variationText:
		if last&propVSBase != 0 && w == last.width() {
			return 1
		}
	default:
		w = max(w, p.width())
	}
	return w
}

// StringWidth is the number of terminal cells that s takes when it is written
// on one row. Control characters take none; escape sequences are not
// recognised (their printable bytes count).
func StringWidth(s string) int {
	n := 0
	for i := 0; i < len(s); {
		// A run of ASCII is its own length, but its last byte may be the base
		// of a cluster that continues after it.
		j := i
		for j < len(s) && s[j] >= 0x20 && s[j] < 0x7f {
			j++
		}
		if j == len(s) {
			return n + j - i
		}
		if j > i && s[j] >= 0x80 {
			j--
		}
		n += j - i
		size, w := nextCluster(s[j:])
		n += w
		i = j + size
	}
	return n
}

// Truncate cuts s so that it takes at most cols cells, never inside a
// grapheme cluster. If something was cut, tail (an ellipsis, say) stands at
// the end and counts; a tail that is wider than cols is left out.
func Truncate(s string, cols int, tail string) string {
	if cols <= 0 {
		return ""
	}
	if len(s) <= cols && isPrintableASCII(s) || StringWidth(s) <= cols {
		return s
	}
	room := cols - StringWidth(tail)
	if room < 0 {
		room, tail = cols, ""
	}
	end, used := 0, 0
	for end < len(s) {
		size, w := nextCluster(s[end:])
		if used+w > room {
			break
		}
		end, used = end+size, used+w
	}
	if tail == "" {
		return s[:end]
	}
	var b strings.Builder
	b.Grow(end + len(tail))
	b.WriteString(s[:end])
	b.WriteString(tail)
	return b.String()
}

func isPrintableASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}
