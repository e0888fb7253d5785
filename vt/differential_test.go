package vt

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The tests here compare the engine with @xterm/headless, a terminal by other
// hands, cell by cell: text, width, colours, attributes, underline, and the
// cursor, the scrollback's text and which screen is shown. `make xterm`
// installs it. Where the two differ on purpose stands in accepted, with the
// reason; what xterm.js does not have at all is not generated (see
// differential_stream_test.go).

// refStep is one step of a request to the reference terminal: bytes, or a new
// size.
type refStep struct {
	Data []byte `json:"data,omitempty"`
	Cols int    `json:"cols,omitempty"`
	Rows int    `json:"rows,omitempty"`
}

type refRequest struct {
	Cols       int       `json:"cols"`
	Rows       int       `json:"rows"`
	Scrollback int       `json:"scrollback"`
	Every      bool      `json:"every,omitempty"` // look after every step
	Steps      []refStep `json:"steps"`
}

// refScreen is a screen as the reference terminal's script prints it; see
// testdata/xterm/screen.mjs.
type refScreen struct {
	X, Y, History int
	Alt, Hidden   bool
	Lines         [][]refRun
}

type refRun struct {
	n    int
	cell string
}

func (r *refRun) UnmarshalJSON(b []byte) error {
	var v []any
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	n, ok := v[0].(float64)
	s, ok2 := v[1].(string)
	if !ok || !ok2 {
		return fmt.Errorf("no run: %s", b)
	}
	r.n, r.cell = int(n), s
	return nil
}

// reference is a running reference terminal.
type reference struct {
	in  io.Writer
	out *bufio.Reader
}

// newReference starts the reference terminal, or skips the test.
func newReference(t testing.TB) *reference {
	t.Helper()
	dir := os.Getenv("TERMIO_XTERM_DIR")
	if dir == "" {
		dir = filepath.Join("..", ".cache", "xterm")
	}
	skip := t.Skipf
	if os.Getenv("TERMIO_CI") != "" {
		skip = t.Fatalf // there everything that can be installed is
	}
	if _, err := exec.LookPath("node"); err != nil {
		skip("no node: install Node.js 20 or newer, then `make xterm`")
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "@xterm", "headless")); err != nil {
		skip("no reference terminal in %s: run `make xterm`", dir)
	}
	cmd := exec.Command("node", filepath.Join("testdata", "xterm", "screen.mjs"), dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close() // the script ends with its input
		if err := cmd.Wait(); err != nil {
			t.Errorf("the reference terminal: %v", err)
		}
	})
	return &reference{in: in, out: bufio.NewReaderSize(out, 1<<20)}
}

func (r *reference) send(req refRequest) error {
	b, err := json.Marshal(req)
	if err != nil {
		return err
	}
	_, err = r.in.Write(append(b, '\n'))
	return err
}

// refError is an exception in the reference terminal.
type refError struct{ text string }

func (e *refError) Error() string { return e.text }

// receive returns the screens of the oldest request.
func (r *reference) receive() ([]refScreen, error) {
	line, err := r.out.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	var reply struct {
		Screens []refScreen
		Error   string
	}
	if err := json.Unmarshal(line, &reply); err != nil {
		return nil, err
	}
	if reply.Error != "" {
		return nil, &refError{reply.Error}
	}
	return reply.Screens, nil
}

// describe writes a cell as the reference terminal's script does.
func describe(c Cell) string {
	var attrs []byte
	for _, a := range []struct {
		attr Attr
		name byte
	}{
		{AttrBold, 'b'},
		{AttrFaint, 'f'},
		{AttrItalic, 'i'},
		{AttrBlink, 'k'},
		{AttrReverse, 'r'},
		{AttrHidden, 'h'},
		{AttrStrike, 's'},
		{AttrOverline, 'o'},
	} {
		if c.Style.Attrs&a.attr != 0 {
			attrs = append(attrs, a.name)
		}
	}
	ul := "d"
	if c.Style.Underline != UnderlineNone {
		ul = describeColor(c.Style.UnderlineColor)
	}
	return strings.Join([]string{
		c.Text, strconv.Itoa(int(c.Width)), describeColor(c.Style.FG), describeColor(c.Style.BG), string(attrs),
		strconv.Itoa(int(c.Style.Underline)), ul, c.Link,
	}, "\t")
}

func describeColor(c Color) string {
	if i, ok := c.Index(); ok {
		return "p" + strconv.Itoa(int(i))
	}
	if r, g, b, ok := c.RGB(); ok {
		return "#" + strconv.Itoa(int(r)<<16|int(g)<<8|int(b))
	}
	return "d"
}

// agreement counts what was compared.
type agreement struct {
	streams, screens, cells, different int
	accepted                           map[string]int // cells, by reason
}

func (a *agreement) String() string {
	s := fmt.Sprintf("%d streams, %d screens, %d cells: %d differ (%.4f %% agree)", a.streams, a.screens, a.cells, a.different, 100*a.share())
	for reason, n := range a.accepted {
		s += fmt.Sprintf("; %d accepted: %s", n, reason)
	}
	return s
}

func (a *agreement) share() float64 { return 1 - float64(a.different)/float64(max(a.cells, 1)) }

// difference is one place where the two terminals are not the same.
type difference struct {
	where, ours, theirs string
}

func (d difference) String() string {
	return fmt.Sprintf("%s: %q, the reference has %q", d.where, d.ours, d.theirs)
}

// compare compares the terminal with the reference's screen. Cells count in a;
// what else differs is in the list only.
func (a *agreement) compare(t *Terminal, ref refScreen, skipHistory bool) []difference {
	var list []difference
	add := func(where string, ours, theirs any) {
		if o, r := fmt.Sprint(ours), fmt.Sprint(theirs); o != r {
			list = append(list, difference{where, o, r})
		}
	}
	cols, rows := t.Size()
	c := t.Cursor()
	a.screens++
	add("alternate screen", t.AltScreen(), ref.Alt)
	add("cursor", [2]int{min(c.X, cols-1), c.Y}, [2]int{min(ref.X, cols-1), ref.Y})
	add("cursor visible", c.Visible, !ref.Hidden)
	if !ref.Alt && !skipHistory {
		add("scrollback lines", t.ScrollbackLen(), ref.History)
		if t.ScrollbackLen() == ref.History {
			for i := range ref.History {
				add("scrollback line "+strconv.Itoa(i), t.ScrollbackText(i), lineText(ref.Lines[i]))
			}
		}
	}
	for y := range rows {
		line := ref.Lines[ref.History+y]
		x := 0
		for _, run := range line {
			for range run.n {
				a.cells++
				ours := describe(t.Cell(x, y))
				if ours != run.cell {
					if reason, ok := acceptedCell(ours, run.cell); ok {
						a.accepted[reason]++
					} else {
						a.different++
						list = append(list, difference{fmt.Sprintf("cell %d,%d", x, y), ours, run.cell})
					}
				}
				x++
			}
		}
	}
	return list
}

// lineText is a line's text without blanks at its end. Where xterm.js left the
// second half of a wide character it cut, that is a blank too.
func lineText(line []refRun) string {
	var b strings.Builder
	wide := false
	for _, run := range line {
		text, rest, _ := strings.Cut(run.cell, "\t")
		for range run.n {
			switch {
			case text != "":
				b.WriteString(text)
			case !wide || rest[0] != '0':
				b.WriteByte(' ')
			}
			wide = rest[0] == '2'
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// acceptedHistory are the streams whose scrollback is not compared: what SU
// scrolls off the top goes there with us, as with xterm, kitty and Ghostty;
// xterm.js drops it.
var acceptedHistory = regexp.MustCompile(`\x1b\[\d*S`)

// acceptedCells are the differences between cells that are as they should be.
// The fields are those that describe writes.
var acceptedCells = []struct {
	reason string
	match  func(ours, theirs []string) bool
}{
	{
		"half of a wide character that was cut is a space in that character's style; in xterm.js it is erased in the current one, or stays half",
		func(ours, theirs []string) bool { return ours[0] == " " && ours[1] == "1" && theirs[0] == "" },
	},
	{
		"the cell that a wide character leaves when it wraps is erased, which keeps the background only; xterm.js gives it the whole style",
		func(ours, theirs []string) bool {
			return ours[0] == "" && theirs[0] == "" && ours[1] == "1" && theirs[1] == "1" && ours[3] == theirs[3] && ours[2] == "d" && ours[4] == "" && ours[5] == "0"
		},
	},
}

// acceptedCell says why a difference between two cells is as it should be.
func acceptedCell(ours, theirs string) (reason string, ok bool) {
	o, t := strings.Split(ours, "\t"), strings.Split(theirs, "\t")
	for _, a := range acceptedCells {
		if a.match(o, t) {
			return a.reason, true
		}
	}
	return "", false
}

// check feeds a request's steps to an engine and compares after the last.
func (a *agreement) check(req refRequest, screens []refScreen) []difference {
	if len(screens) == 0 {
		return nil
	}
	term := New(Options{Cols: req.Cols, Rows: req.Rows, Scrollback: req.Scrollback})
	for _, s := range req.Steps {
		if s.Cols > 0 {
			term.Resize(s.Cols, s.Rows)
		} else {
			term.Write(s.Data)
		}
	}
	a.streams++
	skipHistory := false
	for _, s := range req.Steps {
		skipHistory = skipHistory || acceptedHistory.Match(s.Data)
	}
	return a.compare(term, screens[len(screens)-1], skipHistory)
}

// differs runs a stream by itself.
func (r *reference) differs(t testing.TB, s stream) []difference {
	req := s.request()
	if len(req.Steps) == 0 {
		return nil
	}
	if err := r.send(req); err != nil {
		t.Fatal(err)
	}
	screens, err := r.receive()
	if isRefError(err) {
		return nil
	} else if err != nil {
		t.Fatal(err)
	}
	a := newAgreement()
	return a.check(req, screens)
}

func isRefError(err error) bool {
	_, ok := err.(*refError)
	return ok
}

func newAgreement() agreement { return agreement{accepted: map[string]int{}} }

func envInt(name string, def int) int {
	if v, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return v
	}
	return def
}

// TestXtermGenerated compares the engine with xterm.js over generated streams.
func TestXtermGenerated(t *testing.T) { compareStreams(t, 10_050, generateStream) }

// TestXtermResize compares what becomes of lines when the size changes.
func TestXtermResize(t *testing.T) { compareStreams(t, 2000, generateResizes) }

// compareStreams compares n generated streams; of the first ones that differ it
// shows what is needed for it.
func compareStreams(t *testing.T, n int, generate func(seed uint64) stream) {
	ref, shrinker := newReference(t), newReference(t)
	if testing.Short() {
		n /= 10
	}
	n = envInt("TERMIO_XTERM_STREAMS", n)
	first := envInt("TERMIO_XTERM_FIRST", 0)
	const (
		ahead = 16 // requests under way, so that neither side waits
		shown = 10
	)
	a := newAgreement()
	failures, crashes := 0, 0
	for i := range n + ahead {
		if i < n {
			if err := ref.send(generate(uint64(first + i)).request()); err != nil {
				t.Fatal(err)
			}
		}
		if i < ahead {
			continue
		}
		seed := uint64(first + i - ahead)
		screens, err := ref.receive()
		if isRefError(err) {
			if crashes++; crashes == 1 {
				t.Logf("stream %d: the reference terminal fails: %.200v", seed, err)
			}
			continue
		} else if err != nil {
			t.Fatalf("stream %d: %v", seed, err)
		}
		s := generate(seed)
		if list := a.check(s.request(), screens); len(list) > 0 {
			failures++
			if failures <= shown {
				s = s.shrink(func(s stream) bool { return len(shrinker.differs(t, s)) > 0 })
				list = shrinker.differs(t, s)
				t.Errorf("stream %d, %d×%d: %q\n  %d differences, first %v", seed, s.cols, s.rows, s.ops, len(list), list[:min(3, len(list))])
			}
		}
	}
	t.Logf("%v; %d streams with a difference; the reference terminal failed on %d", a.String(), failures, crashes)
	if crashes > n/500 {
		t.Errorf("the reference terminal failed on %d of %d streams", crashes, n)
	}
	if a.share() < 0.999 {
		t.Errorf("only %.4f %% of the cells agree", 100*a.share())
	}
}
