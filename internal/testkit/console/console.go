//go:build unix

package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Options say what terminal the program finds itself in.
type Options struct {
	Rows, Cols int // 36×110 when 0
	// Start starts the command where it is to run (a network namespace's
	// Start); nil is the command's own.
	Start func(*exec.Cmd) error
	// NoProgramStatus leaves the OSC 7501 query unanswered.
	NoProgramStatus bool
	// Raw gets every byte that the program wrote, when not nil.
	Raw io.Writer
}

// A Console is a program on a PTY. Its methods may be called from any
// goroutine.
type Console struct {
	cmd    *exec.Cmd
	master *os.File
	raw    io.Writer

	mu      sync.Mutex
	in      reader
	queue   []byte        // bytes to type
	changed chan struct{} // closed and replaced when the program did anything
	typed   chan struct{} // has a value when the queue is not empty
	gone    chan struct{} // closed when the program has been waited for
	drained chan struct{} // closed when nothing more comes from the PTY
	waitErr error         // valid after gone
}

// Start starts cmd as the leader of its own session on a new PTY.
func Start(cmd *exec.Cmd, o Options) (*Console, error) {
	if o.Rows == 0 {
		o.Rows, o.Cols = 36, 110
	}
	master, slave, err := openPTY()
	if err != nil {
		return nil, fmt.Errorf("open a PTY: %w", err)
	}
	defer slave.Close()
	c := &Console{
		cmd: cmd, master: master, raw: o.Raw,
		in: reader{
			screen: newScreen(o.Rows, o.Cols), modes: map[int]bool{}, support7501: !o.NoProgramStatus,
		},
		changed: make(chan struct{}), typed: make(chan struct{}, 1),
		gone: make(chan struct{}), drained: make(chan struct{}),
	}
	if err := c.setSize(o.Rows, o.Cols); err != nil {
		master.Close()
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	start := (*exec.Cmd).Start
	if o.Start != nil {
		start = func(cmd *exec.Cmd) error { return o.Start(cmd) }
	}
	if err := start(cmd); err != nil {
		master.Close()
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	go c.read()
	go c.write()
	go func() {
		c.waitErr = cmd.Wait()
		c.mu.Lock()
		close(c.gone)
		c.wake()
		c.mu.Unlock()
	}()
	return c, nil
}

func (c *Console) setSize(rows, cols int) error {
	err := withFD(c.master, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(rows), Col: uint16(cols)})
	})
	if err != nil {
		return fmt.Errorf("set the PTY's size: %w", err)
	}
	return nil
}

// withFD runs f on the file's descriptor; unlike Fd it leaves the file
// non-blocking.
func withFD(file *os.File, f func(fd int) error) error {
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := conn.Control(func(fd uintptr) { inner = f(int(fd)) }); err != nil {
		return err
	}
	return inner
}

// read applies what the program writes until no one holds the PTY any more.
func (c *Console) read() {
	defer close(c.drained)
	buf := make([]byte, 64<<10)
	for {
		n, err := c.master.Read(buf)
		c.mu.Lock()
		if n > 0 {
			if c.raw != nil {
				c.raw.Write(buf[:n]) // a recording that fails must not stop the test
			}
			c.in.write(buf[:n])
			if len(c.in.answers) > 0 {
				c.enqueue(c.in.answers)
				c.in.answers = nil
			}
		}
		c.wake()
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// write types what is queued. A program that does not read holds up only this.
func (c *Console) write() {
	for {
		select {
		case <-c.typed:
		case <-c.drained:
			return
		}
		c.mu.Lock()
		b := c.queue
		c.queue = nil
		c.mu.Unlock()
		if _, err := c.master.Write(b); err != nil {
			return // the program is gone, which WaitExit tells
		}
	}
}

// wake tells the waiting that something changed. The caller holds c.mu.
func (c *Console) wake() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// enqueue is called with c.mu held.
func (c *Console) enqueue(b []byte) {
	c.queue = append(c.queue, b...)
	select {
	case c.typed <- struct{}{}:
	default:
	}
}

// Type queues bytes as the terminal sends them; it does not wait until the
// program has read them.
func (c *Console) Type(s string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enqueue([]byte(s))
}

// Paste types text as a paste: bracketed when the program asked for that.
func (c *Console) Paste(s string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.in.modes[2004] {
		s = "\x1b[200~" + s + "\x1b[201~"
	}
	c.enqueue([]byte(s))
}

// Resize changes the terminal's size.
func (c *Console) Resize(rows, cols int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.in.screen.resize(rows, cols)
	return c.setSize(rows, cols)
}

// A View is what a console shows at one moment.
type View struct {
	// Text is the visible lines, without trailing blanks.
	Text string
	// Row and Col are the cursor's, from 0.
	Row, Col  int
	Alternate bool
	// Modes are the DEC private modes that are set, in order.
	Modes []int
	// KeyFlags are the kitty keyboard protocol's flags, the newest last.
	KeyFlags []int
	// Titles and OSCs are all that came, in order; OSCs without their frame.
	Titles, OSCs []string
	Bells        int
	Exited       bool
}

// Title is the newest title.
func (v View) Title() string {
	if len(v.Titles) == 0 {
		return ""
	}
	return v.Titles[len(v.Titles)-1]
}

// Contains says whether the screen shows text; blanks and line ends between
// its words do not count, as programs wrap where they like.
func (v View) Contains(text string) bool {
	return strings.Contains(squeeze(v.Text), squeeze(text))
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// View returns what the console shows now.
func (c *Console) View() View {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.view()
}

func (c *Console) view() View {
	s := c.in.screen
	v := View{
		Text: s.text(), Row: s.row, Col: s.col, Alternate: s.alternate,
		KeyFlags: slices.Clone(c.in.keys), Titles: slices.Clone(c.in.titles),
		OSCs: slices.Clone(c.in.oscs), Bells: c.in.bells,
	}
	for m, on := range c.in.modes {
		if on {
			v.Modes = append(v.Modes, m)
		}
	}
	slices.Sort(v.Modes)
	select {
	case <-c.gone:
		v.Exited = true
	default:
	}
	return v
}

// Wait returns the first view that fits, or an error with the screen as it was
// when ctx or the program ended.
func (c *Console) Wait(ctx context.Context, what string, fits func(View) bool) (View, error) {
	for {
		c.mu.Lock()
		v, changed := c.view(), c.changed
		c.mu.Unlock()
		if fits(v) {
			return v, nil
		}
		over := c.drained
		if !v.Exited {
			over = nil
		}
		select {
		case <-changed:
		case <-over:
			if v = c.View(); fits(v) {
				return v, nil
			}
			return v, fmt.Errorf("wait for %s: the program ended (%v); its screen:\n%s", what, c.waitErr, v.Text)
		case <-ctx.Done():
			return v, fmt.Errorf("wait for %s: %w; the screen:\n%s", what, context.Cause(ctx), v.Text)
		}
	}
}

// WaitText waits until the screen shows text.
func (c *Console) WaitText(ctx context.Context, text string) (View, error) {
	return c.Wait(ctx, fmt.Sprintf("%q", text), func(v View) bool { return v.Contains(text) })
}

// WaitExit waits for the program's end and returns its exit code, -1 when a
// signal ended it.
func (c *Console) WaitExit(ctx context.Context) (int, error) {
	select {
	case <-c.gone:
	case <-ctx.Done():
		return 0, fmt.Errorf("wait for the program's end: %w; the screen:\n%s", context.Cause(ctx), c.View().Text)
	}
	select {
	case <-c.drained: // what it wrote last is on the screen
	case <-ctx.Done():
	case <-time.After(time.Second): // something that it started has the terminal open
	}
	var exit *exec.ExitError
	if c.waitErr != nil && !errors.As(c.waitErr, &exit) {
		return 0, fmt.Errorf("wait for the program's end: %w", c.waitErr)
	}
	return c.cmd.ProcessState.ExitCode(), nil
}

// Echoes says whether the line discipline echoes what is typed, and Canonical
// whether it hands over whole lines only.
func (c *Console) Echoes() (echoes, canonical bool, err error) {
	var t *unix.Termios
	err = withFD(c.master, func(fd int) (err error) {
		t, err = unix.IoctlGetTermios(fd, getTermios)
		return err
	})
	if err != nil {
		return false, false, fmt.Errorf("read the PTY's settings: %w", err)
	}
	return t.Lflag&unix.ECHO != 0, t.Lflag&unix.ICANON != 0, nil
}

// Close hangs up, as a terminal window that is closed does, waits until ctx is
// over for the program to go, and kills its process then. What the program
// started is the program's affair (and a network namespace's).
func (c *Console) Close(ctx context.Context) error {
	c.master.Close()
	select {
	case <-c.gone:
		return nil
	case <-ctx.Done():
	}
	if err := c.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill the program: %w", err)
	}
	<-c.gone
	return errors.New("the program outlived the end of its terminal and was killed")
}

// Recorder collects a console's raw bytes safely.
type Recorder struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write appends p.
func (r *Recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.Write(p)
}

// Bytes returns what came so far.
func (r *Recorder) Bytes() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.buf.Bytes())
}
