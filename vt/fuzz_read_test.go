package vt

import (
	"strings"
	"testing"
)

// FuzzRead writes anything and reads it back in every way there is: searched,
// selected and exported, at any place.
func FuzzRead(f *testing.F) {
	for i, s := range fuzzSeeds {
		f.Add([]byte(s), "[a-z]+|.", int8(i), int8(3), int8(i+4), int8(1))
	}
	f.Add([]byte("\x1b]133;A\a$ \x1b]133;B\aecho\r\n\x1b]133;C\aout\r\n\x1b]133;D;0\a"), "^o", int8(0), int8(0), int8(99), int8(9))
	f.Add([]byte("中文中文中文中文👩\u200d👩\u200d👧x"), "文", int8(1), int8(1), int8(1), int8(2))
	f.Fuzz(func(t *testing.T, data []byte, pattern string, x0, y0, x1, y1 int8) {
		if len(data) > 1<<12 || len(pattern) > 100 {
			return
		}
		term := New(Options{Cols: 11, Rows: 5, Scrollback: 20})
		term.Write(data)
		for _, o := range []SearchOptions{{}, {IgnoreCase: true}, {Regexp: true}, {Regexp: true, IgnoreCase: true, Limit: 3}} {
			found, err := term.Search(pattern, o)
			if err != nil {
				continue
			}
			last := Range{}
			for _, r := range found {
				if r.Y1 < r.Y0 || r.Y1 == r.Y0 && r.X1 <= r.X0 || r.Y0 < last.Y1 || r.Y0 == last.Y1 && r.X0 < last.X1 {
					t.Fatalf("match %+v after %+v", r, last)
				}
				last = r
				term.RangeText(r)
			}
		}
		r := Range{X0: int(x0), Y0: int(y0), X1: int(x1), Y1: int(y1)}
		term.RangeText(r)
		if s := term.RangeANSI(r); strings.Count(s, "\n") > term.ScrollbackLen()+5 {
			t.Fatalf("%d lines of %d", strings.Count(s, "\n"), term.ScrollbackLen()+5)
		}
		if s := term.RangeHTML(r); strings.Count(s, "<span") != strings.Count(s, "</span>") || strings.Contains(s, "<script") {
			t.Fatalf("HTML %q", s)
		}
		term.CommandAt(int(y0))
		term.WordAt(int(x0), int(y0))
		term.LineAt(int(y0))
		term.TailText(int(y1))
		for i := -1; i <= term.ScrollbackLen(); i++ {
			term.ScrollbackText(i)
			term.AppendScrollbackRow(nil, i)
		}
		for y := -1; y <= 5; y++ {
			term.AppendRow(nil, y, int(x0), int(x1))
			term.Cell(int(x0), y)
			term.RowText(y)
		}
		check(t, term)
		checkMemory(t, term)
	})
}

// FuzzRestore writes the snapshot of one terminal into another that is in any
// state. What is on the screen then is what was on the first.
func FuzzRestore(f *testing.F) {
	for i, s := range fuzzSeeds {
		f.Add([]byte(s), []byte(fuzzSeeds[(i*5+3)%len(fuzzSeeds)]))
	}
	f.Fuzz(func(t *testing.T, data, before []byte) {
		if len(data) > 1<<12 || len(before) > 1<<12 {
			return
		}
		a, b := New(Options{Cols: 12, Rows: 6, Scrollback: 20}), New(Options{Cols: 12, Rows: 6, Scrollback: 20})
		a.Write(data)
		b.Write(before)
		b.Write(a.Snapshot(nil, SnapshotOptions{Scrollback: -1, Images: true, Reset: true}))
		check(t, b)
		checkMemory(t, b)
		if x, y := a.ScreenText(), b.ScreenText(); x != y {
			t.Fatalf("shows\n%s\nand restored\n%s", x, y)
		}
		fresh := New(Options{Cols: 12, Rows: 6, Scrollback: 20})
		fresh.Write(a.Snapshot(nil, SnapshotOptions{Images: true}))
		if x, y := placed(a), placed(fresh); strings.Count(x, "kitty") != strings.Count(y, "kitty") {
			t.Fatalf("pictures %s, and restored %s", x, y)
		}
	})
}

// FuzzText measures and cuts text: clusters make up the whole, widths add up.
func FuzzText(f *testing.F) {
	for _, s := range []string{"hello", "中文\u0301", "👨\u200d👩\u200d👧\U0001F1E9\U0001F1EA1\ufe0f\u20e3", "\xff\xe4\xb8", "a\x1b[31mb\tc\x00", "\u1100\u1161\u11a8"} {
		f.Add(s, int16(3), "…")
	}
	f.Fuzz(func(t *testing.T, s string, cols int16, tail string) {
		all, width := "", 0
		for cluster, w := range Graphemes(s) {
			all += cluster
			width += w
		}
		if all != s || width != StringWidth(s) {
			t.Fatalf("%q: clusters make %q, %d cells of %d", s, all, width, StringWidth(s))
		}
		cut := Truncate(s, int(cols), tail)
		if w := StringWidth(cut); w > max(int(cols), 0) && tail == "" {
			t.Fatalf("%q cut to %d is %q, %d cells", s, cols, cut, w)
		}
	})
}

// FuzzEncode encodes any key and mouse event for any modes: never a control
// sequence that a program could take for two, and nothing that panics.
func FuzzEncode(f *testing.F) {
	f.Add(uint8(0), rune('a'), uint8(5), uint8(1), uint16(0x1f), uint8(3), uint8(2), int16(5), int16(300))
	f.Add(uint8(3), rune(0), uint8(1), uint8(2), uint16(0x8003), uint8(1), uint8(4), int16(-1), int16(0))
	f.Fuzz(func(t *testing.T, code uint8, r rune, mods, event uint8, modes uint16, button, encoding uint8, x, y int16) {
		m := InputModes{
			AppCursor: modes&1 != 0, AppKeypad: modes&2 != 0, Newline: modes&4 != 0, BackarrowBS: modes&8 != 0,
			Kitty: KittyFlags(modes >> 4 & 31), ModifyOtherKeys: int(modes >> 9 & 3),
			Mouse: MouseMode(modes >> 11 & 7), MouseEncoding: MouseEncoding(encoding & 7),
		}
		key := EncodeKey(nil, Key{Code: KeyCode(code), Rune: r, Mods: Mods(mods), Event: KeyEvent(event)}, m)
		if len(key) > 80 {
			t.Fatalf("a key of %d bytes", len(key))
		}
		mouse := EncodeMouse(nil, MouseEvent{Action: MouseAction(event), Button: Button(button), X: int(x), Y: int(y), Mods: Mods(mods)}, m)
		if len(mouse) > 0 && (mouse[0] != 0x1b || len(mouse) < 6 || len(mouse) > 40) {
			t.Fatalf("mouse %q", mouse)
		}
	})
}
