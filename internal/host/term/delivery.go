//go:build unix

package term

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/status"
	"github.com/termio-sh/termio/vt"
)

// Bounds and times of a delivery.
const (
	maxPayload   = 256 << 10
	maxLine      = 4095 // what a terminal in line mode keeps of one line
	pieceSize    = 1 << 10
	deliveryTime = 25 * time.Second
	verifyTime   = 1500 * time.Millisecond
	maxRetypes   = 3
	typistPause  = time.Second            // of a person, before a delivery begins
	typistMax    = 5 * time.Second        // but it does not wait longer
	askedPause   = 400 * time.Millisecond // a dialog that has just come lets keys go by
	askedQuiet   = 250 * time.Millisecond // and it is told before it is drawn
	askedMax     = 2 * time.Second
	calmPaste    = 30 * time.Millisecond  // after the delivery before, if it was answered
	calmPlain    = 150 * time.Millisecond // and if not
	keyGap       = 40 * time.Millisecond
	menuDelay    = 300 * time.Millisecond // an answer may have done its work before Enter
	submitDelay  = 150 * time.Millisecond // agents take a faster Enter as part of a paste
	submitQuiet  = 80 * time.Millisecond  // nor do they take one while they still draw the text
	submitMax    = time.Second            // but some draw all the time
	submitPlain  = 30 * time.Millisecond
	enterTime    = time.Second // for the program to read the last key
	pollFast     = 200 * time.Microsecond
	pollSlow     = 50 * time.Millisecond
)

// payload is one thing to type: text, then keys, then Enter.
type payload struct {
	text   string
	keys   []vt.Key
	enter  bool
	submit vt.Key // the key that sends the prompt
}

// phase is a step of a delivery; each ends in a later one.
//
//	waiting → clearing → typing → verifying → keys → entering → checking → finished
//	               ↑                  │ (only if the program    (agents only;
//	               └──────────────────┘  has keys that empty     see submit.go)
//	                                     its prompt)
type phase uint8

const (
	phaseWaiting   phase = iota // for the program to read, and for a person to pause
	phaseClearing               // pressing the keys that empty the prompt
	phaseTyping                 // the text, in pieces, as fast as it is read
	phaseVerifying              // until the text is on the screen
	phaseKeys                   // one by one
	phaseEntering               // Enter, as a key of its own
	phaseChecking               // until Enter had an effect
	phaseFinished
)

// delivery is a payload on its way to the program. It is a value that is told
// what the host sees, with the time, and says what to do next; it does nothing
// itself.
type delivery struct {
	payload
	plain   bool          // no agent: a shell or any program
	unready bool          // the program does not take a prompt yet
	drafted string        // the draft that it waits for
	first   bool          // the prompt that the session was started with
	delay   time.Duration // before Enter
	clear   []vt.Key      // empty the prompt; then typing again is harmless
	asked   time.Time     // when it was asked for; the limit counts from here
	free    bool          // what it waits for has no limit
	queues  bool          // a prompt, which waits while the agent works
	now     bool          // whatever stands or runs
	answers int           // the number of the question that it answers; 0 for none
	menu    int           // that of the question that stood when typing began; 0 for none
	claim   *claim        // nil: nobody can withdraw it
	begun   time.Time     // when it became the first in line

	phase   phase
	encoded []byte // the text as it is typed
	prefix  int    // bytes of encoded before the text's own
	suffix  int    // and after
	sent    int    // bytes of encoded handed over
	poll    time.Duration
	since   time.Time // when the phase began, or the last key was pressed
	head    string    // the first signs of the text, as squeeze leaves them
	tail    string    // and the last
	before  evidence  // what was on the screen before typing
	blank   string    // the screen before typing
	gen     uint64    // and its generation
	retypes int
	next    int    // key
	pressed bool   // Enter
	effect  effect // of Enter
	result  hostproto.SendReply
}

// step is what the host has to do.
type step struct {
	write   []byte    // hand this to the terminal
	again   time.Time // look again then at the latest
	hold    bool      // keep back what people type
	discard bool      // throw away the input that was not read
	waits   string    // it has to wait for others to end; why
	done    bool
	failure *hostproto.Error
}

// evidence counts what shows that the text has arrived.
type evidence struct{ head, tail, placeholder int }

// advance takes what the host sees and says what to do.
func (d *delivery) advance(s sight, r *readiness, m vt.InputModes) step {
	if d.begun.IsZero() {
		d.begun = s.now
	}
	if s.exited && d.over() { // it may well have been told to
		d.phase = phaseFinished
		return step{done: true}
	}
	if d.claim.dropped() {
		return d.withdrawn()
	}
	if s.exited {
		return d.fail(s, hostproto.CodeNotLive, "the program has exited")
	}
	if d.phase > phaseWaiting && d.phase < phaseVerifying && !s.now.Before(d.asked.Add(deliveryTime)) {
		return d.timeout(s)
	}
	if d.free { // until now: its own time begins
		d.free, d.asked, d.begun = false, s.now, s.now
	}
	st := d.move(s, r, m)
	limit := d.asked.Add(deliveryTime)
	if d.phase == phaseWaiting && !st.done && !d.free && !s.now.Before(limit) {
		return d.timeout(s)
	}
	if d.phase < phaseVerifying && !st.done && (st.again.IsZero() || st.again.After(limit)) {
		st.again = limit
	}
	return st
}

// over tells whether everything was handed to the program.
func (d *delivery) over() bool {
	keys := d.phase == phaseKeys && d.next == len(d.keys) && d.next > 0 || d.phase == phaseEntering
	return d.pressed || keys && !d.enter
}

func (d *delivery) move(s sight, r *readiness, m vt.InputModes) step {
	if d.chosen(s) {
		d.result.Bytes = len(d.text)
		return d.conclude(true)
	}
	switch d.phase {
	case phaseWaiting:
		return d.wait(s, r, m)
	case phaseClearing:
		return d.press(s, d.clear, m, phaseTyping)
	case phaseTyping:
		return d.typeText(s, m)
	case phaseVerifying:
		return d.verify(s)
	case phaseKeys:
		return d.press(s, d.keys, m, phaseEntering)
	case phaseEntering:
		return d.pressEnter(s, m)
	case phaseChecking:
		return d.check(s, m)
	}
	return step{done: true}
}

func (d *delivery) to(p phase, s sight) step {
	d.phase, d.since, d.next = p, s.now, 0
	return step{again: s.now, hold: true}
}

func (d *delivery) wait(s sight, r *readiness, m vt.InputModes) step {
	if s.preparing { // however long; its end is a mark in the output
		d.unready, d.free = true, true
		return step{again: s.now.Add(time.Hour)}
	}
	if !d.first && !s.question.IsZero() && !d.plain {
		// An answer, as to whether a folder can be trusted. It can be given
		// before the agent takes prompts.
	} else if ok, again := r.ready(s); !ok || d.asks(s) {
		d.unready, d.free = true, d.first // it has all the time that the start takes
		return step{again: again}
	}
	d.unready = false
	if d.parks(s) {
		d.free = true
		return step{waits: waitsForTurn, again: s.now.Add(time.Hour)}
	}
	if at := s.since.Add(turnCalm); d.queues && s.state == status.Done && s.now.Before(at) {
		return step{again: at}
	}
	if d.drafted = ""; s.draft != "" && !d.now && d.text != "" && d.answers == 0 {
		return d.hold(s)
	}
	quiet := earlier(s.typedAt.Add(typistPause), d.begun.Add(typistMax))
	if s.now.Before(quiet) {
		return step{again: quiet}
	}
	if at := calm(s); s.now.Before(at) {
		return step{again: at}
	}
	if at := answerable(s); s.now.Before(at) {
		return step{again: at}
	}
	if d.text == "" {
		d.blank = s.screen
		return d.begin(phaseKeys, s)
	}
	if line := longestLine(d.text); s.canonical && line > maxLine {
		return d.fail(s, hostproto.CodeNotDelivered, fmt.Sprintf(
			"the program's terminal is in line mode, which keeps at most %d bytes of a line, and a line of the text has %d; nothing was typed: send shorter lines, or a file's name", maxLine, line))
	}
	d.before, d.blank, d.gen = d.look(s.screen), s.screen, s.generation
	return d.begin(phaseTyping, s)
}

// begin starts to type, unless the payload was withdrawn.
func (d *delivery) begin(p phase, s sight) step {
	if !d.claim.take(claimTyping) {
		return d.withdrawn()
	}
	if !s.question.IsZero() {
		d.menu = s.asked
	}
	return d.to(p, s)
}

// chosen tells that the text alone answered the question that stood, as a digit
// does in a menu: an Enter behind it would answer whatever comes next.
func (d *delivery) chosen(s sight) bool {
	return d.menu != 0 && d.enter && !d.pressed && d.phase >= phaseVerifying && (s.question.IsZero() || s.asked != d.menu)
}

func (d *delivery) withdrawn() step {
	d.phase = phaseFinished
	return step{done: true, failure: errDropped}
}

// hold waits while a person's draft stands in the prompt: what would be typed
// behind it would be sent as one with it. A prompt that can wait in the queue
// does so there; for anything else there is a limit.
func (d *delivery) hold(s sight) step {
	if d.queues || d.first {
		d.free = true
		return step{waits: waitsForDraft, again: s.now.Add(time.Hour)}
	}
	d.drafted = s.draft
	return step{again: d.asked.Add(deliveryTime)}
}

// asks tells that a question stands to which the text is no answer: a prompt
// given at the start must not be taken for one.
func (d *delivery) asks(s sight) bool { return d.first && !s.question.IsZero() }

// calm is when the program has had time to act on what was pressed before: a
// shell that takes a command or a Ctrl-C turns its terminal over, and what is
// typed in the middle of that can be lost, or read as the end of its input. A
// program that knows pastes and has written since has its terminal in order.
func calm(s sight) time.Time {
	if s.paste && s.lastOutput.After(s.pressedAt) {
		return s.pressedAt.Add(calmPaste)
	}
	return s.pressedAt.Add(calmPlain)
}

// answerable is when a question can be answered: agents declare it before they
// have drawn it, and some take no keys in its first moments.
func answerable(s sight) time.Time {
	if s.question.IsZero() {
		return time.Time{}
	}
	at := s.question.Add(askedPause)
	if quiet := s.lastOutput.Add(askedQuiet); quiet.After(at) {
		at = quiet
	}
	return earlier(at, s.question.Add(askedMax))
}

// typeText hands over the text in pieces, each when the one before is read.
func (d *delivery) typeText(s sight, m vt.InputModes) step {
	if d.encoded == nil {
		d.encode(m)
	}
	// One piece at a time: then it is certain how much was read.
	last := d.sent == len(d.encoded) && s.canonical // lines may be typed ahead
	if s.waiting > 0 || s.unread > 0 && !last {
		return d.pollRead(s)
	}
	d.poll = 0
	if d.sent == len(d.encoded) {
		return d.to(phaseVerifying, s)
	}
	n := min(len(d.encoded)-d.sent, pieceSize)
	for n > 0 && d.sent+n < len(d.encoded) && !utf8.RuneStart(d.encoded[d.sent+n]) {
		n-- // some programs decode each read by itself
	}
	if s.canonical && lineEnd(d.encoded[:d.sent+n]) > maxLine {
		return d.fail(s, hostproto.CodeNotDelivered, fmt.Sprintf(
			"the program's terminal went into line mode, which keeps at most %d bytes of a line: %d bytes of the text were typed", maxLine, d.taken(s)))
	}
	st := step{write: d.encoded[d.sent : d.sent+n], again: s.now.Add(pollFast), hold: true}
	d.sent += n
	return st
}

func (d *delivery) encode(m vt.InputModes) {
	d.encoded = vt.EncodePaste(nil, []byte(d.text), m)
	d.prefix, d.suffix = 0, 0
	if m.BracketedPaste {
		d.prefix, d.suffix = len(pasteStart), len(pasteEnd)
	}
	d.sent = 0
}

// The bracketed paste markers.
const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// verify waits until the text is seen. A program that shows nothing at all may
// not echo: the text is typed again only if that cannot double it.
func (d *delivery) verify(s sight) step {
	d.result.Bytes = len(d.text)
	now := d.look(s.screen)
	if now.head > d.before.head || now.tail > d.before.tail || now.placeholder > d.before.placeholder {
		d.result.Verified = true
		return d.to(phaseKeys, s)
	}
	if s.canonical && !s.echo { // a password, say: nothing will be seen
		return d.to(phaseKeys, s)
	}
	if end := d.since.Add(verifyTime); s.now.Before(end) {
		return step{again: end, hold: true}
	}
	if d.mayRetype(s) {
		d.result.Retried = true
		d.retypes++
		d.encoded = nil
		return d.to(phaseClearing, s)
	}
	return d.to(phaseKeys, s)
}

// mayRetype tells whether the text can be typed anew, where emptying the prompt
// makes that harmless. An agent that still starts swallows what it is told
// while its screen moves for other reasons; its keys empty one line for certain.
func (d *delivery) mayRetype(s sight) bool {
	switch {
	case len(d.clear) == 0 || s.canonical:
		return false
	case d.plain:
		return d.retypes == 0 && s.generation == d.gen
	}
	return d.retypes < maxRetypes && (s.generation == d.gen || !strings.ContainsAny(d.text, "\r\n"))
}

// press presses keys one by one, each a write of its own after a pause.
func (d *delivery) press(s sight, keys []vt.Key, m vt.InputModes, then phase) step {
	if d.next == len(keys) {
		if len(keys) == 0 {
			return d.to(then, s)
		}
		if at := d.since.Add(keyGap); s.now.Before(at) && then == phaseTyping {
			return step{again: at, hold: true}
		}
		return d.to(then, s)
	}
	if d.next > 0 || d.text != "" {
		if at := d.since.Add(keyGap); s.now.Before(at) {
			return step{again: at, hold: true}
		}
	}
	k := keys[d.next]
	d.next++
	d.since = s.now
	st := step{write: vt.EncodeKey(nil, k, m), again: s.now.Add(keyGap), hold: true}
	if d.next == len(keys) && then == phaseEntering {
		st.again = s.now // an Enter behind it has a pause of its own
	}
	return st
}

func (d *delivery) pressEnter(s sight, m vt.InputModes) step {
	if !d.enter {
		return d.finish(s)
	}
	if !d.pressed {
		if at := d.enterAt(s); s.now.Before(at) {
			return step{again: at, hold: true}
		}
		d.result.Turn = s.turn
		d.effect.expect(d, s)
		return d.pressSubmit(s, m)
	}
	return d.finish(s)
}

// enterAt is when Enter can be pressed: some time after the text, and for an
// agent when it has drawn it, since one that is busy with the text takes what
// comes right behind it for a part of it.
func (d *delivery) enterAt(s sight) time.Time {
	if d.text == "" && len(d.keys) == 0 {
		return d.since
	}
	at := d.since.Add(d.delay)
	if d.menu != 0 {
		at = d.since.Add(max(d.delay, menuDelay))
	}
	if d.plain || d.text == "" {
		return at
	}
	return later(at, earlier(s.lastOutput.Add(submitQuiet), d.since.Add(submitMax)))
}

func (d *delivery) pressSubmit(s sight, m vt.InputModes) step {
	d.pressed, d.since = true, s.now
	return step{write: vt.EncodeKey(nil, d.submit, m), again: s.now.Add(pollFast), hold: true}
}

// finish waits a moment for the program to read the last of it.
func (d *delivery) finish(s sight) step {
	if d.pressed && !d.plain && d.text != "" && !s.canonical {
		return d.to(phaseChecking, s)
	}
	if (s.waiting > 0 || s.unread > 0 && !s.canonical) && s.now.Before(d.since.Add(enterTime)) {
		return d.pollRead(s)
	}
	d.phase = phaseFinished
	return step{done: true}
}

// pollRead looks again whether the program has read, ever more seldom.
func (d *delivery) pollRead(s sight) step {
	d.poll = min(max(2*d.poll, pollFast), pollSlow)
	return step{again: s.now.Add(d.poll), hold: true}
}

// taken is how many bytes of the text the program has read.
func (d *delivery) taken(s sight) int {
	if d.phase >= phaseVerifying {
		return len(d.text)
	}
	n := d.sent - s.waiting - max(s.unread, 0) - d.prefix
	return min(max(n, 0), len(d.text))
}

func (d *delivery) timeout(s sight) step {
	if d.phase == phaseWaiting && d.drafted != "" {
		return d.fail(s, hostproto.CodeNotDelivered, fmt.Sprintf(
			"nothing was typed in %v: a person's draft stands unsent in the prompt (%q); wait until they send or clear it, or say --now", deliveryTime, lastRunes(d.drafted, 40)))
	}
	if d.phase == phaseWaiting && d.unready {
		return d.fail(s, hostproto.CodeNotDelivered, fmt.Sprintf(
			"nothing was typed in %v: the agent does not take a prompt yet; look at its screen", deliveryTime))
	}
	if d.phase == phaseWaiting {
		return d.fail(s, hostproto.CodeNotDelivered, fmt.Sprintf(
			"nothing was typed in %v: other input was still on its way to the program", deliveryTime))
	}
	taken := d.taken(s)
	st := d.fail(s, hostproto.CodeNotDelivered, fmt.Sprintf(
		"the program read %d of %d bytes in %v and does not read its input now", taken, len(d.text), deliveryTime))
	// What lies unread would be read later as if it were all.
	st.discard = s.unread > 0 && s.unread <= d.sent
	if d.suffix > 0 && taken > 0 && d.sent < len(d.encoded) {
		st.write = []byte(pasteEnd) // do not leave it inside a paste
	}
	return st
}

func (d *delivery) fail(s sight, code, message string) step {
	taken := d.taken(s)
	if code == hostproto.CodeNotLive && taken > 0 {
		code = hostproto.CodeNotDelivered
	}
	d.result.Bytes = taken
	d.phase = phaseFinished
	return step{done: true, failure: &hostproto.Error{Code: code, Message: message, Delivered: taken}}
}

// look counts the beginning and the end of the text on a screen, and the
// placeholders that agents show for a long paste. Blanks and frames do not
// count, since programs wrap and frame what is typed.
func (d *delivery) look(screen string) evidence {
	if d.head == "" {
		text := squeeze(d.text)
		d.head, d.tail = firstRunes(text, 20), lastRunes(text, 20)
	}
	shown := squeeze(screen)
	var e evidence
	if d.head != "" {
		e.head, e.tail = strings.Count(shown, d.head), strings.Count(shown, d.tail)
	}
	low := strings.ToLower(shown)
	e.placeholder = strings.Count(low, "[pasted") + strings.Count(low, "[paste#")
	return e
}

// squeeze leaves letters, digits and signs of s: no blanks, no line drawing.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r >= 0x2500 && r <= 0x259f || r == '|' {
			return -1
		}
		return r
	}, s)
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

func lastRunes(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, w := utf8.DecodeLastRuneInString(s[:i])
		i -= w
	}
	return s[i:]
}

// lineEnd is the length of the last, unfinished line.
func lineEnd(typed []byte) int { return len(typed) - 1 - bytes.LastIndexAny(typed, "\r\n") }

func longestLine(text string) int {
	longest := 0
	for line := range bytes.Lines([]byte(text)) {
		longest = max(longest, len(bytes.TrimRight(line, "\r\n")))
	}
	return longest
}
