package vt

import (
	"encoding/binary"
	"testing"
)

// FuzzWrite feeds anything, split anywhere, with resizes in between, and asks
// that the terminal stays in order and bounded, that the fast and the plain
// paths agree, that how the bytes are split does not matter, and that a
// snapshot makes an equal terminal.
func FuzzWrite(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add([]byte(s), uint32(0x1234), uint8(9), uint8(5))
	}
	f.Fuzz(func(t *testing.T, data []byte, cuts uint32, cols, rows uint8) {
		if len(data) > 1<<14 {
			return
		}
		fuzzOne(t, data, cuts, int(cols%40)+1, int(rows%12)+1)
	})
}

func fuzzOne(t *testing.T, data []byte, cuts uint32, cols, rows int) {
	o := Options{Cols: cols, Rows: rows, Scrollback: 20, Event: func(Event) {}}
	whole, split, plain := New(o), New(o), New(o)
	plain.plain = true
	half := len(data) / 2
	feed := func(p []byte) {
		whole.Write(p)
		plain.Write(p)
		rng := cuts
		for len(p) > 0 {
			rng = rng*1664525 + 1013904223
			n := min(len(p), int(rng>>28)+1)
			split.Write(p[:n])
			p = p[n:]
		}
		for _, tm := range []*Terminal{whole, split, plain} {
			check(t, tm)
			checkMemory(t, tm)
		}
		a := state(whole)
		if b := state(split); a != b {
			t.Fatalf("split differs:\n%s", diffLines(a, b))
		}
		if b := state(plain); a != b {
			t.Fatalf("plain differs:\n%s", diffLines(a, b))
		}
		checkSnapshot(t, whole)
	}
	feed(data[:half])
	var seed [4]byte
	binary.LittleEndian.PutUint32(seed[:], cuts)
	for _, tm := range []*Terminal{whole, split, plain} {
		tm.Resize(int(seed[0]%50)+1, int(seed[1]%14)+1)
		check(t, tm)
		tm.lines() // when that happens decides how much is evicted
	}
	checkSnapshot(t, whole)
	whole.collect()
	check(t, whole)
	feed(data[half:])
}

var fuzzSeeds = []string{
	"hello\r\nworld\x1b[31mred\x1b[0m\x1b[2J\x1b[H",
	"\x1b[1;100r\x1b[M\x1b[2000000000I\x1b[100000b",
	"e\u0301\U0001F468\u200d\U0001F469\u200d\U0001F467 \U0001F1E9\U0001F1EA 1\ufe0f\u20e3 \u4e2d\u6587",
	"\x1b[?69h\x1b[3;6s\x1b[2;4r\x1b[?6h\x1b[1;1Habcdefgh\n\n\n\x1b[2L\x1b[M\x1b[3@\x1b[2P",
	"\x1b[?1049h\x1b[31;44mtext\x1b[K\x1b[?1049l\x1b7\x1b8",
	"\x1b]8;id=a;http://x/\x1b\\link\x1b]8;;\x1b\\\x1b]0;title\a\x1b[22t\x1b[23t",
	"\x1b#6double\x1b#8\x1b(0qqq\x1b(B\x1b[1\"qprot\x1b[?2J\x1bVguard\x1bW\x1b[2J",
	"\x1b[65;1;1;3;5$x\x1b[1;1;2;2$z\x1b[1;1;2;2;1;2;2;1$v\x1b[1;1;2;9;1;7$r\x1b[2*x\x1b[1;1;2;9;1;7$t",
	"\x1b[>1u\x1b[=3;2u\x1b[?u\x1b[<u\x1b[>4;2m\x1b[?2026h\x1b[?2004;1000;1006h\x1b[?1000s\x1b[?1000r",
	"\x9b\xc2\x9b31m\x1b%@\x9b1mx\x1b%G\xe2\x82\xf0\x9f\x98",
	"\x1b]9;9;C:\\x\a\x1b]5;1;red\a\x1b]17;#123456\a\x1b[#P\x1b]4;1;blue\a\x1b[2#P\x1b[#Q\x1b[>0;1t\x1b]2;6162\a\x1b[22;1t\x1b[23t",
	"\x1bPq\"1;1;30;20#0!9~-!9~\x1b\\\x1b_Ga=T,f=24,s=10,v=20,i=1,c=3,r=2;AAAA\x1b\\\n\n\x1b_Ga=p,i=1,p=2,C=1,z=-1\x1b\\\x1b_Ga=T,f=24,s=1,v=1,m=1;A\x1b\\\x1b_Gm=0;A\x1b\\\x1b_Ga=d,d=C\x1b\\",
	"\x1bP1$t2;3;1;C;A;E;1;2;@;BB%50\x1b\\\x1b L\x1b N\x1b[62\"p\x1b[&u\x1b[\"v\x1b['|\x1b[?1001h\x1b[?42h",
	"wraparoundtheedgeoftheline\U0001F600\U0001F600\U0001F600\U0001F600\U0001F600\x08\x08\x1b[?45hxx\x08\x08\x08",
	"\x1bP$qm\x1b\\\x1bP+q544e\x1b\\\x1b]4;1;?\a\x1b]11;rgb:12/34/56\a\x1b]7501;state=working\a",
}
