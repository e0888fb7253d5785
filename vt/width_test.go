package vt

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestRuneWidths(t *testing.T) {
	tests := []struct {
		name  string
		runes []rune
		want  int
	}{
		{"controls", []rune{0, 7, 0x1b, 0x7f, 0x85, 0x9b}, 0},
		{"ASCII", []rune{' ', 'a', '~', '0', '#'}, 1},
		{"Latin, Greek, Cyrillic", []rune{'é', 'ß', 'λ', 'Ж'}, 1},
		{"ambiguous", []rune{'§', '±', '×', '…', '—', '“', '①', '→', '■', '★', '─', '█', 'α'}, 1},
		{"private use, Nerd Font glyphs", []rune{0xe0b0, 0xe0a0, 0xf09b, 0xf418, 0xf8ff, 0xf0001, 0x100000}, 1},
		{"unassigned", []rune{0x378, 0x1ccfe, 0xe1000}, 1},
		{"replacement character", []rune{utf8.RuneError}, 1},
		{"soft hyphen", []rune{0xad}, 1},
		{"combining marks", []rune{0x300, 0x301, 0x20dd, 0x20e3, 0x5b0, 0x64b, 0xe31, 0x94d, 0x3099}, 0},
		{"zero width", []rune{0x200b, 0x200c, 0x200d, 0x2060, 0xfeff, 0x200e, 0x202a, 0xfe0f, 0xfe0e, 0xe0100, 0xe0061}, 0},
		{"spacing marks", []rune{0x93e, 0xe33, 0x903}, 1},
		{"CJK", []rune{'中', 'あ', 'ア', '。', '「', '한', 0x3000, 'Ａ', 0x20000, 0x3fffd}, 2},
		{"halfwidth", []rune{'ｱ', 0xffe8, 0xffa1}, 1},
		{"Hangul initials", []rune{0x1100, 0x1112, 0xa960}, 2},
		{"Hangul medials and finals", []rune{0x1160, 0x1161, 0x11a8, 0xd7b0, 0xd7cb}, 0},
		{"Hangul fillers", []rune{0x115f, 0x3164}, 2},
		{"emoji", []rune{'😀', '🚀', '⌚', '✅', '❌', '⚡', '🏽', '🇫', '🀄', 0x1fae9}, 2},
		{"text by default", []rune{'❤', '☀', '✈', '⚠', '✔', '©', '🅰', '🖥', '☁'}, 1},
		{"wide since Unicode 16", []rune{'☰', 0x2630, 0x268a, 0x4dc0}, 2},
		{"wide since Unicode 17", []rune{0x18d80, 0x16ff2, 0x1f6d8}, 2},
		{"noncharacters", []rune{0xfffe, 0x2fffe, 0x3ffff}, 1},
		{"vowels of Kirat Rai", []rune{0x16d63, 0x16d67}, 1},
		{"Arabic number signs", []rune{0x600, 0x6dd}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range tt.runes {
				if got := runeProps(r).width(); got != tt.want {
					t.Errorf("U+%04X: %d cells, want %d", r, got, tt.want)
				}
			}
		})
	}
}

func TestRunePropsOutsideUnicode(t *testing.T) {
	for _, r := range []rune{-1, 0x110000, 1<<31 - 1} {
		if got, want := runeProps(r), runeProps(utf8.RuneError); got != want {
			t.Errorf("rune %d: %#x, want %#x", r, got, want)
		}
	}
}

func TestStringWidth(t *testing.T) {
	tests := []struct {
		name, s string
		want    int
	}{
		{"empty", "", 0},
		{"ASCII", "hello, world", 12},
		{"CJK", "中文 ok", 7},
		{"combining", "e\u0301a\u0300\u0316", 2},
		{"lone mark", "\u0301", 0},
		{"VS16", "❤\ufe0f", 2},
		{"VS16 then text", "a⚠\ufe0fb", 4},
		{"VS16 on what has no emoji shape", "a\ufe0f", 1},
		{"VS16 not after its base", "1\u0301\ufe0f", 1},
		{"VS15", "⌚\ufe0e", 1},
		{"VS15 on narrow", "❤\ufe0e", 1},
		{"VS15 on what has no text shape", "🤖\ufe0e", 2},
		{"VS15 at the end of a family", "👩\u200d❤\ufe0e", 2},
		{"keycap", "1\ufe0f\u20e3", 2},
		{"keycap #", "#\ufe0f\u20e3*\ufe0f\u20e3", 4},
		{"keycap without selector", "1\u20e3", 1},
		{"flag", "🇫🇷", 2},
		{"flags", "🇫🇷🇩🇪", 4},
		{"flag and a half", "🇫🇷🇩", 4},
		{"half a flag", "🇫", 2},
		{"tag flag", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", 2},
		{"family", "👨\u200d👩\u200d👧\u200d👦", 2},
		{"heart on fire", "❤\ufe0f\u200d🔥", 2},
		{"heart on fire without selector", "❤\u200d🔥", 2},
		{"eye in bubble", "👁\ufe0f\u200d🗨\ufe0f", 2},
		{"skin tone", "👍🏽", 2},
		{"skin tone in ZWJ", "👩🏽\u200d🚒", 2},
		{"skin tone on narrow base", "☝🏽", 2},
		{"rainbow flag", "🏳\ufe0f\u200d🌈", 2},
		{"ZWJ between letters", "a\u200db", 2},
		{"Hangul syllables", "한국어", 6},
		{"Hangul jamo", "\u1112\u1161\u11ab", 2},
		{"Hangul jamo twice", "\u1112\u1161\u11ab\u1100\u116e\u11a8", 4},
		{"Hangul, no initial", "\u1161\u11ab", 1},
		{"Hangul LV and T", "하\u11ab", 2},
		{"Devanagari", "नमस्ते", 3},
		{"Devanagari conjunct", "क्ष", 1},
		{"Devanagari, no conjunct over ZWNJ", "क्\u200cष", 2},
		{"Tamil, no conjuncts", "ழ்ப", 2},
		{"Bengali conjunct", "ক্ত", 1},
		{"Malayalam conjunct", "ക്ഷ", 1},
		{"Thai", "สวัสดี", 4},
		{"Thai sara am", "น้ำ", 1},
		{"Lao", "ເດັກ", 3},
		{"Arabic", "مَرْحَبًا", 5},
		{"Hebrew with points", "שָׁלוֹם", 4},
		{"zero width space", "a\u200bb", 2},
		{"byte order mark", "\ufeffa", 1},
		{"private use", "\ue0b0\uf09b", 2},
		{"ambiguous", "“→”…", 4},
		{"zalgo", "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f", 1},
		{"controls", "a\tb\r\n\x1b", 2},
		{"broken UTF-8", "a\xff\xe4\xb8b", 5},
		{"variation selector 17", "葛\U000e0100", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := StringWidth(tt.s); got != tt.want {
				t.Errorf("StringWidth(%+q) = %d, want %d", tt.s, got, tt.want)
			}
			sum := 0
			for _, w := range Graphemes(tt.s) {
				sum += w
			}
			if sum != tt.want {
				t.Errorf("clusters of %+q sum up to %d, want %d", tt.s, sum, tt.want)
			}
		})
	}
}

func TestTruncate(t *testing.T) {
	tests := []struct {
		s    string
		cols int
		tail string
		want string
	}{
		{"hello", 5, "…", "hello"},
		{"hello", 4, "…", "hel…"},
		{"hello", 1, "…", "…"},
		{"hello", 0, "…", ""},
		{"hello", -3, "…", ""},
		{"hello", 2, "...", "he"},
		{"hello", 3, "...", "..."},
		{"hello", 4, "", "hell"},
		{"中文字", 6, "…", "中文字"},
		{"中文字", 5, "…", "中文…"},
		{"中文字", 4, "…", "中…"},
		{"中文字", 3, "", "中"},
		{"中", 1, "", ""},
		{"👨\u200d👩\u200d👧x", 2, "", "👨\u200d👩\u200d👧"},
		{"👨\u200d👩\u200d👧x", 2, "…", "…"},
		{"e\u0301e\u0301e\u0301", 2, "", "e\u0301e\u0301"},
		{"e\u0301e\u0301", 2, "…", "e\u0301e\u0301"},
		{"1\ufe0f\u20e3x", 2, "", "1\ufe0f\u20e3"},
		{"1\ufe0f\u20e3x", 1, "", ""},
		{"", 3, "…", ""},
	}
	for _, tt := range tests {
		if got := Truncate(tt.s, tt.cols, tt.tail); got != tt.want {
			t.Errorf("Truncate(%+q, %d, %q) = %+q, want %+q", tt.s, tt.cols, tt.tail, got, tt.want)
		}
	}
}

// mixed makes strings of what is hard to measure.
func mixed() *rapid.Generator[string] {
	parts := rapid.SampledFrom([]string{
		"a", "1", " ", "中", "é", "\u0301", "\ufe0f", "\ufe0e", "\u200d", "\u20e3", "❤", "⌚", "👩", "🏽", "🇫",
		"क", "्", "ष", "\u1112", "\u1161", "\u11ab", "한", "\u0600", "\u0903", "\r", "\n", "\x1b", "\xff", "\ue0b0",
	})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(parts, 0, 24).Draw(t, "parts"), "")
	})
}

func TestTruncateProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, cols := mixed().Draw(t, "s"), rapid.IntRange(0, 30).Draw(t, "cols")
		got := Truncate(s, cols, "…")
		if w := StringWidth(got); w > cols {
			t.Fatalf("%+q takes %d cells, more than %d", got, w, cols)
		}
		if StringWidth(s) <= cols && got != s && cols > 0 {
			t.Fatalf("%+q fits in %d and was cut to %+q", s, cols, got)
		}
		if got == s {
			return
		}
		head := strings.TrimSuffix(got, "…")
		for c := range Graphemes(s) {
			if head == "" {
				break
			}
			if !strings.HasPrefix(head, c) {
				t.Fatalf("%+q is cut inside the cluster %+q", got, c)
			}
			head = head[len(c):]
		}
	})
}

func TestStringWidthDoesNotAllocate(t *testing.T) {
	s := "plain text, 中文, 👨\u200d👩\u200d👧, é"
	if n := testing.AllocsPerRun(100, func() { StringWidth(s) }); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
}

func BenchmarkStringWidth(b *testing.B) {
	for name, s := range map[string]string{
		"ascii": strings.Repeat("hello, world ", 10),
		"cjk":   strings.Repeat("中文字", 40),
		"emoji": strings.Repeat("👨\u200d👩\u200d👧", 20),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				StringWidth(s)
			}
		})
	}
}

// TestEngineWidth: text takes the cells on the screen that StringWidth says,
// however it is cut into writes.
func TestEngineWidth(t *testing.T) {
	printable := rapid.Custom(func(t *rapid.T) string {
		return strings.NewReplacer("\r", "", "\n", "", "\x1b", "").Replace(mixed().Draw(t, "s"))
	})
	rapid.Check(t, func(t *rapid.T) {
		s := printable.Draw(t, "text")
		term := New(Options{Cols: 200, Rows: 2})
		cut := rapid.IntRange(0, len(s)).Draw(t, "cut")
		term.Write([]byte(s[:cut]))
		term.Write([]byte(s[cut:]))
		if got, want := term.Cursor().X, StringWidth(s); got != want {
			t.Fatalf("%+q takes %d cells on the screen, StringWidth says %d", s, got, want)
		}
	})
}
