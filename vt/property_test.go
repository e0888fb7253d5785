package vt

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// torrent makes output as a program might, and worse: text of every kind and
// every control function, with parameters that fit and some that do not.
type torrent struct {
	*rand.Rand
	b strings.Builder
}

var torrentTexts = []string{
	"hello", "The quick brown fox jumps over the lazy dog", "x", " ", "    ", "\u4e2d\u6587", "\u00e9", "e\u0301", "\u0301",
	"\U0001F600", "\U0001F468\u200d\U0001F469\u200d\U0001F467", "\U0001F1E9\U0001F1EA", "\U0001F1E9", "1\ufe0f\u20e3", "\u2764\ufe0f", "\u2764\ufe0e",
	"\ufe0f", "\u200d", "\u200b", "\u1100\u1161\u11a8", "\u1161", "\u0915\u094d\u0937", "\u0600", "\u2500\u2500\u2500", "\u3000", "\uac00", "\u0e33", "~|q`_",
}

var torrentFinals = "@ABCDEFGHIJKLMPSTXZ`abcdefghilmnrstu"

func (s *torrent) param() string {
	switch s.IntN(12) {
	case 0:
		return ""
	case 1:
		return "0"
	case 2:
		return fmt.Sprint(s.IntN(300))
	case 3:
		return "99999999999"
	}
	return fmt.Sprint(1 + s.IntN(12))
}

func (s *torrent) params(n int) string {
	var p []string
	for range s.IntN(n + 1) {
		p = append(p, s.param())
	}
	return strings.Join(p, ";")
}

func (s *torrent) sgr() string {
	return []string{
		"", "0", "1", "2", "3", "4", "4:3", "5", "7", "8", "9", "21", "22", "24", "27", "39", "49", "53", "55", "59",
		"31", "44", "95", "103", "38;5;200", "48;5;17", "38;2;1;2;3", "48:2::9:8:7", "58:5:9", "58:2::1:2:3", "38;2;1", "1;31;44",
	}[s.IntN(32)]
}

func (s *torrent) step() {
	w := func(f string, a ...any) { fmt.Fprintf(&s.b, f, a...) }
	switch n := s.IntN(100); {
	case n < 35:
		for range 1 + s.IntN(4) {
			w("%s", torrentTexts[s.IntN(len(torrentTexts))])
		}
	case n < 47:
		w("\x1b[%sm", s.sgr())
	case n < 53:
		w("\r\n")
	case n < 57:
		w("%c", "\r\n\t\b\v\x0e\x0f\x00\a"[s.IntN(9)])
	case n < 64:
		w("\x1b[%s;%sH", s.param(), s.param())
	case n < 76:
		w("\x1b[%s%c", s.params(3), torrentFinals[s.IntN(len(torrentFinals))])
	case n < 81:
		m := modeNumbers[s.IntN(len(modeNumbers))]
		q := "?"
		if m.ansi {
			q = ""
		}
		w("\x1b[%s%d%c", q, m.n, "hlhlsr"[s.IntN(6)])
	case n < 83:
		w("\x1b[?%s%c", s.params(1), "JKnW"[s.IntN(4)])
	case n < 86:
		w("\x1b[%s%s", s.params(8), []string{"$x", "$z", "${", "$v", "$r", "$t", "*x", "*y", "\"q", " q", "'}", "'~", " @", " A", "#{", "#}", "#y", "!p", "\"p", "$w"}[s.IntN(20)])
	case n < 90:
		w("\x1b%s", []string{"7", "8", "D", "E", "M", "H", "6", "9", "N", "O", "n", "o", "~", "}", "|", "=", ">", "V", "W", "c"}[s.IntN(20)])
	case n < 93:
		w("\x1b%s", []string{"#3", "#4", "#5", "#6", "#8", "(0", "(B", ")0", "*A", "+K", "-A", "%@", "%G", " G", " F", "(%5"}[s.IntN(16)])
	case n < 97:
		w("\x1b]%s", []string{
			"0;title\a", "1;icon\x1b\\", "2;t\u00e9\xffx\x01y\a", "4;1;rgb:11/22/33\a", "4;1;?\a", "104\a", "104;1\a", "10;#123456\a", "11;?\a", "110\a",
			"8;;http://a/\a", "8;id=x;http://b/\a", "8;;\a", "7;file://h/a%20b\a", "133;A\a", "133;B\a", "133;C\a", "133;D;3\a", "52;c;aGk=\a",
			"9;note\a", "9;4;1;50\a", "99;i=1:d=0;part\a", "99;i=1:p=body;rest\a", "777;notify;a;b\a", "7501;?\a", "7501;state=idle\x1b\\",
		}[s.IntN(26)])
	case n < 99:
		w("\x1b[%s%s", []string{">", "<", "=", "?"}[s.IntN(4)], s.params(2)+string("umqcnS"[s.IntN(6)]))
	default:
		w("%s", []string{"\x1bPq#0;2\x1b\\", "\x1b_Ga=q;\x1b\\", "\x1bP$qm\x1b\\", "\x1bX\u00e9\x1b\\", "\x1b[3", "\x1b]0;un", "\xe4\xb8", "\x1b[1 ", "\x1bP1", "\xc2\x9b3", "\x1b[22t", "\x1b[23;2t", "\x9c"}[s.IntN(13)])
	}
}

// TestStreams does what FuzzWrite does on streams that look like output.
func TestStreams(t *testing.T) {
	n := 1500
	if testing.Short() {
		n = 200
	}
	for seed := range n {
		s := newTorrent(uint64(seed))
		for range 10 + s.IntN(60) {
			s.step()
		}
		data := s.b.String()
		cuts := s.Uint32()
		cols, rows := 1+s.IntN(40), 1+s.IntN(12)
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) { fuzzOne(t, []byte(data), cuts, cols, rows) })
		if !ok {
			t.Fatalf("size %d×%d cuts %d stream %q", cols, rows, cuts, data)
		}
	}
}

func newTorrent(seed uint64) *torrent {
	return &torrent{Rand: rand.New(rand.NewPCG(seed, torrentSalt))}
}

const torrentSalt = 8
