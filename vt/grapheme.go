package vt

import (
	"iter"
	"unicode/utf8"
)

// breakClass is a code point's class for extended grapheme clusters. It joins
// the three properties that Unicode Standard Annex #29 (rules GB1–GB999) asks
// for, which never conflict: Grapheme_Cluster_Break, Extended_Pictographic and
// Indic_Conjunct_Break.
type breakClass uint8

const (
	classOther        breakClass = iota
	classCR                      // carriage return
	classLF                      // line feed
	classControl                 // other controls and line separators
	classExtend                  // combining marks: GCB=Extend, InCB=Extend
	classNonJoiner               // GCB=Extend, InCB=None (U+200C ZERO WIDTH NON-JOINER, …)
	classLinker                  // GCB=Extend, InCB=Linker (a virama)
	classZWJ                     // U+200D ZERO WIDTH JOINER
	classSpacingMark             // combining marks that take room
	classPrepend                 // joins with what follows
	classRegional                // regional indicators, two of which are a flag
	classHangulL                 // Hangul leading consonant
	classHangulV                 // Hangul vowel
	classHangulT                 // Hangul trailing consonant
	classHangulLV                // Hangul syllable without a trailing consonant
	classHangulLVT               // Hangul syllable with one
	classPictographic            // Extended_Pictographic
	classConsonant               // InCB=Consonant
)

// segmenter finds the boundaries of extended grapheme clusters one code point
// at a time. The zero value stands before the first; it is a plain value that
// may be copied and compared.
type segmenter struct {
	last breakClass
	// started tells the zero state from one after a classOther.
	started bool
	// odd: last is a regional indicator and an odd number of them precede.
	odd bool
	// pictographic: the cluster so far ends in Extended_Pictographic Extend*,
	// and a ZWJ if last is one (rule GB11).
	pictographic bool
	// conjunct: 1 after a consonant and its marks, 2 when a linker was among
	// them (rule GB9c).
	conjunct uint8
}

// reset forgets what came before: the next code point starts a cluster.
func (s *segmenter) reset() { *s = segmenter{} }

// next takes the next code point, whose properties are p, and reports whether
// it belongs to the same cluster as the one before it.
func (s *segmenter) next(r rune, p props) (joins bool) {
	c := p.class()
	joins = s.started && s.joins(c)
	s.advance(c)
	return joins
}

// joins decides the boundary between the state and a code point of class c.
func (s *segmenter) joins(c breakClass) bool {
	last := s.last
	switch {
	case last == classOther && (c == classOther || c == classPictographic || c == classConsonant):
		return false // GB999, by far the most frequent
	case last == classCR:
		return c == classLF // GB3, GB4
	case last == classLF || last == classControl: // GB4
		return false
	case c == classCR || c == classLF || c == classControl: // GB5
		return false
	case c >= classExtend && c <= classSpacingMark: // GB9, GB9a
		return true
	case last == classPrepend: // GB9b
		return true
	}
	switch c {
	case classHangulL, classHangulLV, classHangulLVT:
		return last == classHangulL // GB6
	case classHangulV:
		return last == classHangulL || last == classHangulLV || last == classHangulV // GB6, GB7
	case classHangulT: // GB7, GB8
		return last == classHangulLV || last == classHangulV || last == classHangulLVT || last == classHangulT
	case classPictographic:
		return last == classZWJ && s.pictographic // GB11
	case classConsonant:
		return s.conjunct == 2 // GB9c
	case classRegional:
		return last == classRegional && s.odd // GB12, GB13
	}
	return false
}

// advance moves the state over a code point of class c.
func (s *segmenter) advance(c breakClass) {
	s.odd = c == classRegional && !(s.started && s.last == classRegional && s.odd)
	switch c {
	case classPictographic:
		s.pictographic = true
	case classExtend, classNonJoiner, classLinker:
		s.pictographic = s.pictographic && s.last != classZWJ
	case classZWJ:
		s.pictographic = s.pictographic && s.last != classZWJ
	default:
		s.pictographic = false
	}
	switch c {
	case classConsonant:
		s.conjunct = 1
	case classLinker:
		if s.conjunct == 1 {
			s.conjunct = 2
		}
	case classExtend, classZWJ:
	default:
		s.conjunct = 0
	}
	s.last, s.started = c, true
}

// nextCluster measures the first grapheme cluster of s, which is not empty:
// its length in bytes and its width in cells.
func nextCluster(s string) (size, width int) {
	r, n := utf8.DecodeRuneInString(s)
	p := runeProps(r)
	var seg segmenter
	seg.next(r, p)
	size, width = n, p.width()
	if c := p.class(); c == classHangulV || c == classHangulT {
		width = 1 // half a syllable by itself
	}
	for size < len(s) {
		r, n = utf8.DecodeRuneInString(s[size:])
		q := runeProps(r)
		if !seg.next(r, q) {
			break
		}
		width = clusterWidth(width, p, r, q)
		size += n
		p = q
	}
	return size, width
}

// Graphemes yields the extended grapheme clusters of s in order, each with
// the number of cells it takes. Bytes that are not UTF-8 are clusters of
// their own and as wide as U+FFFD.
func Graphemes(s string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for len(s) > 0 {
			size, width := nextCluster(s)
			if !yield(s[:size], width) {
				return
			}
			s = s[size:]
		}
	}
}
