package vt

import (
	"bufio"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestGraphemeBreak replays Unicode's own boundaries.
func TestGraphemeBreak(t *testing.T) {
	f, err := os.Open("testdata/grapheme-break-test.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for sc := bufio.NewScanner(f); sc.Scan(); n++ {
		var want []string
		for cluster := range strings.SplitSeq(sc.Text(), " ÷ ") {
			var b strings.Builder
			for cp := range strings.SplitSeq(cluster, " × ") {
				r, err := strconv.ParseUint(cp, 16, 21)
				if err != nil {
					t.Fatal(err)
				}
				b.WriteRune(rune(r))
			}
			want = append(want, b.String())
		}
		var got []string
		for c := range Graphemes(strings.Join(want, "")) {
			got = append(got, c)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %+q", sc.Text(), got)
		}
	}
	if n < 700 {
		t.Errorf("only %d tests were read", n)
	}
}

func TestGraphemesStopsEarly(t *testing.T) {
	n := 0
	for range Graphemes("abc") {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d clusters after a break", n)
	}
}

// TestSegmenterIncremental: a copy of the state taken anywhere goes on as the
// original does, and clusters put together are the string.
func TestSegmenterIncremental(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := mixed().Draw(t, "s")
		var got strings.Builder
		for c := range Graphemes(s) {
			got.WriteString(c)
		}
		if got.String() != s {
			t.Fatalf("clusters of %+q make %+q", s, got.String())
		}
		var a segmenter
		for rest := s; rest != ""; {
			r, n := utf8.DecodeRuneInString(rest)
			b := a
			if x, y := a.next(r, runeProps(r)), b.next(r, runeProps(r)); x != y || a != b {
				t.Fatalf("a copy went another way at %+q", rest)
			}
			rest = rest[n:]
		}
		a.reset()
		if a.next(0x301, runeProps(0x301)) {
			t.Fatal("a mark joined across a reset")
		}
	})
}
