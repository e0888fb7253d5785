package vt

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// sixel30 is a picture of 30×40 pixels: 3×2 cells of 10×20.
var sixel30 = "\x1bPq\"1;1;30;40#0;2;100;0;0" + strings.Repeat("#0!30~-", 7) + "\x1b\\"

// kitty30 shows a picture of 30×40 pixels; keys may say more.
func kitty30(keys string) string {
	return "\x1b_Gf=24,s=30,v=40" + keys + ";" + base64.StdEncoding.EncodeToString(make([]byte, 30*40*3)) + "\x1b\\"
}

func pngOf(w, h uint32) string {
	b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)...)
	return base64.StdEncoding.EncodeToString(append(b, 8, 6, 0, 0, 0))
}

// placed lists the pictures as format x,y cols×rows.
func placed(t *Terminal) string {
	var s []string
	for _, m := range t.Images() {
		kind := "sixel"
		if m.Format == ImageKitty {
			kind = fmt.Sprintf("kitty%d", m.data.id)
		}
		if m.Virtual {
			kind += " virtual"
		}
		s = append(s, fmt.Sprintf("%s %d,%d %d×%d", kind, m.X, m.Y, m.Cols, m.Rows))
	}
	return strings.Join(s, "; ")
}

func TestImagePlaces(t *testing.T) {
	for _, c := range []struct{ name, in, want, cursor string }{
		{"sixel", "ab" + sixel30, "sixel 2,0 3×3", "3,3"}, // 7 bands of 6 pixels, and one that is begun
		{"sixel in the corner", "\x1b[?80h\x1b[3;3H" + sixel30, "sixel 0,0 3×3", "3,3"},
		{"sixel scrolls", "\x1b[5;1H" + sixel30, "sixel 0,2 3×3", "1,5"},
		{"text over a sixel", sixel30 + "\x1b[2;2Hx", "", ""},
		{"text beside a sixel", sixel30 + "\x1b[2;4Hx", "sixel 0,0 3×3", ""},
		{"erased in part", sixel30 + "\x1b[2;3H\x1b[K", "", ""},
		{"erased beside", sixel30 + "\x1b[2;4H\x1b[K", "sixel 0,0 3×3", ""},
		{"screen cleared", sixel30 + kitty30(",a=T,i=1") + "\x1b[2J", "", ""},
		{"scrolled with its row", "\x1b[3;1H" + sixel30 + "\x1b[5;1H\n", "sixel 0,1 3×3", ""},
		{"scrolled off", sixel30 + "\x1b[5;1H\n", "", ""},
		{"another screen", sixel30 + "\x1b[?1049h", "", ""},
		{"back from it", sixel30 + "\x1b[?1049hx\x1b[?1049l", "sixel 0,0 3×3", ""},
		{"reset", sixel30 + kitty30(",a=T,i=1") + "\x1bc", "", ""},
		{"kitty", "ab" + kitty30(",a=T,i=7"), "kitty7 2,0 3×2", "6,2"},
		{"kitty, cursor stays", "ab" + kitty30(",a=T,i=7,C=1"), "kitty7 2,0 3×2", "3,1"},
		{"kitty, size given", kitty30(",a=T,i=7,c=6,r=1"), "kitty7 0,0 6×1", ""},
		{"kitty, columns given", kitty30(",a=T,i=7,c=6"), "kitty7 0,0 6×4", ""},
		{"kitty, rows given", kitty30(",a=T,i=7,r=4"), "kitty7 0,0 6×4", ""},
		{"kitty, a part of it", kitty30(",a=T,i=7,w=10,h=20"), "kitty7 0,0 1×1", ""},
		{"kitty stays under text", kitty30(",a=T,i=7") + "\rxx", "kitty7 0,0 3×2", ""},
		{"sent, then shown twice", kitty30(",i=9") + "\x1b_Ga=p,i=9\x1b\\\x1b[1;6H\x1b_Ga=p,i=9\x1b\\", "kitty9 0,0 3×2; kitty9 5,0 3×2", ""},
		{"shown again elsewhere", kitty30(",i=9") + "\x1b_Ga=p,i=9,p=1\x1b\\\x1b[1;6H\x1b_Ga=p,i=9,p=1\x1b\\", "kitty9 5,0 3×2", ""},
		{"by number", kitty30(",I=5") + "\x1b_Ga=p,I=5\x1b\\", "kitty2113929216 0,0 3×2", ""},
		{"PNG", "\x1b_Ga=T,f=100,i=3;" + pngOf(25, 21) + "\x1b\\", "kitty3 0,0 3×2", ""},
		{"in parts", "\x1b_Ga=T,f=24,s=10,v=20,i=3,m=1;AAAA\x1b\\\x1b_Gm=1;AAAA\x1b\\\x1b_Gm=0;AAAA\x1b\\", "kitty3 0,0 1×1", ""},
		{"a part of nothing", "\x1b_Gm=0;AAAA\x1b\\", "", ""},
		{"virtual", kitty30(",a=T,i=7,U=1,c=3,r=2"), "kitty7 virtual 0,0 3×2", "1,1"},
		{"a file", "\x1b_Ga=T,t=f,f=100,i=3;L2V0Yw==\x1b\\", "", "1,1"},
		{"a query", "\x1b_Ga=q,i=3,s=1,v=1,f=24;AAAA\x1b\\", "", "1,1"},
		{"nonsense", "\x1b_Gx;\x1b\\\x1b_G\x1b\\\x1b_Ga=Tx\x1b\\\x1b_Ga=T,s=-1,v=99999999999999999999\x1b\\\x1bPq\x1b\\", "", "1,1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var reply strings.Builder
			term := New(Options{Cols: 12, Rows: 5, Reply: func(b []byte) { reply.Write(b) }})
			term.Write([]byte(c.in))
			check(t, term)
			checkMemory(t, term)
			if got := placed(term); got != c.want {
				t.Errorf("pictures %q, want %q", got, c.want)
			}
			if got := cursorAt(term); c.cursor != "" && got != c.cursor {
				t.Errorf("cursor at %s, want %s", got, c.cursor)
			}
			if reply.Len() > 0 {
				t.Errorf("answered %q", reply.String())
			}
		})
	}
}

func TestImageDelete(t *testing.T) {
	setup := kitty30(",a=T,i=1,p=1,z=-1") + "\x1b[1;7H" + kitty30(",a=T,i=2,z=3") + "\x1b[4;1H" + kitty30(",a=T,i=3") + "\x1b[1;1H"
	for _, c := range []struct {
		keys, want string
		pictures   int
	}{
		{"", "", 3},
		{",d=a", "", 3},
		{",d=A", "", 0},
		{",d=i,i=2", "kitty1 0,0 3×2; kitty3 0,3 3×2", 3},
		{",d=I,i=2", "kitty1 0,0 3×2; kitty3 0,3 3×2", 2},
		{",d=i,i=1,p=2", "kitty1 0,0 3×2; kitty2 6,0 3×2; kitty3 0,3 3×2", 3},
		{",d=I,i=1,p=1", "kitty2 6,0 3×2; kitty3 0,3 3×2", 2},
		{",d=c", "kitty2 6,0 3×2; kitty3 0,3 3×2", 3},
		{",d=p,x=7,y=2", "kitty1 0,0 3×2; kitty3 0,3 3×2", 3},
		{",d=x,x=1", "kitty2 6,0 3×2", 3},
		{",d=Y,y=1", "kitty3 0,3 3×2", 1},
		{",d=z,z=-1", "kitty2 6,0 3×2; kitty3 0,3 3×2", 3},
		{",d=r,x=2,y=3", "kitty1 0,0 3×2", 3},
		{",d=f", "kitty1 0,0 3×2; kitty2 6,0 3×2; kitty3 0,3 3×2", 3},
	} {
		term := New(Options{Cols: 12, Rows: 5})
		term.Write([]byte(setup + "\x1b_Ga=d" + c.keys + "\x1b\\"))
		if got := placed(term); got != c.want || len(term.images.pics) != c.pictures {
			t.Errorf("a=d%s leaves %q and %d pictures, want %q and %d", c.keys, got, len(term.images.pics), c.want, c.pictures)
		}
	}
}

// TestImageGeneration: a painter hears of pictures that come and go.
func TestImageGeneration(t *testing.T) {
	term := New(Options{Cols: 12, Rows: 5})
	g := term.Generation()
	term.Write([]byte("\x1b[2;1H" + kitty30(",a=T,i=1,C=1")))
	if term.Generation() == g || term.RowGeneration(1) <= g || term.RowGeneration(3) > g {
		t.Error("a picture that came is not seen in the generations")
	}
	g = term.Generation()
	term.Write([]byte("\x1b_Ga=d\x1b\\"))
	if term.RowGeneration(1) <= g {
		t.Error("a picture that went is not seen in the generations")
	}
	term.Write([]byte(kitty30(",a=T,i=1,C=1") + kitty30(",a=T,i=2,U=1")))
	term.Resize(20, 2)
	if got := placed(term); got != "kitty2 virtual 0,-1 3×2" && got != "kitty2 virtual 0,1 3×2" && got != "kitty2 virtual 0,0 3×2" {
		t.Errorf("after a resize: %s", got)
	}
	term.Write([]byte("\x1b_Ga=d,d=I,i=2\x1b\\"))
	if len(term.Images()) != 0 {
		t.Error("the virtual one is still there")
	}
}

// TestImageSnapshot: with Images, a snapshot brings pictures, and one of which
// not all parts have come; without, none.
func TestImageSnapshot(t *testing.T) {
	big := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{1, 2, 3}, 3000))
	a := New(Options{Cols: 12, Rows: 6})
	a.Write([]byte("text\r\n" + sixel30 + "\x1b[2;7H\x1b_Ga=T,f=24,s=30,v=40,i=5,z=-2,m=1;" + big[:4096] + "\x1b\\\x1b_Gm=0;" + big[4096:] + "\x1b\\" + kitty30(",i=6") + "\x1b[2;5r\x1b[?6h\x1b[2;2H\x1b_Ga=T,f=24,s=10,v=20,i=8,m=1;AAAA\x1b\\"))
	snap := a.Snapshot(nil, SnapshotOptions{Images: true, Scrollback: -1})
	b := New(Options{Cols: 12, Rows: 6})
	b.Write(snap)
	check(t, b)
	if x, y := state(a), state(b); x != y {
		t.Fatal(diffLines(x, y))
	}
	if again := b.Snapshot(nil, SnapshotOptions{Images: true, Scrollback: -1}); !bytes.Equal(again, snap) {
		t.Errorf("a snapshot of the snapshot differs:\n%q\n%q", clip(snap), clip(again))
	}
	for _, term := range []*Terminal{a, b} {
		term.Write([]byte("\x1b_Gm=0;AAAA\x1b\\\x1b[1;1H\x1b_Ga=p,i=6\x1b\\"))
	}
	x, y := placed(a), placed(b)
	if want := "sixel 0,1 3×3; kitty5 6,1 3×2; kitty8 1,2 1×1; kitty6 0,1 3×2"; x != want || y != want {
		t.Errorf("pictures\n%s, and from the snapshot\n%s, want\n%s", x, y, want)
	}
	for i, m := range b.Images() {
		if o := a.Images()[i]; !bytes.Equal(m.data.bytes, o.data.bytes) {
			t.Errorf("picture %d has other pixels", i)
		}
	}
	if plain := a.Snapshot(nil, SnapshotOptions{}); bytes.Contains(plain, []byte("\x1b_G")) || bytes.Contains(plain, []byte("\x1bPq")) {
		t.Error("pictures in a snapshot that was not to have them")
	}
}

// TestImageMemory sends more pictures than are kept, and ones that never end.
func TestImageMemory(t *testing.T) {
	term := New(Options{Cols: 100, Rows: 50, Scrollback: 100})
	body := strings.Repeat("QUJD", 200_000)
	for i := range 40 {
		fmt.Fprintf(term, "\x1b_Ga=T,f=24,s=10,v=20,C=1,i=%d;%s\x1b\\", i+1, body)
		fmt.Fprintf(term, "\x1bPq~%s\x1b\\\x1b[H", strings.Repeat("$~", 100_000))
		if g := &term.images; g.bytes > maxImages {
			t.Fatalf("%d bytes of pictures", g.bytes)
		}
	}
	if len(term.Images()) == 0 {
		t.Error("no picture is left")
	}
	checkMemory(t, term)
	for i := range 2000 {
		fmt.Fprintf(term, "\x1b_Ga=p,i=40,p=%d\x1b\\\x1b[H", i+1)
	}
	if n := len(term.images.shown); n > maxShown {
		t.Errorf("%d showings", n)
	}
	fmt.Fprint(term, "\x1b_Ga=T,f=24,s=10,v=20,i=99,m=1;\x1b\\")
	for range 20 {
		fmt.Fprintf(term, "\x1b_Gm=1;%s\x1b\\", body)
	}
	checkMemory(t, term)
	if n := len(term.images.part.data); n > maxImage {
		t.Errorf("%d bytes of one picture", n)
	}
	fmt.Fprint(term, "\x1b_Gm=0;\x1b\\")
	if strings.Contains(placed(term), "kitty99") {
		t.Error("half of a picture that was too big is shown")
	}
	term.Write([]byte("\x1bc"))
	if n := term.MemoryUsed(); n > 1<<20 {
		t.Errorf("%d bytes after a reset", n)
	}
}
