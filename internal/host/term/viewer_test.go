//go:build unix

package term

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/vt"
)

// view is a viewer with a terminal of its own.
type view struct {
	t       testing.TB
	c       *hostproto.Client
	term    *vt.Terminal
	ready   hostproto.Event
	resyncs int
	bytes   int
	owner   bool
	closed  *hostproto.Closed
	onEvent func(hostproto.Event)
}

// attach attaches a viewer and reads up to the end of its snapshot.
func (h *testHost) attach(hello hostproto.Hello) *view {
	h.t.Helper()
	v := &view{t: h.t, c: h.dial(hello)}
	v.until("ready", func() bool { return v.ready.Type != "" })
	return v
}

// next takes one message.
func (v *view) next(ctx context.Context) error {
	m, err := v.c.Next(ctx)
	if err != nil {
		return err
	}
	switch m.Type {
	case hostproto.FrameSnapshot:
		v.term.Write(m.Data)
	case hostproto.FrameOutput:
		v.bytes += len(m.Data)
		v.term.Write(m.Data)
	case hostproto.FrameEvent:
		v.event(*m.Event)
	}
	return nil
}

func (v *view) event(ev hostproto.Event) {
	switch ev.Type {
	case hostproto.EventReady:
		v.ready, v.owner = ev, ev.Owner
		if cols, rows := v.term.Size(); *ev.Size != (hostproto.Size{Cols: cols, Rows: rows}) {
			v.t.Errorf("ready at %v, the viewer is at %d×%d", *ev.Size, cols, rows)
		}
	case hostproto.EventResync:
		v.resyncs++
		v.term = vt.New(vt.Options{Cols: ev.Size.Cols, Rows: ev.Size.Rows})
	case hostproto.EventResized:
		if v.term == nil {
			v.term = vt.New(vt.Options{Cols: ev.Size.Cols, Rows: ev.Size.Rows})
		}
		v.term.Resize(ev.Size.Cols, ev.Size.Rows)
	case hostproto.EventOwner:
		v.owner = ev.Owner
	case hostproto.EventExited:
		v.closed = ev.Closed
	}
	if v.onEvent != nil {
		v.onEvent(ev)
	}
}

// until reads until ok.
func (v *view) until(what string, ok func() bool) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for !ok() {
		if err := v.next(ctx); err != nil {
			screen := ""
			if v.term != nil {
				screen = v.term.ScreenText()
			}
			v.t.Fatalf("wait for %s: %v; the screen is:\n%s", what, err, screen)
		}
	}
}

func (v *view) untilShows(part string) {
	v.t.Helper()
	v.until(part, func() bool { return strings.Contains(v.term.ScreenText(), part) })
}

func (v *view) typeIn(s string) {
	v.t.Helper()
	if err := v.c.Input(testContext(v.t), []byte(s)); err != nil {
		v.t.Fatal(err)
	}
}

// whole is everything that a terminal holds.
func whole(t *vt.Terminal) string {
	return string(t.Snapshot(nil, vt.SnapshotOptions{Scrollback: -1}))
}

// coloured makes n bytes of text with colours, cursor movement and wide
// characters, the same for the same seed.
func coloured(n int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	var b bytes.Buffer
	for b.Len() < n {
		switch r.IntN(12) {
		case 0:
			fmt.Fprintf(&b, "\x1b[%d;%dm", 30+r.IntN(8), r.IntN(2))
		case 1:
			fmt.Fprintf(&b, "\x1b[38;2;%d;%d;%dm", r.IntN(256), r.IntN(256), r.IntN(256))
		case 2:
			b.WriteString("\r\n")
		case 3:
			fmt.Fprintf(&b, "\x1b[%d;%dH", 1+r.IntN(24), 1+r.IntN(80))
		case 4:
			b.WriteString("日本語 🙂 é")
		case 5:
			b.WriteString("\x1b[K")
		default:
			fmt.Fprintf(&b, "line %d of output ", r.IntN(1e6))
		}
	}
	b.WriteString("\x1b[0m\x1b[24;1H\r\n")
	return b.Bytes()
}

// flood is a session that writes data, byte for byte, when Enter is pressed,
// and then says END.
func flood(t *testing.T, data []byte) (*testHost, string) {
	spec := testSpec(t, "")
	file := filepath.Join(spec.Record.Dir, "data")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	spec.Record.Command = `stty -opost -echo; printf READY; read x; cat data; printf END; read x; exit 0`
	return startHost(t, spec), file
}

// TestViewerSeesEveryByteOnce lets the program write piece by piece, each
// after a key, since a viewer on a busy machine may fall behind a flood, which
// is another test's subject.
func TestViewerSeesEveryByteOnce(t *testing.T) {
	const piece, pieces = 2 << 20, 25
	data := coloured(piece*pieces, 7)[:piece*pieces]
	spec := testSpec(t, "")
	if err := os.WriteFile(filepath.Join(spec.Record.Dir, "data"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	spec.Record.Command = fmt.Sprintf(`stty -opost -echo; printf READY; i=0; while [ $i -lt %d ]; do read x; `+
		`dd if=data bs=%d skip=$i count=1 2>/dev/null; i=$((i+1)); done; printf '\033[HEND'; read x`, pieces, piece)
	h := startHost(t, spec)
	first := h.attach(hostproto.Hello{Role: hostproto.RoleInteract, Size: &hostproto.Size{Cols: 80, Rows: 24}})
	first.untilShows("READY")
	ctx := testContext(t)
	sum, ref := sha256.New(), sha256.New()
	ref.Write(data)
	var late *view
	for i := range pieces {
		first.typeIn("\n")
		for got := 0; got < piece; {
			m, err := first.c.Next(ctx)
			if err != nil {
				t.Fatalf("piece %d after %d bytes: %v", i, got, err)
			}
			if m.Type == hostproto.FrameEvent && m.Event.Type == hostproto.EventResync {
				t.Fatal("a viewer that was less than 4 MiB behind was resynchronised")
			}
			if m.Type == hostproto.FrameOutput {
				n := min(len(m.Data), piece-got)
				sum.Write(m.Data[:n])
				got += len(m.Data)
			}
			if i == pieces/2 && late == nil {
				late = h.attach(hostproto.Hello{Role: hostproto.RoleObserve, Scrollback: -1})
			}
		}
	}
	if !bytes.Equal(sum.Sum(nil), ref.Sum(nil)) {
		t.Error("what came is not what was written")
	}
	late.untilShows("END")
	if late.resyncs > 0 {
		t.Logf("the viewer that came in the middle was resynchronised %d times", late.resyncs)
	}
	late.compareWith(h)
}

// compareWith compares what the viewer made of snapshot and stream with what
// the host holds.
func (v *view) compareWith(h *testHost) {
	v.t.Helper()
	// A viewer may be ahead of the host's own engine, whose state a snapshot is.
	c, size := h.control(), hostproto.Size{}
	cols, rows := v.term.Size()
	waitFor(v.t, func() string { return fmt.Sprintf("%d×%d; the host is at %v", cols, rows, size) }, func() bool {
		size = call[hostproto.Screen](v.t, c, hostproto.OpScreen, hostproto.ScreenRequest{}).Size
		return size == hostproto.Size{Cols: cols, Rows: rows}
	})
	now := h.attach(hostproto.Hello{Role: hostproto.RoleObserve, Scrollback: -1})
	if diff := cmp.Diff(now.term.ScreenText(), v.term.ScreenText()); diff != "" {
		v.t.Errorf("screen (-host +viewer):\n%s", diff)
	}
	if whole(now.term) != whole(v.term) {
		v.t.Errorf("state differs: %d lines of scrollback in the host, %d in the viewer after %d bytes and %d resyncs",
			now.term.ScrollbackLen(), v.term.ScrollbackLen(), v.bytes, v.resyncs)
	}
}

func TestStoppedViewerIsNotWaitedFor(t *testing.T) {
	data := coloured(40<<20, 9)
	times := map[bool]time.Duration{}
	for _, stopped := range []bool{false, true, false, true} {
		h, _ := flood(t, data)
		c := h.control()
		waitScreen(t, c, "READY", contains("READY"))
		var slow *view
		if stopped {
			slow = h.attach(hostproto.Hello{Role: hostproto.RoleObserve, Scrollback: -1})
		}
		begin := time.Now()
		call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Keys: []string{"enter"}})
		waitScreen(t, c, "END", contains("END"))
		took := time.Since(begin)
		if best, ok := times[stopped]; !ok || took < best {
			times[stopped] = took
		}
		if stopped {
			slow.until("a new snapshot", func() bool { return slow.resyncs > 0 })
			slow.untilShows("END")
			slow.compareWith(h)
		}
		call[hostproto.Closed](t, c, hostproto.OpClose, nil)
		h.waitGone()
	}
	// That it ends at all is the test; how fast is for BenchmarkDrain to say,
	// on a quiet machine.
	t.Logf("40 MiB: %v alone, %v with a stopped viewer", times[false], times[true])
}

func TestOwnership(t *testing.T) {
	h := startHost(t, testSpec(t, ""))
	size := func(cols, rows int) *hostproto.Size { return &hostproto.Size{Cols: cols, Rows: rows} }
	a := h.attach(hostproto.Hello{Role: hostproto.RoleInteract, Size: size(90, 20)})
	if !a.owner {
		t.Error("the first viewer does not own the session")
	}
	a.until("its size", func() bool { c, _ := a.term.Size(); return c == 90 })
	b := h.attach(hostproto.Hello{Role: hostproto.RoleInteract, Size: size(70, 30)})
	o := h.attach(hostproto.Hello{Role: hostproto.RoleObserve, Size: size(10, 10)})
	if !b.owner || o.owner {
		t.Errorf("owner: newest %v, observer %v", b.owner, o.owner)
	}
	a.until("losing it", func() bool { return !a.owner })
	a.until("the newest's size", func() bool { c, r := a.term.Size(); return c == 70 && r == 30 })

	a.typeIn("echo from-a\r")
	o.typeIn("echo from-o\r")
	b.typeIn("stty size; echo from''-b\r")
	for _, v := range []*view{a, b, o} {
		v.untilShows("30 70")
		v.untilShows("from-b")
		if text := v.term.ScreenText(); strings.Contains(text, "from-a") || strings.Contains(text, "from-o") {
			t.Errorf("someone else typed:\n%s", text)
		}
	}
	ctx := testContext(t)
	var refusal *hostproto.Error
	if err := a.c.Call(ctx, hostproto.OpResize, *size(95, 25), nil); !errors.As(err, &refusal) || refusal.Code != hostproto.CodeNotOwner {
		t.Errorf("resize by one who does not own: %v", err)
	}
	for _, op := range []string{hostproto.OpSend, hostproto.OpClose, hostproto.OpRename, hostproto.OpResize} {
		if err := o.c.Call(ctx, op, nil, nil); !errors.As(err, &refusal) || refusal.Code != hostproto.CodeNotOwner {
			t.Errorf("%s by an observer: %v", op, err)
		}
	}
	b.c.Close()
	a.until("owning it again", func() bool { return a.owner })
	a.until("the size it wants now", func() bool { c, r := a.term.Size(); return c == 95 && r == 25 })
	a.typeIn("stty size\r")
	a.untilShows("25 95")
	o.untilShows("25 95")
	// The same size again is nothing: each would make the program repaint.
	resized := 0
	o.onEvent = func(ev hostproto.Event) {
		if ev.Type == hostproto.EventResized {
			resized++
		}
	}
	for range 3 {
		call[hostproto.Size](t, a.c, hostproto.OpResize, *size(95, 25))
	}
	call[hostproto.Size](t, a.c, hostproto.OpResize, *size(96, 25))
	o.until("the new size", func() bool { c, _ := o.term.Size(); return c == 96 })
	if resized != 1 {
		t.Errorf("%d sizes were told", resized)
	}
	call[hostproto.Size](t, a.c, hostproto.OpResize, *size(95, 25))
	info := call[hostproto.Info](t, h.control(), hostproto.OpInfo, nil)
	if info.Viewers != 2 || info.Size != *size(95, 25) {
		t.Errorf("info: %d viewers, %v", info.Viewers, info.Size)
	}
}

// TestResizeInTheStream resizes while output flows: what the viewers make of
// it must stay what the host has.
func TestResizeInTheStream(t *testing.T) {
	h, _ := flood(t, coloured(6<<20, 11))
	a := h.attach(hostproto.Hello{Role: hostproto.RoleInteract, Size: &hostproto.Size{Cols: 80, Rows: 24}, Scrollback: -1})
	a.untilShows("READY")
	a.typeIn("\n")
	for i := 0; !strings.Contains(a.term.ScreenText(), "END"); i++ {
		if err := a.next(testContext(t)); err != nil {
			t.Fatal(err)
		}
		if i%10 == 0 {
			if err := a.c.Resize(testContext(t), hostproto.Size{Cols: 40 + i%60, Rows: 10 + i%30}); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := hostproto.Size{Cols: 77, Rows: 45} // no other is so high
	call[hostproto.Size](t, a.c, hostproto.OpResize, want)
	a.until("the last size", func() bool { c, r := a.term.Size(); return c == want.Cols && r == want.Rows })
	a.compareWith(h)
}

func TestViewerKilledInTheMiddle(t *testing.T) {
	h, _ := flood(t, coloured(4<<20, 3))
	a := h.attach(hostproto.Hello{Role: hostproto.RoleInteract, Size: &hostproto.Size{Cols: 80, Rows: 24}})
	a.untilShows("READY")
	a.typeIn("\n")
	a.c.Close() // what a killed process leaves: a closed socket with unread data
	c := h.control()
	waitScreen(t, c, "the rest of the output", contains("END"))
	waitFor(t, func() string { return "the viewer to be forgotten" }, func() bool {
		return call[hostproto.Info](t, c, hostproto.OpInfo, nil).Viewers == 0
	})
}

func TestEndIsReadToTheEnd(t *testing.T) {
	spec := testSpec(t, `printf READY; read x; seq 1 300000; printf 'the very end'; exit 3`)
	h := startHost(t, spec)
	a := h.attach(hostproto.Hello{Role: hostproto.RoleInteract, Size: &hostproto.Size{Cols: 80, Rows: 24}})
	a.untilShows("READY")
	c := h.control()
	if _, err := c.Subscribe(testContext(t)); err != nil {
		t.Fatal(err)
	}
	a.typeIn("\n")
	// The viewer does not read until the session is over.
	for ev := (hostproto.Event{}); ev.Type != hostproto.EventExited; {
		m, err := c.Next(testContext(t))
		if err != nil {
			t.Fatal(err)
		}
		ev = *m.Event
	}
	for {
		if err := a.next(testContext(t)); err != nil {
			if !errors.Is(err, hostproto.ErrClosed) {
				t.Fatal(err)
			}
			break
		}
		if a.closed != nil && !strings.HasSuffix(a.term.ScreenText(), "the very end") {
			t.Fatal("the end is told before the last output")
		}
	}
	if a.closed == nil || a.closed.ExitCode == nil || *a.closed.ExitCode != 3 || a.closed.Reason != hostproto.ReasonExited {
		t.Errorf("closed: %+v", a.closed)
	}
	if text := a.term.ScreenText(); !strings.HasSuffix(text, "300000\nthe very end") {
		t.Errorf("the screen at the end:\n%s", text)
	}
	if a.closed != nil && !strings.HasSuffix(a.closed.LastLines, "the very end") {
		t.Errorf("last lines %q", a.closed.LastLines)
	}
	h.waitGone()
}

func TestQueriesAreAnsweredOnce(t *testing.T) {
	// The program asks for the cursor's place and shows the answer.
	ask := `stty raw -echo; printf 'ab\033[6n'; dd bs=1 count=6 2>/dev/null | od -An -c; stty sane; printf 'asked\r\n'; ` +
		`read x; stty raw -echo; printf '\033[6n'; dd bs=1 count=6 2>/dev/null | od -An -c; stty sane; printf 'again\r\n'; read y; echo "<$y>"; read z`
	h := startHost(t, testSpec(t, ask))
	c := h.control()
	if text := waitScreen(t, c, "the answer without a viewer", contains("asked")); !strings.Contains(text, "[   1   ;   3   R") {
		t.Errorf("answer while detached:\n%s", text)
	}
	a := h.attach(hostproto.Hello{Role: hostproto.RoleInteract, Size: &hostproto.Size{Cols: 80, Rows: 24}})
	a.typeIn("\r")
	a.untilShows("again")
	// The viewer's own terminal answers too; that must not be typed.
	a.typeIn("\x1b[5;7R\x1b[?62;22c\x1bP>|xterm(390)\x1b\\")
	a.typeIn("te")
	a.typeIn("xt\x1b]11;rgb:0000/0000/0000\x07\r")
	a.untilShows("<text>")
}

func TestGarbageAndWrongVersions(t *testing.T) {
	h := startHost(t, testSpec(t, ""))
	ctx := testContext(t)
	for _, junk := range []string{"GET / HTTP/1.1\r\n\r\n", "C\xff\xff\xff\xff", "C\x00\x00\x00\x02{}", "C\x00\x00\x00\x01{", "I\x00\x00\x00\x01x", ""} {
		conn, err := net.Dial("unix", h.spec.Record.Socket)
		if err != nil {
			t.Fatal(err)
		}
		conn.Write([]byte(junk))
		conn.(*net.UnixConn).CloseWrite()
		conn.SetReadDeadline(time.Now().Add(patience))
		if _, err := conn.Read(make([]byte, 4096)); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%q: the host keeps the connection", junk)
		}
		conn.Close()
	}
	var refusal *hostproto.Error
	_, err := hostproto.Dial(ctx, h.spec.Record.Socket, hostproto.Hello{Min: 90, Max: 99, Role: hostproto.RoleControl})
	if !errors.As(err, &refusal) || refusal.Code != hostproto.CodeIncompatible || !strings.Contains(refusal.Message, "90 to 99") {
		t.Errorf("wrong version: %v", err)
	}
	if _, err := hostproto.Dial(ctx, h.spec.Record.Socket, hostproto.Hello{Role: "king"}); !errors.As(err, &refusal) || refusal.Code != hostproto.CodeBadRequest {
		t.Errorf("wrong role: %v", err)
	}
	c := h.control()
	if err := c.Call(ctx, "dance", nil, nil); !errors.As(err, &refusal) || refusal.Code != hostproto.CodeBadOp {
		t.Errorf("unknown operation: %v", err)
	}
	if err := c.Call(ctx, hostproto.OpSend, "text", nil); !errors.As(err, &refusal) || refusal.Code != hostproto.CodeBadRequest {
		t.Errorf("wrong body: %v", err)
	}
	if err := c.Call(ctx, hostproto.OpSend, hostproto.SendRequest{Keys: []string{"hyperspace"}}, nil); !errors.As(err, &refusal) || refusal.Code != hostproto.CodeBadKey {
		t.Errorf("wrong key: %v", err)
	}
	call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Text: "echo al''ive", Enter: true})
	waitScreen(t, c, "the shell, alive", contains("\nalive"))
}

func TestScrollbackIsRead(t *testing.T) {
	h := startHost(t, testSpec(t, "seq 1 12000; read x"))
	c := h.control()
	waitScreen(t, c, "the last line", contains("\n12000"))
	text := call[hostproto.Screen](t, c, hostproto.OpScreen, hostproto.ScreenRequest{Lines: 10_000}).Text
	lines := strings.Split(text, "\n")
	if len(lines) != 10_000 || lines[0] != "2001" || lines[9999] != "12000" {
		t.Errorf("%d lines, from %q to %q", len(lines), lines[0], lines[len(lines)-1])
	}
}

func TestEscapeBombs(t *testing.T) {
	spec := testSpec(t, "")
	var b bytes.Buffer
	b.WriteString("\x1b]0;")
	b.Write(bytes.Repeat([]byte("T"), 20<<20))
	b.WriteString("\x07\x1b]52;c;")
	b.Write(bytes.Repeat([]byte("QUJD"), 2<<20))
	b.WriteString("\x07\x1bP")
	b.Write(bytes.Repeat([]byte("x"), 5<<20))
	b.WriteString("\x1b\\\x1b[999999999;999999999;999999999H\x1b[2147483648@\x1b[1;99999999r\x1b[99999999L")
	b.WriteString("e" + strings.Repeat("\u0301", 1_000_000))
	b.WriteString("\x1b[8;60000;60000t\x1b[H\x1b[2J\x1bcsurvived")
	if err := os.WriteFile(filepath.Join(spec.Record.Dir, "bomb"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	spec.Record.Command = "cat bomb; read x"
	h := startHost(t, spec)
	v := h.attach(hostproto.Hello{Role: hostproto.RoleObserve})
	v.untilShows("survived")
	info := call[hostproto.Info](t, h.control(), hostproto.OpInfo, nil)
	if len(info.Record.LiveTitle) > maxTitle {
		t.Errorf("a title of %d bytes", len(info.Record.LiveTitle))
	}
}
