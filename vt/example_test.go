package vt_test

import (
	"fmt"
	"os"

	"github.com/termio-sh/termio/vt"
)

func Example() {
	t := vt.New(vt.Options{
		Cols: 40, Rows: 5,
		Reply: func(b []byte) { fmt.Printf("to the program: %q\n", b) },
		Event: func(e vt.Event) {
			if e.Kind == vt.EventTitle {
				fmt.Println("title:", e.Text)
			}
		},
	})
	t.Write([]byte("\x1b]2;build\x07\x1b[1;32mok\x1b[m  3 tests\r\n\x1b[6n"))
	fmt.Println(t.ScreenText())
	// Output:
	// title: build
	// to the program: "\x1b[2;1R"
	// ok  3 tests
}

func ExampleTerminal_Cell() {
	t := vt.New(vt.Options{Cols: 10, Rows: 1})
	t.Write([]byte("\x1b[1;38;2;255;0;0m中\x1b]8;;https://go.dev/\x1b\\x"))
	for x := range 3 {
		c := t.Cell(x, 0)
		fmt.Printf("%q %d bold=%v %q\n", c.Text, c.Width, c.Style.Attrs&vt.AttrBold != 0, c.Link)
	}
	// Output:
	// "中" 2 bold=true ""
	// "" 0 bold=true ""
	// "x" 1 bold=true "https://go.dev/"
}

func ExampleTerminal_Snapshot() {
	a := vt.New(vt.Options{Cols: 20, Rows: 3})
	a.Write([]byte("one\r\ntwo\r\nthree\r\nfour"))
	b := vt.New(vt.Options{Cols: 20, Rows: 3})
	b.Write(a.Snapshot(nil, vt.SnapshotOptions{Scrollback: -1}))
	fmt.Println(b.TailText(4))
	// Output:
	// one
	// two
	// three
	// four
}

func ExampleTerminal_Search() {
	t := vt.New(vt.Options{Cols: 12, Rows: 2})
	t.Write([]byte("see error 42\r\nand error 7\r\n")) // the first has scrolled off
	found, err := t.Search(`error \d+`, vt.SearchOptions{Regexp: true})
	if err != nil {
		panic(err)
	}
	for _, r := range found {
		fmt.Println(r.Y0, t.RangeText(r))
	}
	// Output:
	// 0 error 42
	// 1 error 7
}

func ExampleTerminal_RowGeneration() {
	t := vt.New(vt.Options{Cols: 20, Rows: 3})
	t.Write([]byte("one\r\ntwo\r\nthree"))
	drawn := t.Generation()
	t.Write([]byte("\x1b[2;1HTWO"))
	for y := range 3 {
		if t.RowGeneration(y) > drawn {
			fmt.Println(y, t.RowText(y))
		}
	}
	// Output:
	// 1 TWO
}

func ExampleTerminal_RangeHTML() {
	t := vt.New(vt.Options{Cols: 20, Rows: 1})
	t.Write([]byte("a \x1b[1mbold\x1b[m <b>"))
	fmt.Println(t.RangeHTML(vt.Range{X1: 20}))
	// Output:
	// a <span style="font-weight:bold">bold</span> &lt;b&gt;
}

func ExampleEncodeKey() {
	t := vt.New(vt.Options{})
	up := vt.Key{Code: vt.KeyUp}
	fmt.Printf("%q\n", vt.EncodeKey(nil, up, t.InputModes()))
	t.Write([]byte("\x1b[?1h")) // application cursor keys
	fmt.Printf("%q\n", vt.EncodeKey(nil, up, t.InputModes()))
	t.Write([]byte("\x1b[>1u")) // the kitty keyboard protocol
	key, err := vt.ParseKeyFor("ctrl-i", t.InputModes())
	if err != nil {
		panic(err)
	}
	fmt.Printf("%q\n", vt.EncodeKey(nil, key, t.InputModes()))
	// Output:
	// "\x1b[A"
	// "\x1bOA"
	// "\x1b[105;5u"
}

func ExampleEncodePaste() {
	t := vt.New(vt.Options{})
	t.Write([]byte("\x1b[?2004h"))
	fmt.Printf("%q\n", vt.EncodePaste(nil, []byte("rm -rf x\x1b[201~\r"), t.InputModes()))
	// Output:
	// "\x1b[200~rm -rf x[201~\r\x1b[201~"
}

func ExampleInputFilter() {
	var f vt.InputFilter
	// What a viewer's terminal sends: a key, an answer to somebody's query, a key.
	fmt.Printf("%q\n", f.Filter(nil, []byte("a\x1b[?64;1;2cb")))
	// Output:
	// "ab"
}

func ExampleTruncate() {
	fmt.Println(vt.StringWidth("日本語 👩‍👩‍👧‍👦"))
	fmt.Println(vt.Truncate("日本語 and more", 8, "…"))
	// Output:
	// 9
	// 日本語 …
}

// A viewer whose terminal shows kitty pictures puts them where they belong.
func ExampleTerminal_Images() {
	t := vt.New(vt.Options{Cols: 20, Rows: 5})
	t.Write([]byte("\x1b[2;3H\x1b_Ga=T,f=24,s=1,v=1,c=4,r=2,i=7;AAAA\x1b\\"))
	for _, m := range t.Images() {
		out := m.AppendData(nil)
		out = fmt.Appendf(out, "\x1b[%d;%dH", m.Y+1, m.X+1)
		out = m.AppendShow(out)
		fmt.Fprintf(os.Stdout, "%d×%d cells at %d,%d: %t\n", m.Cols, m.Rows, m.X, m.Y, len(out) > 0)
	}
	// Output:
	// 4×2 cells at 2,1: true
}
