//go:build unix

package scriptagent

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"
)

type state int

const (
	booting state = iota
	idle
	working
	asking
)

// escapeWait is how long a lone Esc may be the start of a sequence.
const escapeWait = 25 * time.Millisecond

// An agent is the program's whole state; only live's goroutine touches it.
type agent struct {
	o       Options
	tty     *tty
	record  *os.File
	input   chan []byte // closed when the terminal is gone
	keys    decoder
	state   state
	woke    time.Time // when it looked ready
	draft   string
	queue   []string
	turn    turn
	ask     question
	lines   []string // what is drawn, with -alt or -redraw
	frame   int
	answers bool // the terminal speaks OSC 7501
	session string
	said    []string // by the user, in this conversation
	exit    int
	over    bool
	ctrlC   bool // the last key was one
}

// A turn is what it works on.
type turn struct {
	prompt string
	answer string
	timer  *time.Timer   // ends the turn, or the agent in the middle of it
	done   chan struct{} // ends the turn when closed
}

type question struct {
	text    string
	options []string
	at      int
}

func newAgent(o Options) (*agent, error) {
	a := &agent{o: o, tty: &tty{in: os.Stdin, out: os.Stdout}, session: o.SessionID, input: make(chan []byte)}
	a.keys.burst = o.Burst
	if o.Store != "" {
		var err error
		if a.session, a.said, err = o.open(); err != nil {
			return nil, err
		}
	}
	if a.session == "" {
		a.session = uuid.NewString()
	}
	if o.Record != "" {
		f, err := os.OpenFile(o.Record, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, fmt.Errorf("record the input: %w", err)
		}
		a.record = f
	}
	return a, a.notePID("agent", os.Getpid())
}

// live boots, then does what is typed until it is over.
func (a *agent) live() int {
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	if err := a.boot(); err != nil {
		fmt.Fprintln(os.Stderr, "scriptagent:", err)
		return 2
	}
	booted := time.After(a.o.Boot)
	var redraw <-chan time.Time
	if a.o.Redraw > 0 {
		t := time.NewTicker(time.Second / time.Duration(a.o.Redraw))
		defer t.Stop()
		redraw = t.C
	}
	var escape, tooOld <-chan time.Time
	for !a.over {
		select {
		case <-booted:
			a.ready()
		case p, ok := <-a.input:
			if !ok {
				// The terminal is gone. One that ignores SIGHUP lives on, but
				// not for ever, should a test forget it.
				if !strings.Contains(a.o.Ignore, "hup") {
					return 129
				}
				a.input, tooOld = nil, time.After(a.o.life)
				continue
			}
			time.Sleep(a.o.Slow)
			a.take(p)
			escape = nil
			if a.keys.pending() {
				escape = time.After(escapeWait)
			}
		case <-escape:
			a.press(a.keys.flush())
			escape = nil
		case <-a.turn.expired():
			a.endTurn()
		case <-a.turn.done:
			a.endTurn()
		case <-redraw:
			a.draw()
		case <-tooOld:
			return 129
		case <-resized:
			a.draw()
		}
	}
	return a.exit
}

func (t turn) expired() <-chan time.Time {
	if t.timer == nil {
		return nil
	}
	return t.timer.C
}

func (a *agent) boot() error {
	if !a.o.CookedBoot && !a.o.Canonical {
		if err := a.tty.raw(false); err != nil {
			return err
		}
	}
	if a.o.Boot > 0 {
		a.tty.write("booting…\r\n")
	}
	if a.o.Eat {
		go a.read()
	}
	return nil
}

// ready is the moment from which it reads.
func (a *agent) ready() {
	if a.o.Die >= 0 {
		for _, l := range strings.Split(a.o.Last, "\n") {
			a.tty.write(l + "\r\n")
		}
		a.exit, a.over = a.o.Die, true
		return
	}
	a.state, a.woke = idle, time.Now()
	if a.o.CookedBoot {
		if err := a.tty.raw(true); err != nil {
			a.print("raw mode: " + err.Error())
		}
	}
	if a.o.Canonical && !a.o.Echo {
		a.tty.noEcho()
	}
	var b strings.Builder
	if a.o.Alt {
		b.WriteString("\x1b[?1049h\x1b[2J")
	}
	if a.o.Paste {
		b.WriteString("\x1b[?2004h")
	}
	if a.o.Kitty > 0 {
		fmt.Fprintf(&b, "\x1b[>%du", a.o.Kitty)
	}
	if a.o.Status == "asked" {
		b.WriteString("\x1b]7501;?\x1b\\")
	}
	a.tty.write(b.String())
	a.hook("SessionStart", map[string]any{"source": "startup"})
	for _, kind := range strings.FieldsFunc(a.o.Children, func(r rune) bool { return r == ',' }) {
		a.spawn(kind)
	}
	if a.o.Eager {
		a.keep(entry{})
	}
	a.print(a.o.Name + " is ready, session " + a.session)
	a.signs("idle", "")
	if a.o.Trust {
		a.question("Do you trust this folder?", "question", "Yes", "No")
	} else {
		a.prompt()
	}
	if !a.o.Eat && !a.o.NeverReads {
		go a.read()
	}
}

// read hands over what the terminal sends.
func (a *agent) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := a.tty.in.Read(buf)
		if n > 0 {
			a.input <- append([]byte(nil), buf[:n]...)
		}
		if err != nil || n == 0 && !a.o.Canonical {
			close(a.input)
			return
		}
	}
}

func (a *agent) take(p []byte) {
	if a.record != nil {
		a.record.Write(p) // what is missing shows in the test that reads it
	}
	if a.state == booting || time.Since(a.woke) < a.o.Deaf {
		return // eaten
	}
	if a.o.Canonical {
		for _, line := range strings.SplitAfter(string(p), "\n") {
			a.draft += strings.TrimSuffix(line, "\n")
			if strings.HasSuffix(line, "\n") {
				a.submit()
			}
		}
		return
	}
	a.press(a.keys.decode(p))
}

func (a *agent) press(keys []key) {
	for _, k := range keys {
		if a.over {
			return
		}
		if k.kind == keyStatus {
			a.answers = true
			a.signs([]string{"idle", "idle", "working", "blocked"}[a.state], a.ask.text)
			continue
		}
		ctrlC := k.kind == keyControl && k.text == "c"
		switch a.state {
		case asking:
			a.choose(k, ctrlC)
		default:
			a.edit(k, ctrlC)
		}
		a.ctrlC = ctrlC
	}
	a.draw()
}

// edit changes the draft, submits it, or interrupts.
func (a *agent) edit(k key, ctrlC bool) {
	switch {
	case k.kind == keyText:
		a.draft += k.text
		a.echo(k.text)
	case k.kind == keyNewline:
		a.draft += "\n"
		a.echo("\n")
	case k.kind == keyEnter && a.draft != "" && a.o.EatEnter > 0:
		a.o.EatEnter--
	case k.kind == keyEnter && a.draft != "" && a.o.BreakEnter > 0:
		a.o.BreakEnter--
		a.draft += "\n"
		a.echo("\n")
	case k.kind == keyEnter:
		a.submit()
	case k.kind == keyBackspace:
		if r := []rune(a.draft); len(r) > 0 {
			a.draft = string(r[:len(r)-1])
			a.echo("\b \b")
		}
	case k.kind == keyControl && k.text == "u":
		a.draft = ""
		a.echo("\r\x1b[K> ")
	case a.state == working && (k.kind == keyEscape || ctrlC):
		a.interrupt()
	case ctrlC && a.ctrlC, k.kind == keyControl && k.text == "d" && a.draft == "":
		a.leave(0)
	}
}

func (a *agent) submit() {
	prompt := a.draft
	a.draft = ""
	if !a.o.frames() && !a.o.Canonical {
		a.tty.write("\r\n")
	}
	switch {
	case strings.TrimSpace(prompt) == "":
		a.prompt()
	case a.state == working:
		a.queue = append(a.queue, prompt)
		a.print("queued: " + prompt)
	default:
		a.begin(prompt)
	}
}

// choose answers the question that stands.
func (a *agent) choose(k key, ctrlC bool) {
	switch {
	case k.kind == keyText && len(k.text) == 1 && k.text >= "1" && int(k.text[0]-'0') <= len(a.ask.options):
		a.answer(a.ask.options[k.text[0]-'1'])
	case k.kind == keyEnter:
		a.answer(a.ask.options[a.ask.at])
	case k.kind == keyUp:
		a.ask.at = max(0, a.ask.at-1)
	case k.kind == keyDown:
		a.ask.at = min(len(a.ask.options)-1, a.ask.at+1)
	case k.kind == keyEscape || ctrlC:
		a.ask = question{}
		a.interrupt()
	}
}

func (a *agent) answer(choice string) {
	a.ask = question{}
	a.state = working
	a.turn.answer = "answered: " + choice
	a.endTurn()
}

// leave ends it in order: the terminal as it was, the last event told.
func (a *agent) leave(code int) {
	a.hook("SessionEnd", map[string]any{"reason": "exit"})
	var b strings.Builder
	if a.o.Kitty > 0 {
		b.WriteString("\x1b[<u")
	}
	if a.o.Paste {
		b.WriteString("\x1b[?2004l")
	}
	if a.o.Alt {
		b.WriteString("\x1b[?1049l")
	}
	if a.reports() {
		b.WriteString("\x1b]7501;state=clear\x1b\\")
	}
	b.WriteString("bye\r\n")
	a.tty.write(b.String())
	a.tty.restore()
	a.exit, a.over = code, true
}
